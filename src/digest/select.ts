import { bounds } from "../kernel/bounds.ts";
import { type Judge, must } from "./form.ts";
import { cutLine, type Shown } from "./long-line.ts";
import { onceEach } from "./once-each.ts";
import { eachTerm, type TermKind } from "./terms.ts";
import { utf8Bytes } from "./text.ts";

export type Selection = {
  /** Of all lines, weighed or not. */
  readonly count: number;
  readonly lineAt: (index: number) => string;
  /** Indexes of the lines that are weighed, in order. */
  readonly candidates: readonly number[];
  readonly judge: Judge;
  /** Lines that report a failure, the ones most worth keeping first. */
  readonly failures: readonly number[];
  /** Lines that are kept before anything is weighed. */
  readonly wanted: ReadonlySet<number>;
  /** Names that the call or the conversation used. */
  readonly asked: ReadonlySet<string>;
  readonly taste: Taste;
};

/** What a kind of text is chosen by. */
export type Taste = {
  /** What a name not shown yet adds to its line. */
  readonly weights: Readonly<Record<TermKind, number>>;
  /** Of the bytes aimed at, for the first lines and as much for the last, whatever they hold. */
  readonly ends: number;
};

/**
 * Chooses whole lines: first what must be kept, then beginning and end, then the lines that bring most names not shown yet
 * for their bytes. A name that stands in a kept line makes the other lines that hold it worth less, so repetition goes first
 * and each name stays somewhere. Deterministic; the work is linear in the candidates but for sorting them.
 */
export function lineSelector(selection: Selection): (size: Size) => readonly Shown[] {
  const known = new Map<string, number>();
  const rows = selection.candidates.map(rowMaker(selection, known));
  const times = timesOf(rows, known, selection.asked);
  const musts = mustKeep(rows, selection);
  return ({ bytesAim, bytesMax }) => {
    const kept = keeper(selection);
    for (const index of musts) kept.line(index, bytesMax);
    const endsMax = Math.min(bytesMax, Math.max(bytesAim, kept.bytes() + 2 * selection.taste.ends * bytesAim));
    for (const index of endsOf(selection, bytesAim)) kept.line(index, endsMax);
    for (const failure of selection.failures)
      for (const index of [failure, failure + 1, failure + 2]) kept.line(index, bytesAim * failureShare);
    keepBest(rows, times, kept, bytesAim);
    for (const { index } of rows) if (!kept.has(index) && !kept.part(index, bytesAim)) break;
    return kept.shown();
  };
}

export type Size = {
  /** What is chosen by weight ends here; what must be kept may go on to `bytesMax`. */
  readonly bytesAim: number;
  readonly bytesMax: number;
};

/** Of the bytes aimed at, for failures and the lines behind them: the place, the values, the caret. */
const failureShare = 0.8;
/** What a note of a gap costs about. */
const gapBytes = 14;

type Row = {
  readonly index: number;
  readonly bytes: number;
  readonly worth: number;
  /** By the numbers they got when they were first seen. */
  readonly names: readonly number[];
  readonly weights: readonly number[];
};

/** Outputs repeat lines: each text is gone through once, only its worth depends on what stood before it. */
function rowMaker({ lineAt, judge, taste }: Selection, known: Map<string, number>): (index: number) => Row {
  const termsOf = onceEach((line) => {
    const names: number[] = [];
    const weights: number[] = [];
    eachTerm(line, (name, kind) => {
      let number = known.get(name);
      if (number === undefined) {
        number = known.size;
        known.set(name, number);
      }
      names.push(number);
      weights.push(taste.weights[kind]);
    });
    return { bytes: utf8Bytes(line), names, weights };
  });
  return (index) => {
    const line = lineAt(index);
    const { bytes, names, weights } = termsOf(line);
    const worth = exitCode.test(line) ? must : judge(line.length > judgedMax ? line.slice(0, judgedMax) : line);
    return { index, bytes, worth, names, weights };
  };
}

/** How much each name counts: one that was asked for more, unless so many lines hold it that it tells none from others. */
function timesOf(rows: readonly Row[], known: ReadonlyMap<string, number>, asked: ReadonlySet<string>): Float64Array {
  const times = new Float64Array(known.size).fill(1);
  const found = [...asked].flatMap((name) => known.get(name) ?? []);
  if (found.length === 0) return times;
  const lines = new Uint32Array(known.size);
  for (const { names } of rows) for (const name of new Set(names)) lines[name] = (lines[name] ?? 0) + 1;
  for (const name of found) if ((lines[name] ?? 0) <= Math.max(1, rows.length * rareShare)) times[name] = askedTimes;
  return times;
}

const askedTimes = 3;
const rareShare = 0.2;

/** Of a very long line the beginning decides. */
const judgedMax = 1_000;

/** As tools and harnesses put it in a line of its own. */
const exitCode = /^(?:\[exit code \d+\]|(?:Exit code|Process exited with code):? \d+)$/;

/** Failures in their order, then whatever else must stay in the order of the text. The same text once. */
function mustKeep(rows: readonly Row[], { failures, wanted }: Selection): readonly number[] {
  const needed = rows.filter(({ index, worth }) => worth >= must || wanted.has(index)).map(({ index }) => index);
  const isNeeded = new Set(needed);
  return [...new Set([...failures.filter((index) => isNeeded.has(index)), ...needed])];
}

/** The last lines, then the first ones, as far as they are short. */
function endsOf({ count, lineAt, taste }: Selection, bytesAim: number): readonly number[] {
  const ends: number[] = [];
  const take = (from: number, step: number) => {
    let left = bytesAim * taste.ends;
    for (let index = from; index >= 0 && index < count; index += step) {
      left -= lineAt(index).length + 1;
      if (left < 0 && index !== from) break;
      ends.push(index);
    }
  };
  take(count - 1, -1);
  take(0, 1);
  return ends;
}

type Keeper = ReturnType<typeof keeper>;

function keeper({ lineAt, count }: Selection) {
  const kept = new Map<number, Shown>();
  let used = 0;
  const gapsAt = (index: number) => {
    const sides = Number(kept.has(index - 1)) + Number(kept.has(index + 1));
    return gapBytes * (1 - sides);
  };
  const keep = (shown: Shown, bytesMax: number): boolean => {
    const cost = utf8Bytes(shown.text) + 1 + gapsAt(shown.index);
    if (used + cost > bytesMax) return false;
    kept.set(shown.index, shown);
    used += cost;
    return true;
  };
  return {
    bytes: () => used,
    has: (index: number) => kept.has(index),
    /** The whole line where it fits; one that is too long for any form in parts. */
    line(index: number, bytesMax: number): boolean {
      if (kept.has(index) || index >= count) return false;
      const text = lineAt(index);
      if (text.length > bounds.lineCharsMax) return this.part(index, bytesMax);
      return keep({ index, text, cutAt: null }, bytesMax);
    },
    part(index: number, bytesMax: number): boolean {
      const left = bytesMax - used - gapBytes;
      const text = lineAt(index);
      if (left < partBytesMin || text.length < partBytesMin) return false;
      const shown = cutLine(text, index, left);
      return shown !== null && keep(shown, bytesMax);
    },
    shown: () => [...kept.values()].sort((a, b) => a.index - b.index),
  };
}

const partBytesMin = 160;

/** In bands: within one the order is that of the first look, so that no line is weighed more than a few times. */
function keepBest(rows: readonly Row[], times: Float64Array, kept: Keeper, bytesAim: number): void {
  const covered = new Uint8Array(times.length);
  const cover = ({ names }: Row) => {
    for (const name of names) covered[name] = 1;
  };
  for (const row of rows) if (kept.has(row.index)) cover(row);
  const gainOf = (row: Row) => {
    let gain = lineGain + row.bytes * byteGain;
    for (let at = 0; at < row.names.length; at++) {
      const name = row.names[at] ?? 0;
      if (covered[name] === 0) gain += (row.weights[at] ?? 0) * (times[name] ?? 1);
    }
    return (gain * row.worth) / (row.bytes + 1 + gapBytes / 2);
  };
  let open = rows.filter(({ index, worth }) => worth > 0 && !kept.has(index));
  for (let band = 0; band < bandsMax && open.length > 0 && kept.bytes() + fullBytes < bytesAim; band++) {
    const rated = open.map((row) => ({ row, gain: gainOf(row) })).sort((a, b) => b.gain - a.gain);
    const floor = (rated[0]?.gain ?? 0) * bandShare;
    const next: Row[] = [];
    const left = bytesAim - kept.bytes();
    for (const { row, gain } of rated) {
      if (row.bytes > left) continue;
      if (gain < floor || gainOf(row) < floor) next.push(row);
      else if (kept.line(row.index, bytesAim)) cover(row);
    }
    open = next;
  }
}

/** Nothing worth a look fits into less. */
const fullBytes = 30;
const bandsMax = 40;
const bandShare = 0.6;
/** What any line tells, and what it tells by its length, in names. */
const lineGain = 0.1;
const byteGain = 0.02;
