import { bounds } from "../kernel/bounds.ts";
import { stemOf } from "../memory/retrieval-stem.ts";
import { type AskedTool, type AskedWord, askedTool } from "./tool-search-asked.ts";
import type { Searchable } from "./tool-search-fields.ts";
import { askedRuns, type Postings, postingsOf, type ToolPostings } from "./tool-search-index.ts";
import { type ToolWeights, toolWeights } from "./tool-search-weights.ts";

/** `tool`: its place in the list. */
type RankedTool = { readonly tool: number; readonly score: number };

/** Ranks tools for a query, best first; those that hold nothing of it are left out. */
export function toolRanking(
  tools: readonly Searchable[],
  weights: ToolWeights = toolWeights,
): (query: string) => readonly RankedTool[] {
  const all = postingsOf(tools, weights);
  return (query) => ranked(askedTool(query.slice(0, bounds.questionCharsMax), weights), all, weights);
}

function ranked(asked: AskedTool, all: ToolPostings, weights: ToolWeights): readonly RankedTool[] {
  const words = shareOfWords(asked.words, all, weights);
  const runs = shareHeld(asked.runs, askedRuns(asked.runs, all), all.size, all.runsLonger);
  const pairs = shareHeld(asked.pairs, all.pairs, all.size);
  const named = namedIn(asked, weights);
  const alike = [...runs.held].filter(([, held]) => held >= runsAloneMin * asked.runs.length).map(([tool]) => tool);
  const scored = [...new Set([...words.tells, ...alike])].map((tool) => ({
    tool,
    score:
      (words.shares.get(tool) ?? 0) +
      weights.runs * (runs.shares.get(tool) ?? 0) +
      weights.pairs * (pairs.shares.get(tool) ?? 0) +
      weights.covered * coveredShare(tool, all, named) +
      weights.action * agreement(asked.action, all.actions[tool] ?? null),
  }));
  return fitting(scored.toSorted((a, b) => b.score - a.score || a.tool - b.tool));
}

/** A tool that shares only a stray word with the query does not fit, nor one that fits far worse than the best. */
function fitting(ranking: readonly RankedTool[]): readonly RankedTool[] {
  const least = Math.max(scoreMin, scoreShareMin * (ranking[0]?.score ?? 0));
  return ranking.filter(({ score }) => score >= least);
}

const scoreMin = 0.08;
const scoreShareMin = 0.35;

/** How much of how the query is written a tool needs that holds no word of it, as after a slip of the pen. */
const runsAloneMin = 0.3;

type WordShares = { readonly shares: ReadonlyMap<number, number>; readonly tells: ReadonlySet<number> };

/** Which share of the words each tool holds, the rare counting more, each further time less. */
function shareOfWords(words: readonly AskedWord[], all: ToolPostings, weights: ToolWeights): WordShares {
  const sums = new Map<number, number>();
  const tells = new Set<number>();
  let most = 0;
  for (const word of words) {
    const own = rarityIn(all.words, word.stem, all.size);
    most += word.weight * own;
    for (const [tool, share] of bestShares(word, own, all, weights)) {
      sums.set(tool, (sums.get(tool) ?? 0) + word.weight * share);
      if (word.tells) tells.add(tool);
    }
  }
  return { shares: new Map([...sums].map(([tool, sum]) => [tool, sum / most])), tells };
}

/** By the word itself or the best of those like it: saying it twice in other words is not saying more. */
function bestShares(
  { stem, others }: AskedWord,
  own: number,
  all: ToolPostings,
  weights: ToolWeights,
): ReadonlyMap<number, number> {
  const best = new Map<number, number>();
  for (const term of [stem, ...others]) {
    const held = all.words.get(term);
    if (held === undefined) continue;
    const worth = term === stem ? own : weights.related * Math.min(own, rarityIn(all.words, term, all.size));
    held.tools.forEach((tool, at) => {
      const count = held.counts[at] ?? 0;
      best.set(tool, Math.max(best.get(tool) ?? 0, (worth * count) / (count + saturation)));
    });
  }
  return best;
}

const saturation = 1.2;

/** `held`: how many of the terms each tool holds, where it holds any. */
type HeldShares = { readonly shares: ReadonlyMap<number, number>; readonly held: ReadonlyMap<number, number> };

function shareHeld<T>(
  terms: readonly T[],
  postings: Postings<T>,
  size: number,
  longer: readonly number[] = [],
): HeldShares {
  const sums = new Map<number, number>();
  const held = new Map<number, number>();
  let most = 0;
  for (const term of terms) {
    const holders = postings.get(term);
    const rarity = rarityIn(postings, term, size);
    most += holders === undefined ? unknownRarity : rarity;
    holders?.tools.forEach((tool, at) => {
      const count = (holders.counts[at] ?? 0) / (longer[tool] ?? 1);
      sums.set(tool, (sums.get(tool) ?? 0) + (rarity * count) / (count + saturation));
      held.set(tool, (held.get(tool) ?? 0) + 1);
    });
  }
  return { shares: new Map([...sums].map(([tool, sum]) => [tool, sum / Math.max(1, most)])), held };
}

/** What no tool holds says little about which one is meant. */
const unknownRarity = 1;

function rarityIn<T>(postings: Postings<T>, term: T, size: number): number {
  const held = postings.get(term)?.tools.length ?? 0;
  return Math.log(1 + (size - held + 0.5) / (held + 0.5));
}

/** What was asked, as names may say it. */
function namedIn({ words, pairs }: AskedTool, weights: ToolWeights): ReadonlyMap<string, number> {
  const named = new Map<string, number>(pairs.map((pair) => [stemOf(pair), 1]));
  const put = (stem: string, share: number) => named.set(stem, Math.max(named.get(stem) ?? 0, share));
  for (const { stem, weight, others } of words) {
    put(stem, weight);
    for (const other of others) put(other, weight * weights.related);
  }
  return named;
}

/** Short names do not win by being short: all but the rarest are taken to have words that nobody asked for. */
function coveredShare(tool: number, all: ToolPostings, named: ReadonlyMap<string, number>): number {
  let [held, whole] = [0, restOfNames];
  for (const stem of all.names[tool] ?? []) {
    const rarity = rarityIn(all.words, stem, all.size);
    whole += rarity;
    held += rarity * (named.get(stem) ?? 0);
  }
  return held / whole;
}

const restOfNames = 4;

function agreement(asked: AskedTool["action"], action: AskedTool["action"]): number {
  if (asked === null || action === null) return 0;
  return asked === action ? 1 : -1;
}
