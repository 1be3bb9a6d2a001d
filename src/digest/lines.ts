import { bounds } from "../kernel/bounds.ts";
import type { Lines } from "./line-index.ts";
import { charsOf, cutBefore } from "./text.ts";

/** A line that is shown: as it is, or with its middle left out from character `cutAt` on. */
export type Shown = { readonly index: number; readonly text: string; readonly cutAt: number | null };

export type Choice = {
  readonly lines: Lines;
  readonly tokensMax: number;
  /** Parts of the budget; what they do not use goes to the end of the text. */
  readonly headShare: number;
  readonly failureShare: number;
  /** Lines that report a failure, the ones most worth keeping first. */
  readonly failures: readonly number[];
  readonly costOf: (text: string) => number;
};

/** The beginning, the failures between, the end: in order, within the budget. The notes for gaps are paid for too. */
export function chooseLines(choice: Choice): readonly Shown[] {
  const { lines, tokensMax } = choice;
  const kept = new Map<number, Shown>();
  const headBudget = lines.count === 1 ? tokensMax : tokensMax * choice.headShare;
  let left = tokensMax - gapTokens;
  left -= keepRun(choice, kept, { from: 0, step: 1, budget: Math.min(headBudget, left) });
  left -= keepFailures(choice, kept, Math.min(tokensMax * choice.failureShare, left));
  keepRun(choice, kept, { from: lines.count - 1, step: -1, budget: left });
  return [...kept.values()].sort((a, b) => a.index - b.index);
}

/** What a note of a gap costs at most. */
const gapTokens = 24;
/** Less than this of a line tells nothing. */
const partTokensMin = 60;
/** Lines behind a failure that are kept with it: the place, the values, the caret. */
const linesBehindFailure = 2;

function keepRun(
  choice: Choice,
  kept: Map<number, Shown>,
  run: { from: number; step: 1 | -1; budget: number },
): number {
  let used = 0;
  for (let index = run.from; index >= 0 && index < choice.lines.count; index += run.step) {
    if (kept.has(index)) {
      if (run.step === -1 && index < kept.size) break;
      continue;
    }
    const cost = keepLine(choice, kept, index, run.budget - used);
    if (cost === null) break;
    used += cost;
  }
  return used;
}

function keepFailures(choice: Choice, kept: Map<number, Shown>, budget: number): number {
  let used = 0;
  for (const failure of choice.failures) {
    for (let index = failure; index <= failure + linesBehindFailure && index < choice.lines.count; index++) {
      if (kept.has(index)) continue;
      const gap = kept.has(index - 1) ? 0 : gapTokens;
      const cost = keepLine(choice, kept, index, budget - used - gap);
      if (cost === null && index === failure) return used;
      used += cost === null ? 0 : cost + gap;
    }
  }
  return used;
}

/** Keeps the line, or as much of it as the budget allows; null when that is too little. */
function keepLine(choice: Choice, kept: Map<number, Shown>, index: number, budget: number): number | null {
  const line = choice.lines.at(index);
  if (line.length <= bounds.lineCharsMax) {
    const cost = choice.costOf(line) + 1;
    if (cost <= budget) {
      kept.set(index, { index, text: line, cutAt: null });
      return cost;
    }
  }
  if (budget < partTokensMin || line.length < partTokensMin) return null;
  const shown = cutLine(line, index, budget - gapTokens, choice.costOf);
  if (shown === null) return null;
  kept.set(index, shown);
  return choice.costOf(shown.text) + 1;
}

function cutLine(line: string, index: number, budget: number, costOf: (text: string) => number): Shown | null {
  for (let length: number = bounds.lineCharsMax; length >= partTokensMin; length = Math.floor(length * 0.75)) {
    const shown = withoutMiddle(line, index, Math.min(length, line.length));
    if (shown !== null && costOf(shown.text) <= budget) return shown;
  }
  return null;
}

function withoutMiddle(line: string, index: number, length: number): Shown | null {
  const headEnd = cutBefore(line, Math.ceil(length * 0.6));
  const tailStart = cutBefore(line, line.length - Math.floor(length * 0.4));
  if (tailStart <= headEnd) return null;
  const cutAt = charsOf(line.slice(0, headEnd));
  const tailChars = charsOf(line.slice(tailStart));
  const total = charsOf(line);
  const note = `[… line ${index + 1} cut at ${cutAt} of ${total} characters, ${total - cutAt - tailChars} left out …]`;
  return { index, text: line.slice(0, headEnd) + note + line.slice(tailStart), cutAt };
}
