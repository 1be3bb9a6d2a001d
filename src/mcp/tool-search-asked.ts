import { weightOf } from "../memory/memory-words.ts";
import { stemOf } from "../memory/retrieval-stem.ts";
import { partsOf } from "./tool-search-fields.ts";
import { pairsOf } from "./tool-search-index.ts";
import { type Run, runsOf } from "./tool-search-runs.ts";
import { shapesIn } from "./tool-search-shapes.ts";
import type { ToolWeights } from "./tool-search-weights.ts";
import { type Action, actionAsked, alikeTo, isActionWord, isWeakWord } from "./tool-search-words.ts";

/** A word of the query; `weight`: what it says; `others`: words that mean about the same. All stems. */
export type AskedWord = {
  readonly stem: string;
  readonly weight: number;
  readonly others: readonly string[];
  /** Whether a tool that holds it holds something of what was asked. */
  readonly tells: boolean;
};

export type AskedTool = {
  readonly words: readonly AskedWord[];
  readonly pairs: readonly string[];
  readonly runs: readonly Run[];
  readonly action: Action | null;
};

export function askedTool(query: string, weights: ToolWeights): AskedTool {
  const parts = partsOf(query);
  const telling = parts.filter((part) => says(part) || isActionWord(stemOf(part)));
  const words = saidWords(query, parts);
  const shaped = shapesIn(query).filter((stem) => !words.some((word) => word.stem === stem));
  return {
    words: [
      ...words,
      ...[...new Set(shaped)].map((stem) => ({ stem, weight: weights.shapes, others: [], tells: false })),
    ],
    pairs: pairsOf(parts).filter((_, at) => saysPair(parts[at] ?? "", parts[at + 1] ?? "")),
    runs: [...new Set(runsOf(telling))],
    action: actionAsked(parts),
  };
}

function saidWords(query: string, parts: readonly string[]): readonly AskedWord[] {
  const outside = new Set(partsOf(query.replaceAll(hole, " ")));
  const weights = new Map<string, number>();
  for (const part of parts) {
    const weight = weightIn(part) * (outside.has(part) ? 1 : holeWeight);
    weights.set(stemOf(part), Math.max(weight, weights.get(stemOf(part)) ?? 0));
  }
  return [...weights].map(([stem, weight]) => ({ stem, weight, others: alikeTo(stem), tells: weight > weakWeight }));
}

/** `<vault_name>`, `{id}`: what somebody has yet to fill in. */
const hole = /<[\w\s-]{1,60}>|\{[\w\s-]{1,60}\}/g;
const holeWeight = 0.6;

/** A word of any sentence says next to nothing, one of whoever asks little, and what is to be done all: tools differ by it. */
function weightIn(part: string): number {
  const stem = stemOf(part);
  if (isActionWord(stem)) return 1;
  if (!says(part)) return emptyWeight;
  if (/^\p{N}+$/u.test(part) || isWeakWord(stem)) return weakWeight;
  return weightOf(part) < 1 ? commonWeight : 1;
}

const emptyWeight = 0.05;
const weakWeight = 0.3;
const commonWeight = 0.7;

/** "go" is in any sentence, and it is what somebody wants who needs to navigate. */
function says(part: string): boolean {
  return weightOf(part) > 0 || alikeTo(stemOf(part)).length > 0;
}

function saysPair(first: string, second: string): boolean {
  return says(second) && (says(first) || isActionWord(stemOf(first)));
}
