import { rememberedStems } from "../memory/retrieval-terms.ts";
import { type Searchable, type ToolWords, toolWordsOf } from "./tool-search-fields.ts";
import type { ToolWeights } from "./tool-search-weights.ts";
import type { Action } from "./tool-search-words.ts";

/** Which tools hold something, and how much it counts there. */
type Postings = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Tools by what they hold; each is a number, its place in the list. */
export type ToolPostings = {
  readonly size: number;
  /** Stems of words. */
  readonly words: Postings;
  /** Two neighbours written together, and the parts of names, as they are written. */
  readonly pairs: Postings;
  /** Runs of characters. */
  readonly runs: Postings;
  /** The stems of each tool's own name. */
  readonly names: readonly ReadonlySet<string>[];
  readonly actions: readonly (Action | null)[];
};

export function postingsOf(tools: readonly Searchable[], weights: ToolWeights): ToolPostings {
  const all = tools.map(toolWordsOf);
  const stem = rememberedStems();
  return {
    size: tools.length,
    words: byTerm(wordCounts(all, weights, stem)),
    pairs: byTerm(all.map((one) => pairCounts(one, weights))),
    runs: byTerm(runCounts(all)),
    names: all.map(({ fields }) => new Set(fields.name.map((word) => stem(word)))),
    actions: all.map(({ action }) => action),
  };
}

type Counts = ReadonlyMap<string, number>;

function byTerm(all: readonly Counts[]): Postings {
  const postings = new Map<string, Map<number, number>>();
  all.forEach((counts, tool) => {
    for (const [term, count] of counts) {
      const held = postings.get(term) ?? new Map<number, number>();
      held.set(tool, count);
      postings.set(term, held);
    }
  });
  return postings;
}

/** BM25 over fields: a word counts by its place, and less where that place is longer than usual. */
function wordCounts(
  all: readonly ToolWords[],
  weights: ToolWeights,
  stem: (word: string) => string,
): readonly Counts[] {
  const counted = fieldNames.map((field) => ({
    field,
    weight: weights[field],
    lengthShare: lengthShares[field],
    mean: meanOf(all.map(({ fields }) => fields[field].length)),
  }));
  return all.map(({ fields }) => {
    const counts = new Map<string, number>();
    for (const { field, weight, lengthShare, mean } of counted) {
      const each = weight / (1 - lengthShare + (lengthShare * fields[field].length) / mean);
      if (each > 0) for (const word of fields[field]) add(counts, stem(word), each);
    }
    return counts;
  });
}

type Field = keyof ToolWords["fields"];

const fieldNames: readonly Field[] = ["name", "title", "description", "parameters", "parameterWords", "server"];
const lengthShares: Readonly<Record<Field, number>> = {
  name: 0.3,
  title: 0.3,
  description: 0.6,
  parameters: 0.5,
  parameterWords: 0.5,
  server: 0.3,
};

function pairCounts({ fields }: ToolWords, weights: ToolWeights): Counts {
  const counts = new Map<string, number>();
  for (const words of [fields.description, fields.title])
    for (const pair of pairsOf(words)) counts.set(pair, weights.description);
  for (const one of [...pairsOf(fields.name), ...fields.name]) counts.set(one, weights.name);
  return counts;
}

export function pairsOf(words: readonly string[]): readonly string[] {
  return words.slice(1).map((word, at) => `${words[at] ?? ""}${word}`);
}

function runCounts(all: readonly ToolWords[]): readonly Counts[] {
  const counted = all.map(({ fields }) => {
    const places = [fields.name, fields.title, fields.description, fields.parameters, fields.parameterWords];
    const counts = new Map<string, number>();
    for (const run of places.flatMap(runsOf)) add(counts, run, 1);
    return counts;
  });
  const lengths = counted.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const mean = meanOf(lengths);
  return counted.map((counts, at) => {
    const longer = 1 - runLengthShare + (runLengthShare * (lengths[at] ?? 0)) / mean;
    return new Map([...counts].map(([run, count]) => [run, count / longer]));
  });
}

const runLengthShare = 0.75;

/** Each few neighbouring characters of words written together; none of languages whose words are pairs of characters already. */
export function runsOf(words: readonly string[]): readonly string[] {
  const text = words.filter((word) => !unspacedPair.test(word)).join("");
  return Array.from({ length: Math.max(0, text.length - runChars + 1) }, (_, at) => text.slice(at, at + runChars));
}

const runChars = 4;
const unspacedPair = /^[^\0-\x7f]{1,2}$/;

function add(counts: Map<string, number>, term: string, count: number): void {
  counts.set(term, (counts.get(term) ?? 0) + count);
}

function meanOf(values: readonly number[]): number {
  return Math.max(1, values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
}
