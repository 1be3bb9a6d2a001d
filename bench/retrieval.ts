import { hashOf } from "../src/kernel/hash.ts";
import { type Prepared, prepared, rank } from "../src/memory/retrieval.ts";
import { type RankWeights, rankWeights } from "../src/memory/retrieval-weights.ts";
import { dataIn, refused } from "./data-args.ts";
import { type Query, type RetrievalSet, retrievalSetsIn } from "./retrieval-data.ts";
import { plainRanking } from "./retrieval-plain.ts";
import { retrievalTables } from "./retrieval-table.ts";
import { percentile } from "./timing.ts";

/**
 * `bench retrieval [--data DIR] [--signals]`: whether the chunks that answer a question are among the first 5, 10, 20 (METRICS 4),
 * beside plain BM25; no model. Weights are fitted on queries whose hash is even, so the odd half is shown too. `--signals`:
 * also without each signal in turn.
 */
export async function runRetrieval(args: readonly string[]): Promise<object | string> {
  const data = dataIn(
    "retrieval",
    args.filter((arg) => arg !== "--signals"),
  );
  const sets = await retrievalSetsIn(data).catch((error: unknown) =>
    refused("retrieval", error instanceof Error ? error.message : String(error)),
  );
  for (const { name, skipped } of sets)
    for (const why of skipped) process.stderr.write(`bench retrieval: ${name}: ${why}\n`);
  const rows = sets.map((set) => ({
    ...measured(set),
    ...(args.includes("--signals") ? { signals: withoutEach(set) } : {}),
  }));
  return args.includes("--json") ? { sets: rows } : retrievalTables({ sets: rows });
}

type Recall = { readonly "5": number; readonly "10": number; readonly "20": number };

type SetRow = {
  readonly name: string;
  /** Chunks. */
  readonly docs: number;
  readonly queries: number;
  readonly recall: Recall;
  readonly even: Halved;
  readonly odd: Halved;
  readonly bm25: Recall;
  readonly indexMs: number;
  readonly queryMs: { readonly p50: number; readonly p95: number };
};

type Halved = { readonly queries: number; readonly recall: Recall | null };

export function measured(set: RetrievalSet): SetRow {
  const began = performance.now();
  const all = prepared(set.chunks);
  const indexMs = performance.now() - began;
  const times: number[] = [];
  const ranking = (query: string) => {
    const asked = performance.now();
    const ranked = rank(query, all).map(({ id }) => id);
    times.push(performance.now() - asked);
    return ranked;
  };
  const found = set.queries.map((query) => ({ query, at: placesOf(query, ranking(query.query)) }));
  const plain = plainRanking(set.chunks);
  return {
    name: set.name,
    docs: set.chunks.length,
    queries: set.queries.length,
    recall: recallOf(found),
    ...halvesOf(found),
    bm25: recallOf(set.queries.map((query) => ({ query, at: placesOf(query, plain(query.query)) }))),
    indexMs: tenths(indexMs),
    queryMs: { p50: tenths(percentile(times, 0.5)), p95: tenths(percentile(times, 0.95)) },
  };
}

/** Where each of the answers stands; none: beyond any place. */
type Found = { readonly query: Query; readonly at: readonly number[] };

function placesOf({ gold }: Query, ranked: readonly string[]): readonly number[] {
  return gold.map((id) => ranked.indexOf(id)).map((at) => (at < 0 ? Number.POSITIVE_INFINITY : at));
}

function recallOf(found: readonly Found[]): Recall {
  const within = (count: number) => {
    const shares = found.map(({ at }) => at.filter((place) => place < count).length / at.length);
    return tenths((100 * shares.reduce((sum, share) => sum + share, 0)) / Math.max(1, shares.length));
  };
  return { "5": within(5), "10": within(10), "20": within(20) };
}

function halvesOf(found: readonly Found[]): Pick<SetRow, "even" | "odd"> {
  const isEven = ({ query }: Found) => Number.parseInt(hashOf(query.query).slice(0, 2), 16) % 2 === 0;
  const half = (list: readonly Found[]): Halved => ({
    queries: list.length,
    recall: list.length === 0 ? null : recallOf(list),
  });
  return { even: half(found.filter(isEven)), odd: half(found.filter((one) => !isEven(one))) };
}

type Signal = { readonly without: string } & Pick<SetRow, "recall" | "even" | "odd">;

function withoutEach(set: RetrievalSet): readonly Signal[] {
  const all = prepared(set.chunks);
  const none = Object.fromEntries(Object.keys(rankWeights).map((name) => [name, 0]));
  const each = Object.keys(rankWeights).map((name) => ({ name, weights: { ...rankWeights, [name]: 0 } }));
  return [{ name: "all of these", weights: { ...rankWeights, ...none } }, ...each].map(({ name, weights }) => {
    const found = foundWith(set.queries, all, weights);
    return { without: name, recall: recallOf(found), ...halvesOf(found) };
  });
}

function foundWith(queries: readonly Query[], all: Prepared, weights: RankWeights): readonly Found[] {
  return queries.map((query) => ({
    query,
    at: placesOf(
      query,
      rank(query.query, all, weights).map(({ id }) => id),
    ),
  }));
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
