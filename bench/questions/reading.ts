import { cleaned } from "../../src/digest/clean.ts";
import { charsOf } from "../../src/digest/text.ts";

/**
 * A result as a reader takes it: its lines under the numbers they have in the original, and where something is missing.
 * The notes of a first form are no lines. Of an original nothing is missing, and it is read by the same function.
 */
export type Reading = {
  readonly lines: readonly Line[];
  /** Nothing is left out: what is not here is nowhere. */
  readonly whole: boolean;
  /** Shown as JSON that is written in another way: its lines are not those of the original. */
  readonly reshaped: "lossless" | "shortened" | null;
  /** Something is left out behind the last of `lines`. */
  readonly openEnd: boolean;
  /** Of the original: counted where it is whole, else as the form says. */
  readonly total: { readonly lines: number | null; readonly chars: number | null };
  readonly exitCode: number | null;
};

export type Line = {
  /** Number in the original, from 1; null behind a gap of unknown size. */
  readonly n: number | null;
  readonly text: string;
  /** The line's middle is left out: neither half may be taken for the line. */
  readonly cut: boolean;
  /** Something is left out between this line and the one before. */
  readonly afterGap: boolean;
};

export function readingOf(text: string): Reading {
  const lines: Line[] = [];
  const said: Said = { lines: null, chars: null, exitCode: null, changed: false, reshaped: null };
  let n: number | null = 1;
  let afterGap = false;
  for (const line of linesOf(cleaned(text))) {
    const gap = gapNote.exec(line);
    if (gap !== null) {
      n = gap[1] === undefined ? null : Number(gap[2] ?? gap[1]) + 1;
      afterGap = true;
    } else if (!isNote(line, said)) {
      lines.push({ n, text: line, cut: cutNote.test(line), afterGap });
      afterGap = false;
      if (n !== null) n += 1;
    }
  }
  const isLess = said.lines !== null || afterGap || lines.some((line) => line.cut || line.afterGap);
  return {
    lines: said.reshaped === null ? lines : lines.map((line) => ({ ...line, n: null, cut: true })),
    whole: !isLess,
    reshaped: said.reshaped,
    openEnd: afterGap,
    total:
      isLess || said.changed ? { lines: said.lines, chars: said.chars } : { lines: lines.length, chars: charsOf(text) },
    exitCode: said.exitCode ?? exitCodeIn(lines),
  };
}

type Said = {
  lines: number | null;
  chars: number | null;
  exitCode: number | null;
  changed: boolean;
  reshaped: Reading["reshaped"];
};

/** At the end of the output, as our own tools write it, or in front of it, as other agents do. */
function exitCodeIn(lines: readonly Line[]): number | null {
  const end = exitNote.exec(lines.at(-1)?.text ?? "")?.[1];
  if (end !== undefined) return Number(end);
  for (const [at, { text }] of lines.slice(0, 4).entries()) {
    const found = /^(?:Exit code|Process exited with code) (\d+)$/.exec(text);
    if (found !== null && (at === 0 || text.startsWith("Process"))) return Number(found[1]);
  }
  return null;
}

/** Of a text, without the empty one behind a final line end. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** `[… 3-9 …]`, `[… 3 …]`, `[… lines 3-90 left out: …]`, `[… line 3 left out: …]`, `[… 900 characters left out …]`. */
const gapNote = /^\[… (?:(?:lines? )?(\d+)(?:-(\d+))? (?:left out: .*)?|\d+ characters left out )…\]$/;
const cutNote = /\[… line \d+ cut at \d+ of \d+ characters, \d+ left out …\]/;
const sizeNote = /^\[(\d+) lines?, (\d+) characters in all; the rest: recall handle=\S+ .*\]$/;
const codesNote = /^\[terminal codes left out; recall handle=\S+\]$/;
const exitNote = /^\[exit code (\d+)\]$/;

/** The notes stand at the end. A line of an exit code is one only behind another: in front of it is the output's own. */
function isNote(line: string, said: Said): boolean {
  const size = sizeNote.exec(line);
  if (size !== null) [said.lines, said.chars] = [Number(size[1]), Number(size[2])];
  if (size !== null && / shown as JSON, /.test(line))
    said.reshaped = /, white space left out; sha256 /.test(line) ? "lossless" : "shortened";
  if (codesNote.test(line)) said.changed = true;
  if (size !== null || codesNote.test(line)) return true;
  const exit = exitNote.exec(line);
  if (exit === null || (said.lines === null && !said.changed)) return false;
  said.exitCode = Number(exit[1]);
  return true;
}
