import type { BarKind, LayerKind, Loss } from "./chart.ts";
import type { Markup } from "./svg-element.ts";

/** Sizes of letters, known to who measures texts. */
export const letters = { title: 22, heading: 16, reading: 14, normal: 12, small: 11 } as const;

/** Titles and headings are bold, and bold letters are wider. */
export const boldWidth = 1.15;

/** Where things stand on a sheet 1,200 wide: axis labels, the plot, and the legend with its two columns of numbers. */
export const sheet = {
  width: 1200,
  left: 28,
  right: 1172,
  plotLeft: 112,
  plotWidth: 748,
  legendLeft: 886,
  tokensRight: 1106,
} as const;

/** Colours and letters in one place; rules instead of variables, because not every viewer of pictures knows variables. */
export function styleSheet(): Markup {
  const rules = [
    `text{font:${letters.normal}px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC","DejaVu Sans",sans-serif;fill:#1c2330}`,
    `.t1{font-size:${letters.title}px;font-weight:600}.t2{font-size:${letters.heading}px;font-weight:600}`,
    `.t3{font-size:${letters.reading}px}.t5{font-size:${letters.small}px}.num{font-variant-numeric:tabular-nums}`,
    ".line,.grid,.limit,.cut,.rule{fill:none}",
    ".line{stroke-width:1.5;stroke-linejoin:round}.limit{stroke-width:1.5;stroke-dasharray:7 5}",
    ".hatched{fill:url(#estimated)}.cut{stroke-width:1.2;stroke-dasharray:2 3}.ticks{stroke-width:1}",
    tones(light),
    `@media (prefers-color-scheme:dark){${tones(dark)}}`,
  ];
  return { markup: `<style>${rules.join("\n")}</style>\n${hatching}` };
}

/** Over estimated sizes: the colours stay readable, and nobody takes them for reported ones. */
const hatching = `<defs><pattern id="estimated" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="2.4" height="7"/></pattern></defs>`;

type Tones = {
  readonly paper: string;
  readonly plot: string;
  readonly ink: string;
  readonly muted: string;
  readonly grid: string;
  readonly limit: string;
  readonly cut: string;
  readonly fills: Readonly<Record<LayerKind | BarKind, string>>;
  readonly cache: Readonly<Record<"read" | "fresh", string>>;
  readonly loss: Readonly<Record<Loss["kind"], string>>;
};

/** Paul Tol's "muted" scheme, made to be told apart by colour-blind people; neighbours differ in lightness as well. */
const light: Tones = {
  paper: "#ffffff",
  plot: "#f6f7f9",
  ink: "#1c2330",
  muted: "#5b6472",
  grid: "#dfe3e8",
  limit: "#b3261e",
  cut: "#1c2330",
  fills: {
    head: "#b9bfc8",
    summary: "#aa4499",
    typed: "#332288",
    injected: "#8f83cf",
    assistant: "#117733",
    reasoning: "#44aa99",
    calls: "#999933",
    "tool-1": "#cc6677",
    "tool-2": "#ddcc77",
    "tool-3": "#88ccee",
    "tool-4": "#882255",
    results: "#e8b7a4",
    images: "#5b3a29",
    other: "#77808c",
    messages: "#332288",
    answers: "#117733",
    output: "#44aa99",
  },
  cache: { read: "#88ccee", fresh: "#d55e00" },
  loss: { cold: "#0072b2", missed: "#882255" },
};

const dark: Tones = {
  paper: "#12161d",
  plot: "#1a2029",
  ink: "#e8ebf0",
  muted: "#a2acba",
  grid: "#2f3743",
  limit: "#ff8a80",
  cut: "#e8ebf0",
  fills: {
    ...light.fills,
    head: "#6d7683",
    summary: "#c565b4",
    typed: "#6a5acd",
    injected: "#a89ee6",
    assistant: "#2b9a54",
    "tool-4": "#a8356f",
    results: "#d19b86",
    images: "#8d6a55",
    other: "#4d5663",
    messages: "#6a5acd",
    answers: "#2b9a54",
  },
  cache: { read: "#3f86a8", fresh: "#e8793a" },
  loss: { cold: "#56b4e9", missed: "#e58fbd" },
};

function tones(tone: Tones): string {
  const { paper, plot, ink, muted, grid, limit, cut } = tone;
  const classes: readonly (readonly [string, string])[] = [
    ...Object.entries(tone.fills).map(([kind, color]) => [`f-${kind}`, color] as const),
    ...Object.entries(tone.cache).map(([kind, color]) => [`c-${kind}`, color] as const),
    ...Object.entries(tone.loss).map(([kind, color]) => [`l-${kind}`, color] as const),
  ];
  return [
    `.paper{fill:${paper}}.plot{fill:${plot}}text{fill:${ink}}.muted{fill:${muted}}.hatch{fill:${paper};fill-opacity:.55}`,
    `.line{stroke:${ink}}.limit{stroke:${limit}}.cut{stroke:${cut}}.grid,.rule,.ticks{stroke:${grid}}.red{fill:${limit}}`,
    `.halo{stroke:${plot};stroke-width:4;stroke-linejoin:round;paint-order:stroke}`,
    ...classes.map(([name, color]) => `.${name}{fill:${color}}`),
  ].join("");
}
