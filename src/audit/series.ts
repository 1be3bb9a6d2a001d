import { bounds } from "../kernel/bounds.ts";
import type { PartEntry } from "./parts.ts";
import { partLabel } from "./parts.ts";
import type { Series, SeriesEvent, SeriesPoint } from "./report.ts";

/** Sizes of one call's prompt by part number. */
export type RawPoint = Omit<SeriesPoint, "calls" | "tokens"> & { readonly tokens: readonly number[] };

export type SeriesBuffer = {
  readonly add: (point: RawPoint) => void;
  readonly series: (lane: string, windowTokens: number | null, parts: readonly PartEntry[]) => Series;
};

/** Collects a lane's calls, as many to each point, and never holds more than twice the points that are shown. */
export function openSeries(): SeriesBuffer {
  let points: Point[] = [];
  let callsOfPoint = 1;
  const room = bounds.seriesPointsMax;
  return {
    add: (raw) => {
      const point = { ...raw, calls: 1 };
      const last = points.at(-1);
      if (last !== undefined && last.calls < callsOfPoint) points[points.length - 1] = together(last, point);
      else points.push(point);
      if (points.length < 2 * room) return;
      points = halved(points);
      callsOfPoint *= 2;
    },
    series: (lane, windowTokens, parts) => {
      const shown = points.length > room ? halved(points) : points;
      return selected(lane, windowTokens, parts, shown);
    },
  };
}

type Point = RawPoint & { readonly calls: number };

function halved(points: readonly Point[]): Point[] {
  const kept: Point[] = [];
  for (let at = 0; at < points.length; at += 2) {
    const [a, b] = [points[at], points[at + 1]];
    if (a !== undefined) kept.push(b === undefined ? a : together(a, b));
  }
  return kept;
}

/** Of two neighbours the one at which something happened, else the first. */
function together(a: Point, b: Point): Point {
  const main = b.event !== null && (a.event === null || rank[b.event] < rank[a.event]) ? b : a;
  const usd = a.usd === null ? b.usd : a.usd + (b.usd ?? 0);
  return { ...main, calls: a.calls + b.calls, usd, missTokens: a.missTokens + b.missTokens };
}

const rank: Readonly<Record<SeriesEvent, number>> = {
  compacted: 0,
  cleared: 1,
  "model-changed": 2,
  rewound: 3,
  cold: 4,
  missed: 5,
};

/** Tools whose results are shown apart. */
const toolsShownMax = 6;

function selected(
  lane: string,
  windowTokens: number | null,
  parts: readonly PartEntry[],
  points: readonly Point[],
): Series {
  const tools = parts
    .filter(({ category }) => category === "results")
    .toSorted((a, b) => b.own.paid - a.own.paid)
    .slice(0, toolsShownMax);
  const keys = parts.map((part) => (part.category === "results" && !tools.includes(part) ? null : part));
  const shown = [...parts.filter((part) => keys.includes(part)), null].filter(
    (part) => part?.category !== "output" && (part !== null || keys.includes(null)),
  );
  const columnOf = keys.map((key) => shown.indexOf(key));
  return {
    lane,
    windowTokens,
    parts: shown.map((part) =>
      part === null
        ? { category: "results", tool: null, label: "other results" }
        : { category: part.category, tool: part.tool, label: partLabel(part) },
    ),
    points: points.map(({ tokens, ...point }) => ({
      ...point,
      tokens: columns(tokens, columnOf, shown.length, point.promptTokens),
    })),
  };
}

/** Whole numbers that add up to the prompt. */
function columns(
  tokens: readonly number[],
  columnOf: readonly number[],
  count: number,
  whole: number,
): readonly number[] {
  const sums = Array.from({ length: count }, () => 0);
  tokens.forEach((size, part) => {
    const column = columnOf[part] ?? -1;
    if (column >= 0) sums[column] = (sums[column] ?? 0) + size;
  });
  let exact = 0;
  let shown = 0;
  return sums.map((size, at) => {
    exact += size;
    const next = at === count - 1 ? whole - shown : Math.max(0, Math.round(exact) - shown);
    shown += next;
    return Math.max(0, next);
  });
}
