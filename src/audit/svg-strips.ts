import type { Column, Loss } from "./chart.ts";
import { type Across, endOf } from "./chart-columns.ts";
import { clockText, dayText, roundTicks, sane, tokensText, usdText } from "./chart-scale.ts";
import { widthOf } from "./chart-text.ts";
import { type Box, element, label, line, type Markup, px, rectangle } from "./svg-element.ts";
import { letters } from "./svg-style.ts";

/** How much of each prompt was read from the cache; the rest was written to it or paid in full. */
export function cacheStrip(columns: readonly Column[], across: Across, box: Box): readonly Markup[] {
  const frame = [rectangle(box, "plot"), ...names(box, ["share read", "from cache"])];
  if (!isKnown(columns)) return [...frame, said("cache use is not recorded", box)];
  const bars = (kind: "read" | "fresh") =>
    columns.map((column, index) => {
      if (column.from === "estimated") return "";
      const height = kind === "fresh" ? box.height : box.height * readShareOf(column);
      const x = across.x(column.call);
      return `M${px(x)} ${px(box.y + box.height)}v${px(-height)}H${px(endOf(columns, index, across))}v${px(height)}z`;
    });
  // What was read covers the lower part of what is drawn as fresh.
  const paths = (["fresh", "read"] as const).map((kind) =>
    element("path", { class: `c-${kind}`, d: bars(kind).join("") }, element("title", {}, cacheTitles[kind])),
  );
  return [...frame, ...paths];
}

const cacheTitles = { fresh: "written or paid in full", read: "read from cache" } as const;

function readShareOf({ cacheReadTokens, promptTokens }: Column): number {
  return Math.min(1, sane(cacheReadTokens) / Math.max(1, sane(promptTokens)));
}

function isKnown(columns: readonly Column[]): boolean {
  return columns.some(({ from }) => from === "reported");
}

/** What cold turns and misses made the session pay for again, each at its call; the largest in words. */
export function lossStrip(
  losses: readonly Loss[],
  columns: readonly Column[],
  across: Across,
  box: Box,
): readonly Markup[] {
  const frame = [rectangle(box, "plot"), ...names(box, ["cached, but", "paid again"])];
  if (!isKnown(columns)) return [...frame, said("cache use is not recorded", box)];
  if (losses.length === 0) return [...frame, said("nothing that the cache held was paid again", box)];
  const most = losses.reduce((largest, { tokens }) => Math.max(largest, sane(tokens)), 1);
  const room = box.height - letters.small - 5;
  const ranked = [...losses].sort((a, b) => sane(b.tokens) - sane(a.tokens) || a.call - b.call).slice(0, drawnMax);
  const bars = ranked.map((loss) => {
    const height = Math.max(3, (room * sane(loss.tokens)) / most);
    const x = Math.min(across.x(loss.call), box.x + box.width - barWidth);
    const bar = { x, y: box.y + box.height - height, width: barWidth, height };
    return rectangle(bar, `l-${loss.kind}`, element("title", {}, lossText(loss)));
  });
  return [...frame, ...bars, ...lossLabels(ranked, across, box)];
}

/** More bars than this stand on each other; the largest are kept. */
const drawnMax = 1_000;
const barWidth = 3;

function lossText({ cause, usd, tokens }: Loss): string {
  return `${tokensText(tokens)} ${cause}${usd === null ? "" : `, ${usdText(usd)}`}`;
}

/** The largest first; one that would touch another is left to its bar. */
function lossLabels(ranked: readonly Loss[], across: Across, box: Box): readonly Markup[] {
  const taken: (readonly [from: number, until: number])[] = [];
  return ranked.slice(0, labelsTriedMax).flatMap((loss) => {
    const text = lossText(loss);
    const width = widthOf(text, letters.small);
    const start = Math.max(box.x + 4, Math.min(across.x(loss.call), box.x + box.width - width - 4));
    if (taken.some(([from, until]) => start < until + 10 && from < start + width + 10)) return [];
    taken.push([start, start + width]);
    return [label(text, { x: start, y: box.y + letters.small }, "t5 halo")];
  });
}

const labelsTriedMax = 12;

/** Numbers of calls at round places, counted from 1 as people do; below them when that was. */
export function callAxis(columns: readonly Column[], across: Across, box: Box): readonly Markup[] {
  const count = across.last - across.first + 1;
  const ticks = roundTicks(count, 10, 1).map((tick) => Math.max(1, tick));
  let freeFrom = 0;
  let day = "";
  return ticks
    .filter((tick) => tick <= count)
    .flatMap((tick) => {
      const call = across.first + tick - 1;
      const x = (across.x(call) + across.x(call + 1)) / 2;
      const at = timeNear(columns, call);
      const time = at === null ? "" : dayText(at) === day ? clockText(at) : `${dayText(at)} ${clockText(at)}`;
      const number = (call + 1).toLocaleString("en-US");
      const width = Math.max(widthOf(time, letters.small), widthOf(number, letters.normal));
      const middle = Math.max(box.x + width / 2 - 20, Math.min(x, box.x + box.width - width / 2));
      if (middle - width / 2 < freeFrom) return [line({ x, y: box.y }, { x, y: box.y + 4 }, "ticks")];
      freeFrom = middle + width / 2 + 8;
      if (at !== null) day = dayText(at);
      return [
        line({ x, y: box.y }, { x, y: box.y + 5 }, "ticks"),
        label(number, { x, y: box.y + 18 }, "muted num", "middle"),
        label(time, { x: middle, y: box.y + 32 }, "muted t5 num", "middle"),
      ];
    });
}

function timeNear(columns: readonly Column[], call: number): number | null {
  return columns.findLast((column) => column.call <= call)?.at ?? null;
}

function names({ x, y, height }: Box, lines: readonly [string, string]): readonly Markup[] {
  const middle = y + height / 2;
  return lines.map((text, index) => label(text, { x: x - 8, y: middle - 3 + index * 14 }, "muted t5", "end"));
}

function said(text: string, { x, y, width, height }: Box): Markup {
  return label(text, { x: x + width / 2, y: y + height / 2 + 4 }, "muted", "middle");
}
