import type { Change, Column, Layer, LayerKind, Loss, Panel } from "./chart.ts";
import { sane } from "./chart-scale.ts";
import { apart, lineText } from "./chart-text.ts";
import { type Basis, factsText, nameOf, readingText, sharesOf } from "./chart-words.ts";
import { missCauses } from "./figures.ts";
import type {
  AuditMissCause,
  Category,
  Example,
  Part,
  Series,
  SeriesEvent,
  SeriesPoint,
  SessionAudit,
} from "./report.ts";

/** A session's series, with its parts joined to as many layers as eyes can tell apart. */
export function panelOf(session: SessionAudit, reportBasis: Basis): Panel {
  const { series, calls } = session;
  const basis = session.money.usd === null ? "tokens" : reportBasis;
  const parts = sharesOf(session.parts, basis);
  const points = calls === 0 || series === null ? [] : series.points;
  const kinds = series === null ? [] : kindsOf(series);
  const used = layerKinds.filter((kind) => kinds.includes(kind));
  const layers = used.map((kind) => layerOf(kind, series, kinds, parts));
  const answersShare = parts.find(({ category }) => category === "output")?.share ?? null;
  return {
    title: nameOf(session),
    facts: factsText(session),
    reading: readingText(session, [...layers, { label: "answers as billed", share: answersShare }], basis),
    layers,
    shareOf: basis === "usd" ? "of the bill" : "of tokens",
    answersShare,
    columns: points.map((point) => columnOf(point, kinds, used)),
    windowTokens: series?.windowTokens ?? null,
    changes: changesOf(points),
    losses: lossesOf(points, session),
  };
}

/** As stacked, lowest first: what stays longest lies lowest, so that the upper edge of a layer moves for its own reasons. */
const layerKinds: readonly LayerKind[] = [
  "head",
  "summary",
  "typed",
  "injected",
  "assistant",
  "reasoning",
  "calls",
  "tool-1",
  "tool-2",
  "tool-3",
  "tool-4",
  "results",
  "images",
  "other",
];

const kindOf: Readonly<Record<Category, LayerKind | null>> = {
  "unlogged-head": "head",
  system: "head",
  tools: "head",
  typed: "typed",
  injected: "injected",
  summaries: "summary",
  assistant: "assistant",
  reasoning: "reasoning",
  calls: "calls",
  results: "results",
  images: "images",
  "not-in-log": "other",
  output: null,
};

const labels: Readonly<Record<LayerKind, string>> = {
  head: "system and tools",
  summary: "summaries",
  typed: "typed by you",
  injected: "injected by program",
  assistant: "assistant text",
  reasoning: "reasoning",
  calls: "tool calls",
  "tool-1": "results",
  "tool-2": "results",
  "tool-3": "results",
  "tool-4": "results",
  results: "other results",
  images: "images",
  other: "not in the log",
};

type Kinds = readonly (LayerKind | null)[];

/** One kind for each part of the series; the tools whose results were carried most have kinds of their own. */
function kindsOf({ parts, points }: Series): Kinds {
  const carried = parts.map((_part, index) =>
    points.reduce((sum, { tokens, calls }) => sum + sane(tokens[index]) * Math.max(1, sane(calls)), 0),
  );
  const ranked = parts
    .map((part, index) => ({ part, index, tokens: carried[index] ?? 0 }))
    .filter(({ part, tokens }) => part.category === "results" && part.tool !== null && tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, toolKinds.length);
  return parts.map(({ category }, index) => {
    const rank = ranked.findIndex((one) => one.index === index);
    if (rank >= 0) return toolKinds[rank] ?? null;
    return (carried[index] ?? 0) > 0 ? kindOf[category] : null;
  });
}

const toolKinds = ["tool-1", "tool-2", "tool-3", "tool-4"] as const;

function layerOf(kind: LayerKind, series: Series | null, kinds: Kinds, parts: readonly Part[]): Layer {
  const own = parts.filter((part) => kindIn(series, kinds, part) === kind);
  const tool = kind.startsWith("tool-") ? own[0]?.tool : null;
  return {
    kind,
    label: tool === null || tool === undefined ? labels[kind] : resultsText(tool),
    tokens: own.reduce((sum, { enteredTokens }) => sum + sane(enteredTokens), 0),
    share: own.length === 0 ? null : own.reduce((sum, { share }) => sum + sane(share), 0),
  };
}

/** A series names its largest tools only: results of any other are drawn as the rest. */
function kindIn(series: Series | null, kinds: Kinds, { category, tool }: Part): LayerKind | null {
  const at = series?.parts.findIndex((one) => one.category === category && one.tool === tool) ?? -1;
  return kinds[at] ?? kindOf[category];
}

/** Of a server's tool the server and the tool are its name, not the way they are written together. */
function resultsText(tool: string): string {
  const [, server, own] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return apart(lineText(server === undefined || own === undefined ? `${tool} results` : `${server}: ${own}`));
}

function columnOf(point: SeriesPoint, kinds: Kinds, used: readonly LayerKind[]): Column {
  const { n, at, calls, promptTokens, from, cacheReadTokens } = point;
  const parts = used.map((kind) =>
    point.tokens.reduce((sum, tokens, index) => sum + (kinds[index] === kind ? sane(tokens) : 0), 0),
  );
  return {
    call: sane(n),
    calls: Math.max(1, sane(calls)),
    at,
    promptTokens: sane(promptTokens),
    from,
    parts,
    cacheReadTokens: sane(cacheReadTokens),
  };
}

function changesOf(points: readonly SeriesPoint[]): readonly Change[] {
  return points.flatMap(({ n, event, promptTokens }, index) => {
    if (event === null || event === "cold" || event === "missed") return [];
    const tokensBefore = sane(points[index - 1]?.promptTokens);
    return [{ call: sane(n), what: eventTexts[event], tokensBefore, tokensAfter: sane(promptTokens) }];
  });
}

/** From the series, for every call; cause and money where the findings name the call. */
function lossesOf(points: readonly SeriesPoint[], { series, findings }: SessionAudit): readonly Loss[] {
  const named = new Map<number, { readonly example: Example; readonly cause: AuditMissCause }>();
  for (const { cause, examples } of findings.misses)
    for (const example of examples)
      if (example.call !== null && example.lane === series?.lane) named.set(example.call, { example, cause });
  return points
    .filter(({ missTokens }) => missTokens > 0)
    .map(({ n, event, missTokens }): Loss => {
      const found = named.get(n);
      const kind = event === "cold" || found?.cause === "expired" ? "cold" : "missed";
      const cause = found === undefined ? (event === null ? "missed" : eventTexts[event]) : missCauses[found.cause];
      return { call: sane(n), kind, cause, tokens: sane(missTokens), usd: found?.example.usd ?? null };
    });
}

const eventTexts: Readonly<Record<SeriesEvent, string>> = {
  compacted: "compacted",
  cleared: "cleared",
  rewound: "rewound",
  "model-changed": "model changed",
  cold: "after a pause",
  missed: "missed",
};
