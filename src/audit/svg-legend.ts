import type { Layer, Panel } from "./chart.ts";
import { shareText, tokensText } from "./chart-scale.ts";
import { fitted } from "./chart-text.ts";
import { element, label, line, type Markup, rectangle } from "./svg-element.ts";
import { letters, sheet } from "./svg-style.ts";

type At = { readonly x: number; readonly y: number };

/** In the order of the stack, top to bottom, with what entered once and its share; then the other signs. */
export function legend(panel: Panel, { x, y }: At): readonly Markup[] {
  const rows = [...panel.layers].reverse();
  const header = [
    label("entered", { x: sheet.tokensRight, y: y + 10 }, "muted t5", "end"),
    label(panel.shareOf, { x: sheet.right, y: y + 10 }, "muted t5", "end"),
  ];
  const layers = rows.flatMap((layer, index) => layerRow(layer, { x, y: y + (index + 1) * rowHeight }));
  const signs = signsOf(panel).flatMap((sign, index) =>
    sign({ x, y: y + (rows.length + 1 + index) * rowHeight + gap }),
  );
  return [...header, ...layers, ...signs];
}

export function legendHeight(panel: Panel): number {
  return (panel.layers.length + 1 + signsOf(panel).length) * rowHeight + gap;
}

const nameWidth = sheet.tokensRight - sheet.legendLeft - 64;
const rowHeight = 19;
const gap = 10;

function layerRow({ kind, label: name, tokens, share }: Layer, { x, y }: At): readonly Markup[] {
  return [
    rectangle({ x, y, width: 14, height: 13 }, `f-${kind}`),
    // The whole name, where this is not, comes up when pointed at.
    element(
      "g",
      {},
      element("title", {}, name),
      label(fitted(name, nameWidth, letters.normal), { x: x + 22, y: y + 11 }),
    ),
    label(tokensText(tokens), { x: sheet.tokensRight, y: y + 11 }, "num", "end"),
    label(share === null ? "?" : shareText(share), { x: sheet.right, y: y + 11 }, "num", "end"),
  ];
}

type Sign = (at: At) => readonly Markup[];

/** Only what this picture holds. */
function signsOf(panel: Panel): readonly Sign[] {
  const has = (from: "reported" | "estimated") => panel.columns.some((column) => column.from === from);
  const { answersShare } = panel;
  return [
    ...(answersShare === null || answersShare === 0 ? [] : [answers(answersShare)]),
    ...(has("reported") ? [stroke("line", "prompt as reported")] : []),
    ...(has("estimated") ? [estimated] : []),
    ...(panel.changes.length === 0 ? [] : [stroke("cut", "context changed at once")]),
    ...(has("reported") ? [filled("c-read", "read from cache"), filled("c-fresh", "written or paid in full")] : []),
    ...(panel.losses.some(({ kind }) => kind === "cold") ? [filled("l-cold", "paid again after a pause")] : []),
    ...(panel.losses.some(({ kind }) => kind === "missed") ? [filled("l-missed", "paid again, other causes")] : []),
  ];
}

const answers =
  (share: number): Sign =>
  ({ x, y }) => [
    label("answers as billed", { x: x + 22, y: y + 11 }),
    label(shareText(share), { x: sheet.right, y: y + 11 }, "num", "end"),
  ];

const stroke =
  (style: string, text: string): Sign =>
  ({ x, y }) => [line({ x, y: y + 7 }, { x: x + 14, y: y + 7 }, style), label(text, { x: x + 22, y: y + 11 }, "muted")];

const filled =
  (style: string, text: string): Sign =>
  ({ x, y }) => [rectangle({ x, y, width: 14, height: 13 }, style), label(text, { x: x + 22, y: y + 11 }, "muted")];

const estimated: Sign = ({ x, y }) => [
  rectangle({ x, y, width: 14, height: 13 }, "f-other"),
  rectangle({ x, y, width: 14, height: 13 }, "hatched"),
  label("estimated, not reported", { x: x + 22, y: y + 11 }, "muted"),
];
