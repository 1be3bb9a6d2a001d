import { bounds } from "../kernel/bounds.ts";
import type { EntryBody } from "../log/entry.ts";
import type { ToolMeasure } from "../log/server-entry.ts";

/** What the sessions of a project measured, by the server's alias. */
export type Measures = ReadonlyMap<string, ServerMeasures>;

export type ServerMeasures = {
  /** As the newest entry says that knew them; 0: none did. */
  readonly toolCount: number;
  readonly definitionTokens: number;
  /** By the server's own name for it. */
  readonly tools: ReadonlyMap<string, ToolMeasures>;
};

export type ToolMeasures = {
  readonly calls: number;
  readonly failed: number;
  readonly rawTokens: Weighted;
  readonly shownTokens: Weighted;
  readonly rawTokensMax: Largest;
  readonly shownTokensMax: Largest;
  readonly ms: Weighted;
};

/** A mean in which what is older counts less: half for every `bounds.cardCallsHalved` calls that came later. */
export type Weighted = { readonly sum: number; readonly weight: number };

/** The largest of the newest `bounds.cardCallsMax` calls; `age`: how many came after its entry. */
type Largest = { readonly tokens: number; readonly age: number };

export const noMeasures: Measures = new Map();

/** Folds a project's stream. Servers and tools beyond the bounds go, those that were used longest ago first. */
export function withMeasured(measures: Measures, entry: EntryBody): Measures {
  if (entry.type !== "server-measured") return measures;
  const before = measures.get(entry.server) ?? noServer;
  const rows = entry.tools.map((measure): readonly [string, ToolMeasures] => [
    measure.tool,
    withMeasure(before.tools.get(measure.tool) ?? nothing, measure),
  ]);
  const { toolCount, definitionTokens } = entry.toolCount > 0 ? entry : before;
  const server: ServerMeasures = {
    toolCount: sane(toolCount),
    definitionTokens: sane(definitionTokens),
    tools: withNewest(before.tools, rows, bounds.cardToolsMax),
  };
  return withNewest(measures, [[entry.server, server]], bounds.cardServersMax);
}

export function meanOf({ sum, weight }: Weighted): number {
  return weight === 0 ? 0 : sum / weight;
}

const noServer: ServerMeasures = { toolCount: 0, definitionTokens: 0, tools: new Map() };

const nothing: ToolMeasures = {
  calls: 0,
  failed: 0,
  rawTokens: { sum: 0, weight: 0 },
  shownTokens: { sum: 0, weight: 0 },
  rawTokensMax: { tokens: 0, age: 0 },
  shownTokensMax: { tokens: 0, age: 0 },
  ms: { sum: 0, weight: 0 },
};

function withMeasure(before: ToolMeasures, measure: ToolMeasure): ToolMeasures {
  const calls = sane(measure.calls);
  const failed = Math.min(calls, sane(measure.failed));
  const good = calls - failed;
  return {
    calls: before.calls + calls,
    failed: before.failed + failed,
    rawTokens: weighted(before.rawTokens, measure.rawTokens, good),
    shownTokens: weighted(before.shownTokens, measure.shownTokens, good),
    rawTokensMax: largest(before.rawTokensMax, measure.rawTokensMax, good),
    shownTokensMax: largest(before.shownTokensMax, measure.shownTokensMax, good),
    ms: weighted(before.ms, measure.ms, calls),
  };
}

function weighted(before: Weighted, sum: number, count: number): Weighted {
  if (count === 0) return before;
  const kept = 0.5 ** (count / bounds.cardCallsHalved);
  return { sum: before.sum * kept + sane(sum), weight: before.weight * kept + count };
}

function largest(before: Largest, tokens: number, count: number): Largest {
  if (count === 0) return before;
  const age = before.age + count;
  const isLargest = tokens >= before.tokens || age > bounds.cardCallsMax;
  return isLargest ? { tokens: sane(tokens), age: 0 } : { tokens: before.tokens, age };
}

/** Entries are read from a disk: a number there may be any number. */
function sane(value: number): number {
  return Math.floor(Math.min(bounds.reportedTokensMax, Math.max(0, value)));
}

function withNewest<V>(
  before: ReadonlyMap<string, V>,
  rows: readonly (readonly [string, V])[],
  max: number,
): ReadonlyMap<string, V> {
  const after = new Map(before);
  for (const [key, value] of rows) {
    after.delete(key);
    after.set(key, value);
  }
  return new Map([...after].slice(-max));
}
