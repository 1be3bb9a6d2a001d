import { rememberedStems } from "../memory/retrieval-terms.ts";
import { type Searchable, type ToolWords, toolWordsOf } from "./tool-search-fields.ts";
import { type Run, runsOf } from "./tool-search-runs.ts";
import type { ToolWeights } from "./tool-search-weights.ts";
import type { Action } from "./tool-search-words.ts";

/** Who holds a term: the tools, in the order of the list, and beside each how much it counts there. */
type Holders = { readonly tools: readonly number[]; readonly counts: readonly number[] };

export type Postings<T> = ReadonlyMap<T, Holders>;

/** Those of each place it has words at. */
type ToolRuns = readonly (readonly Run[])[];

/** Tools by what they hold; each is a number, its place in the list. */
export type ToolPostings = {
  readonly size: number;
  /** Stems of words. */
  readonly words: Postings<string>;
  /** Two neighbours written together, and the parts of names, as they are written. */
  readonly pairs: Postings<string>;
  /** Runs of characters in each tool. */
  readonly runs: readonly ToolRuns[];
  /** By how much each tool has more runs than most: they count less by it. */
  readonly runsLonger: readonly number[];
  /** The stems of each tool's own name. */
  readonly names: readonly ReadonlySet<string>[];
  readonly actions: readonly (Action | null)[];
};

export function postingsOf(tools: readonly Searchable[], weights: ToolWeights): ToolPostings {
  const terms = tools.map(termsOf);
  const [all, runs] = [terms.map((own) => own.words), terms.map((own) => own.runs)];
  const stem = rememberedStems();
  return {
    size: tools.length,
    words: wordPostings(all, weights, stem),
    pairs: pairPostings(all, weights),
    runs,
    runsLonger: longerThanMost(runs),
    names: all.map(({ fields }) => new Set(fields.name.map((word) => stem(word)))),
    actions: all.map(({ action }) => action),
  };
}

type ToolTerms = { readonly words: ToolWords; readonly runs: ToolRuns };

/** Where a catalogue changes, most of its tools are those of before. */
const known = new WeakMap<Searchable, ToolTerms>();

function termsOf(tool: Searchable): ToolTerms {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const words = toolWordsOf(tool);
  const terms = { words, runs: runsIn(words) };
  known.set(tool, terms);
  return terms;
}

/** BM25 over fields: a word counts by its place, and less where that place is longer than usual. */
function wordPostings(
  all: readonly ToolWords[],
  weights: ToolWeights,
  stem: (word: string) => string,
): Postings<string> {
  const counted = fieldNames.map((field) => ({
    field,
    weight: weights[field],
    lengthShare: lengthShares[field],
    mean: meanOf(all.map(({ fields }) => fields[field].length)),
  }));
  const { postings, count } = counting<string>((before, more) => before + more);
  all.forEach(({ fields }, tool) => {
    for (const { field, weight, lengthShare, mean } of counted) {
      const each = weight / (1 - lengthShare + (lengthShare * fields[field].length) / mean);
      if (each > 0) for (const word of fields[field]) count(stem(word), tool, each);
    }
  });
  return postings;
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

function pairPostings(all: readonly ToolWords[], weights: ToolWeights): Postings<string> {
  const { postings, count } = counting<string>((_, last) => last);
  all.forEach(({ fields }, tool) => {
    for (const words of [fields.description, fields.title])
      for (const pair of pairsOf(words)) count(pair, tool, weights.description);
    for (const one of [...pairsOf(fields.name), ...fields.name]) count(one, tool, weights.name);
  });
  return postings;
}

export function pairsOf(words: readonly string[]): readonly string[] {
  return words.slice(1).map((word, at) => `${words[at] ?? ""}${word}`);
}

function runsIn({ fields }: ToolWords): ToolRuns {
  const places = [fields.name, fields.title, fields.description, fields.parameters, fields.parameterWords];
  return places.map(runsOf);
}

/**
 * Of the few runs that were asked for. A catalogue has hundreds of thousands: to find these among them takes a few milliseconds,
 * to keep them all by run would take most of the time of the first search.
 */
export function askedRuns(asked: readonly Run[], all: ToolPostings): Postings<Run> {
  const wanted = new Set(asked);
  const { postings, count } = counting<Run>((before, more) => before + more);
  all.runs.forEach((own, tool) => {
    for (const place of own) for (const run of place) if (wanted.has(run)) count(run, tool, 1);
  });
  return postings;
}

function longerThanMost(all: readonly ToolRuns[]): readonly number[] {
  const lengths = all.map((own) => own.reduce((sum, { length }) => sum + length, 0));
  const mean = meanOf(lengths);
  return lengths.map((length) => 1 - runLengthShare + (runLengthShare * length) / mean);
}

const runLengthShare = 0.75;

/**
 * Counts terms tool by tool, in the order of the list. There are far more terms than tools and most stand in a single one: two
 * short lists for each are made in a third of the time that a map takes.
 */
function counting<T>(together: (before: number, now: number) => number): {
  readonly postings: ReadonlyMap<T, Counted>;
  readonly count: (term: T, tool: number, count: number) => void;
} {
  const postings = new Map<T, Counted>();
  return {
    postings,
    count: (term, tool, count) => {
      const held = postings.get(term);
      if (held === undefined) {
        postings.set(term, { tools: [tool], counts: [count] });
        return;
      }
      const last = held.tools.length - 1;
      if (held.tools[last] === tool) held.counts[last] = together(held.counts[last] ?? 0, count);
      else {
        held.tools.push(tool);
        held.counts.push(count);
      }
    },
  };
}

type Counted = { readonly tools: number[]; readonly counts: number[] };

function meanOf(values: readonly number[]): number {
  return Math.max(1, values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
}
