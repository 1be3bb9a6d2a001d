import { bounds } from "../kernel/bounds.ts";
import type { Lines } from "./line-index.ts";

/**
 * The lines of a command's output that report a failure, in the order in which they are worth keeping: the first ones,
 * which are often the cause, then the newest. The newest are looked for from the end, block by block, so that an output
 * made of failures is not read through; asking line by line would cost more for short lines than all the rest.
 */
export function failureLines(text: string, lines: Lines): readonly number[] {
  const first: number[] = [];
  for (const start of failuresIn(text, 0, text.length)) {
    first.push(start);
    if (first.length === firstKept) break;
  }
  const last = first.at(-1);
  if (last === undefined || first.length < firstKept) return first.map(lines.lineAt);
  const newest: number[] = [];
  for (let to = text.length; to > last + 1 && newest.length < bounds.failuresMax; ) {
    const from = Math.max(text.lastIndexOf("\n", to - blockChars) + 1, last + 1);
    newest.push(...[...failuresIn(text, from, to)].reverse());
    to = from;
  }
  return [...first, ...newest.slice(0, bounds.failuresMax)].map(lines.lineAt);
}

const firstKept = 3;
const blockChars = 64 * 1024;

/** Starts of the lines that report a failure; `from` begins a line, or lies within one that is not meant. */
function* failuresIn(text: string, from: number, to: number): Iterable<number> {
  const search = new RegExp(failure.source, "gi");
  const block = text.slice(from, to);
  for (let found = search.exec(block); found !== null; found = search.exec(block)) {
    const start = block.lastIndexOf("\n", found.index - 1) + 1;
    const end = block.indexOf("\n", found.index);
    search.lastIndex = end < 0 ? block.length : end;
    const isPart = start === 0 && from > 0 && text[from - 1] !== "\n";
    if (!isPart && reportsFailure(block.slice(start, search.lastIndex))) yield from + start;
  }
}

/** A word of failure that is not part of a report of success. Of a very long line the beginning decides. */
function reportsFailure(line: string): boolean {
  const start = line.slice(0, looked);
  return !zero.test(start) || failure.test(start.replace(zeroes, ""));
}

const looked = 1_000;

/** Words by which compilers, test runners and shells report. `error` may be the end of a name: `TypeError`. */
const failure =
  /(?:error|exception|failure)s?(?![a-z])|\b(?:fail|fails|failed|failing|fatal|panic|panicked|traceback|assertion|assert|aborted|denied|refused|unhandled|uncaught|not ok|not found|no such file|cannot|undefined reference|segmentation fault|core dumped|timed out|unresolved|unexpected)\b|[✗✘✖❌×]/i;

/** `0 errors`, `no failures`, `failed: 0`, `fail 0`: reports of success. */
const zeroes =
  /\b(?:0|no) (?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed|fail)\b[:=]? ?0\b/gi;
const zero = new RegExp(zeroes.source, "i");
