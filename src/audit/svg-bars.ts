import { type BarKind, type BarRow, type Bars, barKinds } from "./chart.ts";
import { roundTicks, sane, tokensText, usdText } from "./chart-scale.ts";
import { fitted } from "./chart-text.ts";
import { element, label, line, type Markup, rectangle } from "./svg-element.ts";
import type { Drawn } from "./svg-panel.ts";
import { letters, sheet } from "./svg-style.ts";

/** Sessions side by side: what each cost, and what for. */
export function barsDrawing({ unit, rows }: Bars, top: number): Drawn {
  const what =
    unit === "usd" ? "What each session cost, and what for" : "Tokens each session sent and received, and what for";
  const ticks = roundTicks(
    rows.reduce((most, row) => Math.max(most, totalOf(row)), 0),
    6,
  );
  const scale = barsWidth / (ticks.at(-1) ?? 1);
  const bottom = top + headHeight + rows.length * rowHeight;
  const text = unit === "usd" ? usdText : tokensText;
  const markup = element(
    "g",
    { role: "group", "aria-label": what },
    label(what, { x: sheet.left, y: top + 16 }, "t2"),
    ...key(top + 30),
    ...ticks.flatMap((tick) => [
      line({ x: barsLeft + tick * scale, y: top + headHeight - 4 }, { x: barsLeft + tick * scale, y: bottom }, "grid"),
      label(text(tick).replace(/\.00$/, ""), { x: barsLeft + tick * scale, y: bottom + 14 }, "muted t5 num", "middle"),
    ]),
    ...rows.flatMap((row, index) => bar(row, top + headHeight + index * rowHeight, scale)),
  );
  return { markup, height: bottom + 24 - top };
}

const headHeight = 66;
const rowHeight = 24;
const barsLeft = 330;
const barsWidth = 560;
const detailLeft = barsLeft + barsWidth + 16;

function totalOf({ values }: BarRow): number {
  return values === null ? 0 : barKinds.reduce((sum, kind) => sum + sane(values[kind]), 0);
}

const kindNames: Readonly<Record<BarKind, string>> = {
  head: "system and tools",
  messages: "messages",
  answers: "earlier answers",
  calls: "earlier calls",
  results: "tool results",
  other: "other",
  output: "answers as billed",
};

function key(y: number): readonly Markup[] {
  return barKinds.flatMap((kind, index) => {
    const x = sheet.left + (index * (sheet.right - sheet.left)) / barKinds.length;
    return [
      rectangle({ x, y, width: 14, height: 13 }, `f-${kind}`),
      label(kindNames[kind], { x: x + 20, y: y + 11 }, "muted"),
    ];
  });
}

function bar(row: BarRow, y: number, scale: number): readonly Markup[] {
  let x = barsLeft;
  const { values } = row;
  const pieces = values === null ? [] : barKinds.map((kind) => ({ kind, width: sane(values[kind]) * scale }));
  return [
    label(fitted(row.label, barsLeft - sheet.left - 14, letters.normal), { x: sheet.left, y: y + 14 }),
    ...pieces
      .filter(({ width }) => width > 0)
      .map(({ kind, width }) => {
        const piece = rectangle({ x, y: y + 2, width, height: rowHeight - 7 }, `f-${kind}`);
        x += width;
        return piece;
      }),
    label(fitted(row.detail, sheet.right - detailLeft, letters.normal), { x: detailLeft, y: y + 14 }, "muted num"),
  ];
}
