import { hashOf } from "../src/kernel/hash.ts";
import { type Searchable, toolIndex } from "../src/mcp/tool-search.ts";
import { toolRanking } from "../src/mcp/tool-search-rank.ts";
import { type ToolWeights, toolWeights } from "../src/mcp/tool-search-weights.ts";
import { dataIn, refused } from "./data-args.ts";
import { plainRanking } from "./retrieval-plain.ts";
import { percentile } from "./timing.ts";
import { type ToolQuery, type ToolSet, toolSetsIn } from "./toolsearch-data.ts";
import { toolSearchTables } from "./toolsearch-table.ts";
import { definitionTokens } from "./toolsearch-tokens.ts";

/**
 * `bench toolsearch [--data DIR] [--signals]`: whether the tool that a query needs is among the first 1, 3, 5 that are found
 * (METRICS 3), beside plain BM25 over the same texts; no model. Weights are fitted on queries whose hash is even, so the odd half
 * is shown too. `tokens`: what all definitions cost, and what stands in their place. `--signals`: also without each in turn.
 */
export async function runToolSearch(args: readonly string[]): Promise<object | string> {
  const data = dataIn(
    "toolsearch",
    args.filter((arg) => arg !== "--signals"),
  );
  const sets = await toolSetsIn(data).catch((error: unknown) =>
    refused("toolsearch", error instanceof Error ? error.message : String(error)),
  );
  for (const { name, skipped } of sets)
    for (const why of skipped) process.stderr.write(`bench toolsearch: ${name}: ${why}\n`);
  const rows = sets.map((set) => ({
    ...measuredTools(set),
    ...(args.includes("--signals") ? { signals: withoutEach(set) } : {}),
  }));
  return args.includes("--json") ? { sets: rows } : toolSearchTables({ sets: rows });
}

type Recall = { readonly at1: number; readonly at3: number; readonly at5: number };

type Halved = { readonly queries: number } & Partial<Recall>;

type SetRow = Recall & {
  readonly name: string;
  readonly tools: number;
  readonly queries: number;
  readonly even: Halved;
  readonly odd: Halved;
  readonly bm25: Recall;
  readonly indexMs: number;
  readonly ms: { readonly p50: number; readonly p95: number };
  readonly tokens: { readonly full: number; readonly deferred: number };
};

export function measuredTools(set: ToolSet): SetRow {
  const index = toolIndex(set.tools);
  // The first search makes the index.
  const { ms: indexMs } = timed(() => index.search("what is there", 1));
  const times: number[] = [];
  const found = foundBy(set.queries, (query) => {
    const { value, ms } = timed(() => index.search(query, shownMax));
    times.push(ms);
    return value.hits.map(({ tool }) => tool);
  });
  return {
    name: set.name,
    tools: set.tools.length,
    queries: set.queries.length,
    ...recallOf(found),
    ...halvesOf(found),
    bm25: recallOf(foundBy(set.queries, plainRanking(set.tools.map(asText)))),
    indexMs: tenths(indexMs),
    ms: { p50: tenths(percentile(times, 0.5)), p95: tenths(percentile(times, 0.95)) },
    tokens: definitionTokens(set.tools),
  };
}

/** Processor time, of all threads: how long others kept it waiting says nothing of a search. */
function timed<T>(run: () => T): { readonly value: T; readonly ms: number } {
  const began = process.cpuUsage();
  const value = run();
  const { user, system } = process.cpuUsage(began);
  return { value, ms: (user + system) / 1000 };
}

const shownMax = 5;

/** The same texts as ours. */
function asText({ tool, title, description, parameters, instructions }: Searchable) {
  const text = `${description}\n${parameters}\n${instructions}`;
  return { id: tool, doc: tool, place: 0, title: `${tool} ${title}`, text };
}

/** `at`: where each of the wanted tools stands; none: beyond any place. */
type Found = { readonly query: string; readonly at: readonly number[] };

function foundBy(queries: readonly ToolQuery[], ranking: (query: string) => readonly string[]): readonly Found[] {
  return queries.map(({ query, gold }) => {
    const ranked = ranking(query);
    return {
      query,
      at: gold.map((tool) => ranked.indexOf(tool)).map((at) => (at < 0 ? Number.POSITIVE_INFINITY : at)),
    };
  });
}

function recallOf(found: readonly Found[]): Recall {
  const within = (count: number) => {
    const shares = found.map(({ at }) => at.filter((place) => place < count).length / at.length);
    return tenths((100 * shares.reduce((sum, share) => sum + share, 0)) / Math.max(1, shares.length));
  };
  return { at1: within(1), at3: within(3), at5: within(5) };
}

function halvesOf(found: readonly Found[]): Pick<SetRow, "even" | "odd"> {
  const isEven = ({ query }: Found) => Number.parseInt(hashOf(query).slice(0, 2), 16) % 2 === 0;
  const half = (list: readonly Found[]): Halved => ({
    queries: list.length,
    ...(list.length === 0 ? {} : recallOf(list)),
  });
  return { even: half(found.filter(isEven)), odd: half(found.filter((one) => !isEven(one))) };
}

type Signal = { readonly without: string } & Recall & Pick<SetRow, "even" | "odd">;

function withoutEach(set: ToolSet): readonly Signal[] {
  const each = Object.keys(toolWeights).map((name) => ({ name, weights: { ...toolWeights, [name]: 0 } }));
  return each.map(({ name, weights }) => {
    const found = foundBy(set.queries, rankingWith(set.tools, weights));
    return { without: name, ...recallOf(found), ...halvesOf(found) };
  });
}

function rankingWith(tools: readonly Searchable[], weights: ToolWeights): (query: string) => readonly string[] {
  const ranking = toolRanking(tools, weights);
  return (query) => ranking(query).flatMap(({ tool }) => tools[tool]?.tool ?? []);
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
