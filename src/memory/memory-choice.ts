import { bounds } from "../kernel/bounds.ts";
import { madeOnce } from "../kernel/once.ts";
import type { MemoryFile } from "./memory-file.ts";
import { weightOf } from "./memory-words.ts";
import { termsOf } from "./retrieval-terms.ts";

export type Fitting = { readonly memory: MemoryFile; readonly score: number };

/**
 * The few memories that bear on a message, best first; none is a good answer. By its words alone: how rare those are among the
 * memories that share them (BM25), and where they stand (name, description, headings, body).
 */
export function fittingMemories(message: string, memories: readonly MemoryFile[]): readonly Fitting[] {
  if (memories.length === 0) return [];
  const charsMax = Math.min(bodyCharsMax, Math.floor(bounds.memoryWeighedCharsMax / memories.length));
  const texts = memories.map((memory) => ({ memory, terms: termsOfMemory(memory, () => weighed(memory, charsMax)) }));
  const found = new Map<MemoryFile, number>();
  for (const part of partsOf(message))
    for (const { memory, score } of fittingTo(part, texts)) found.set(memory, Math.max(score, found.get(memory) ?? 0));
  const best = Math.max(0, ...found.values());
  return [...found]
    .map(([memory, score]) => ({ memory, score }))
    .filter(({ score }) => score >= best * shareOfBestMin)
    .sort((a, b) => b.score - a.score || b.memory.writtenMs - a.memory.writtenMs)
    .slice(0, bounds.memoriesPerTurnMax);
}

/** What somebody asks stands before or behind what he pastes, so the first and the last paragraph of a long message count alone too. */
function partsOf(message: string): readonly string[] {
  const text = message.trim();
  const paragraphs = text.split(/\n[ \t\r]*\n/);
  const ends = text.length > shortCharsMax ? [paragraphs[0] ?? "", paragraphs.at(-1) ?? ""] : [];
  return [...new Set([text.slice(0, messageCharsMax), ...ends.map((part) => part.slice(0, messageCharsMax))])];
}

const shortCharsMax = 300;
/** Of a message with a log piped in, the beginning says what it is about. */
const messageCharsMax = 8_000;

type Weighed = { readonly memory: MemoryFile; readonly terms: MemoryTerms };

/** `score`: 1 is the least that counts. The more words there are, the more are met by chance, so the more is asked for. */
function fittingTo(text: string, texts: readonly Weighed[]): readonly Fitting[] {
  const terms = [...new Set(termsOf(text))];
  const weights = terms.map((term) => ({ term, weight: weightOf(term) })).filter(({ weight }) => weight > 0);
  const mean = texts.reduce((sum, one) => sum + one.terms.length, 0) / texts.length;
  const asked = weights.map(({ term, weight }) => {
    const held = texts.filter((one) => one.terms.counts.has(term)).length;
    return { term, weight: weight * rarityOf(held, texts.length), size: sizeOf(term) };
  });
  const words = asked.reduce((sum, { size }) => sum + size, 0);
  const floor = scoreMin + scorePerFold * Math.log(Math.max(1, words / fewWords));
  const scored = texts.map(({ memory, terms: own }) => ({ memory, score: scoreOf(asked, own, mean) / floor }));
  return scored.filter(({ score }) => score >= 1);
}

/** `size`: of how much of the message it speaks, in words. */
type Asked = { readonly term: string; readonly weight: number; readonly size: number };
type MemoryTerms = {
  readonly counts: ReadonlyMap<string, number>;
  /** Terms of the name, the description and the headings: what the memory is about. */
  readonly about: ReadonlySet<string>;
  readonly length: number;
};

/** A memory is about it, or says it together with something else that was asked: one word in passing is no match. */
function scoreOf(asked: readonly Asked[], { counts, about, length }: MemoryTerms, mean: number): number {
  const longer = saturation * (1 - lengthShare + (lengthShare * length) / Math.max(1, mean));
  let score = 0;
  let met = 0;
  let metWeight = 0;
  let missedWeight = 0;
  let isAbout = false;
  for (const { term, weight, size } of asked) {
    const count = counts.get(term) ?? 0;
    if (count === 0) {
      missedWeight += weight * size;
      continue;
    }
    score += (weight * (saturation + 1) * count) / (count + longer);
    met += 1;
    metWeight += weight;
    isAbout ||= about.has(term);
  }
  if (met < 2 && !isAbout) return 0;
  return score * (partlyMet + ((1 - partlyMet) * metWeight) / (metWeight + missedWeight));
}

/** Where no blanks stand between words, neighbours overlap, and every second pair is the end of one word and the start of another. */
function sizeOf(term: string): number {
  return /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/v.test(term) ? pairSize : 1;
}

const pairSize = 0.5;

/** What is left of the score of a memory that meets hardly anything of what was asked. */
const partlyMet = 0.65;

const saturation = 1.2;
const lengthShare = 0.5;

/** As if there were more memories than there are: among three, a word in one of them is no rare word yet. */
function rarityOf(held: number, all: number): number {
  const total = Math.max(all, memoriesAssumed);
  return Math.log(1 + (total - held + 0.5) / (held + 0.5));
}

const memoriesAssumed = 30;

/** Fitted on the even rows of the fixtures in test/memory/recall-rows.ts; the odd rows are the check. */
const scoreMin = 3.6;
const fewWords = 8;
const scorePerFold = 3;
const shareOfBestMin = 0.5;

const termsOfMemory = madeOnce<MemoryFile, MemoryTerms>();

/** What a memory is about stands at its beginning; of many, less of each is read. */
const bodyCharsMax = 8_000;

function weighed({ name, file, description, body: whole }: MemoryFile, charsMax: number): MemoryTerms {
  const body = whole.slice(0, charsMax);
  const headings = body.match(/^#{1,6}[ \t].*$/gm) ?? [];
  const fields = [
    { text: `${name} ${file.replace(/\.md$/i, "")}`, weight: nameWeight },
    { text: description, weight: descriptionWeight },
    { text: headings.join("\n"), weight: headingWeight },
    { text: body, weight: 1 },
  ];
  const counts = new Map<string, number>();
  const about = new Set<string>();
  let length = 0;
  for (const { text, weight } of fields) {
    for (const term of termsOf(text)) {
      counts.set(term, (counts.get(term) ?? 0) + weight);
      if (weight > 1) about.add(term);
      length += 1;
    }
  }
  return { counts, about, length };
}

const nameWeight = 2.5;
const descriptionWeight = 2;
const headingWeight = 1.5;
