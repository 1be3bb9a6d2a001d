import { countChars } from "./char-count.ts";
import { cleaned } from "./clean.ts";
import { failureLines } from "./failures.ts";
import type { TextKind } from "./form.ts";
import { formsByType } from "./judges.ts";
import { indexLines, type Lines } from "./line-index.ts";
import { assembled } from "./notes.ts";
import { lineSelector } from "./select.ts";
import { type Cut, underCap } from "./under-cap.ts";

/** A text as the lines of it that matter most, in their order. */
export function cutLines({ input, kind, size, asked }: Cut): string {
  const { text, form } = input;
  const lines = indexLines(text);
  const found =
    reporting.has(kind) && form === "output"
      ? failureLines(text, lines, text.length > weighedMax ? failuresWeighed : undefined)
      : [];
  const failures = text.length > weighedMax ? found.slice(0, failuresWeighed) : found;
  const lineAt = remembering(form === "output" ? (index) => cleaned(lines.at(index)) : lines.at);
  const { judge, taste } = formsByType[kind];
  const candidates = candidatesOf(text, lines, failures, size.bytesMax);
  const select = lineSelector({ count: lines.count, lineAt, candidates, judge: judge(), failures, asked, taste });
  const parts = { input, lines, lineAt, chars: countChars(text) };
  return underCap(size, (sized) => assembled({ ...parts, chosen: select(sized) }));
}

/** The same lines are asked for again and again, and each is looked for from the one before it that is known. */
function remembering(lineAt: (index: number) => string): (index: number) => string {
  const known = new Map<number, string>();
  return (index) => {
    const line = known.get(index) ?? lineAt(index);
    known.set(index, line);
    return line;
  };
}

/** Texts in which a word of failure is news. Code, searches and pages quote such words. */
const reporting: ReadonlySet<TextKind> = new Set(["tests", "build", "log", "trace", "command", "json", "binary"]);

/** All lines, or of a very long text its ends and what reports a failure with the lines behind it. */
function candidatesOf(text: string, lines: Lines, failures: readonly number[], bytesMax: number): readonly number[] {
  if (text.length <= weighedMax) return Array.from({ length: lines.count }, (_, index) => index);
  const found = new Set<number>();
  const headEnd = lines.lineAt(bytesMax * endShare);
  const tailStart = lines.lineAt(text.length - bytesMax * endShare);
  for (let index = 0; index <= headEnd; index++) found.add(index);
  for (let index = tailStart; index < lines.count; index++) found.add(index);
  for (const failure of failures)
    for (const near of [failure, failure + 1, failure + 2]) if (near < lines.count) found.add(near);
  return [...found].sort((a, b) => a - b);
}

const weighedMax = 128_000;
const failuresWeighed = 80;
/** Of what a form may hold; both ends together are somewhat more than it. */
const endShare = 0.6;
