import type { Change, Column, Layer, Panel } from "./chart.ts";
import { type Across, endOf, heightOf, stackOf } from "./chart-columns.ts";
import { roundTicks, sane, tokensText } from "./chart-scale.ts";
import { widthOf } from "./chart-text.ts";
import { type Box, element, label, line, type Markup, px, rectangle } from "./svg-element.ts";
import { letters } from "./svg-style.ts";

/** The stacked window: what fills it, the reported prompt on top, the limit, and where the context changed at once. */
export function windowPlot(panel: Panel, columns: readonly Column[], across: Across, box: Box): readonly Markup[] {
  const peak = columns.reduce((most, column) => Math.max(most, heightOf(column)), 1);
  const limit = panel.windowTokens !== null && panel.windowTokens <= peak * limitShownTimes ? panel.windowTokens : null;
  const ticks = roundTicks(Math.max(peak, limit ?? 0), 5, 1);
  const top = ticks.at(-1) ?? 1;
  const y = (tokens: number) => box.y + box.height * (1 - Math.min(1, tokens / top));
  return [
    rectangle(box, "plot"),
    ...stack(panel.layers, columns, across, y),
    ...hatched(columns, across, y),
    ...ticks.flatMap((tick) => [
      line({ x: box.x, y: y(tick) }, { x: box.x + box.width, y: y(tick) }, "grid"),
      label(tokensText(tick), { x: box.x - 8, y: y(tick) + 4 }, "muted num", "end"),
    ]),
    ...promptLine(columns, across, y),
    ...changeMarks(panel.changes, across, box),
    ...limitLine(limitOf(panel, limit), { changes: panel.changes, across, box, y }),
  ];
}

/** A limit further away than this would press what is drawn into a stripe; it is said in words instead. */
const limitShownTimes = 2.5;

type Y = (tokens: number) => number;

/** Each area reaches down to the axis and is covered by the ones below it: half the points, and no gaps between. */
function stack(layers: readonly Layer[], columns: readonly Column[], across: Across, y: Y): readonly Markup[] {
  const tops = columns.map(({ parts }) => {
    let sum = 0;
    return layers.map((_layer, index) => {
      sum += sane(parts[index]);
      return y(sum);
    });
  });
  return layers
    .map((layer, index) => {
      const d = area(columns, across, (column) => tops[column]?.[index] ?? y(0), y(0));
      return element("path", { class: `f-${layer.kind}`, d }, element("title", {}, layer.label));
    })
    .reverse();
}

function hatched(columns: readonly Column[], across: Across, y: Y): readonly Markup[] {
  if (!columns.some(({ from }) => from === "estimated")) return [];
  const tops = columns.map((column) => y(column.from === "estimated" ? stackOf(column) : 0));
  return [element("path", { class: "hatched", d: area(columns, across, (at) => tops[at] ?? y(0), y(0)) })];
}

function area(columns: readonly Column[], across: Across, top: (column: number) => number, floor: number): string {
  const steps = columns.map((_column, index) => `V${px(top(index))}H${px(endOf(columns, index, across))}`);
  return `M${px(across.x(across.first))} ${px(floor)}${steps.join("")}V${px(floor)}Z`;
}

/** Only what was reported; a gap where nothing was. */
function promptLine(columns: readonly Column[], across: Across, y: Y): readonly Markup[] {
  const steps = columns.map((column, index) => {
    if (column.from === "estimated") return "";
    const height = px(y(sane(column.promptTokens)));
    const joins = columns[index - 1]?.from === "reported";
    const start = joins ? `V${height}` : `M${px(across.x(column.call))} ${height}`;
    return `${start}H${px(endOf(columns, index, across))}`;
  });
  const d = steps.join("");
  return d === "" ? [] : [element("path", { class: "line", d })];
}

type Limit = { readonly at: number | null; readonly text: string };

/** Where the window is far above, the size at which the session itself was compacted says more. */
function limitOf({ windowTokens, changes }: Panel, shown: number | null): Limit | null {
  if (windowTokens === null) return null;
  const text = `window ${tokensText(windowTokens)}`;
  if (shown !== null) return { at: shown, text };
  const seen = Math.max(0, ...changes.map(({ what, tokensBefore }) => (what === "compacted" ? tokensBefore : 0)));
  return seen > 0
    ? { at: seen, text: `compacted at ${tokensText(seen)}, ${text}` }
    : { at: null, text: `${text}, far above` };
}

type Drawn = { readonly changes: readonly Change[]; readonly across: Across; readonly box: Box; readonly y: Y };

function limitLine(limit: Limit | null, drawn: Drawn): readonly Markup[] {
  if (limit === null) return [];
  const { box, y } = drawn;
  const at = limit.at === null ? box.y : y(limit.at);
  const { x, anchor } = limitSide(limit.text, drawn);
  const text = label(limit.text, { x, y: at - box.y < 16 ? at + 15 : at - 5 }, "red halo", anchor);
  return limit.at === null ? [text] : [line({ x: box.x, y: at }, { x: box.x + box.width, y: at }, "limit"), text];
}

/** At the right, or at the left where a change would be drawn through the words. */
function limitSide(
  text: string,
  { changes, across, box }: Drawn,
): { readonly x: number; readonly anchor: "start" | "end" } {
  const width = widthOf(text, letters.small) + 12;
  const marks = changes.map(({ call }) => across.x(call) - box.x);
  const isFree = (from: number) => !marks.some((mark) => mark > from && mark < from + width);
  return !isFree(box.width - width) && isFree(0)
    ? { x: box.x + 6, anchor: "start" }
    : { x: box.x + box.width - 6, anchor: "end" };
}

/** Every change has its mark; words only where they do not run into the words before. */
function changeMarks(changes: readonly Change[], across: Across, box: Box): readonly Markup[] {
  let freeFrom = box.x;
  return changes.flatMap((change) => {
    const x = across.x(change.call);
    const mark = line({ x, y: box.y - 5 }, { x, y: box.y + box.height }, "cut");
    const text = `${change.what} ${tokensText(change.tokensBefore)} → ${tokensText(change.tokensAfter)}`;
    const width = widthOf(text, letters.small);
    const start = Math.min(Math.max(box.x, x - 3), box.x + box.width - width);
    if (start < freeFrom) return [mark];
    freeFrom = start + width + 10;
    return [mark, label(text, { x: start, y: box.y - 9 }, "t5")];
  });
}
