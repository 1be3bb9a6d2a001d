import { countChars } from "./char-count.ts";
import { cleaned } from "./clean.ts";
import { failureLines } from "./failures.ts";
import type { TextKind } from "./form.ts";
import { formsByType } from "./judges.ts";
import { indexLines, type Lines } from "./line-index.ts";
import type { Shown } from "./long-line.ts";
import { assembled, type Parts } from "./notes.ts";
import { type Wanted, wantedOf } from "./page-named.ts";
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
  const isPage = kind === "snapshot" && (text.length <= pageWeighedMax || (input.request ?? "") !== "");
  const wanted = isPage ? wantedOf(input, size.bytesMax) : nothing;
  const near = [...failures.flatMap((failure) => [failure, failure + 1, failure + 2]), ...wanted.lines];
  const isAll = text.length <= (isPage ? pageWeighedMax : weighedMax);
  const candidates = isAll ? allLines(lines) : endsAnd(near, text, lines, size.bytesMax);
  const select = lineSelector({
    count: lines.count,
    lineAt,
    candidates,
    judge: judge(),
    wanted: wanted.lines,
    failures,
    asked,
    taste,
  });
  const parts = { input, lines, lineAt, chars: countChars(text) };
  const aimed = { ...size, bytesAim: Math.max(size.bytesAim, wanted.bytes) };
  return underCap(aimed, (sized) => assembled({ ...parts, ...shownOf(select(sized), wanted) }));
}

function shownOf(chosen: readonly Shown[], { leftOut }: Wanted): Pick<Parts, "chosen" | "leftOut"> {
  const shown = new Set(chosen.map(({ index }) => index));
  return { chosen, leftOut: leftOut((index) => shown.has(index)) };
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

function allLines({ count }: Lines): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

/** Of a very long text its ends, and what reports a failure with the lines behind it, or was named. */
function endsAnd(near: readonly number[], text: string, lines: Lines, bytesMax: number): readonly number[] {
  const found = new Set<number>();
  const headEnd = lines.lineAt(bytesMax * endShare);
  const tailStart = lines.lineAt(text.length - bytesMax * endShare);
  for (let index = 0; index <= headEnd; index++) found.add(index);
  for (let index = tailStart; index < lines.count; index++) found.add(index);
  for (const index of near) if (index < lines.count) found.add(index);
  return [...found].sort((a, b) => a - b);
}

const nothing: Wanted = { lines: new Set(), bytes: 0, leftOut: () => null };
const weighedMax = 128_000;
/** What is wanted of a page may stand anywhere in it. */
const pageWeighedMax = 400_000;
const failuresWeighed = 80;
/** Of what a form may hold; both ends together are somewhat more than it. */
const endShare = 0.6;
