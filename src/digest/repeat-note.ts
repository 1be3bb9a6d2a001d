import type { Handle } from "../kernel/ids.ts";
import { countChars } from "./char-count.ts";
import { exitCodeLine } from "./first-form.ts";

/**
 * What stands in place of a result that the model was shown before, and that was cut or taken away each time: what it was, and
 * how to get at a part of it. It says first what it is of: a list of work quotes its beginning.
 */
export function repeatNote(input: {
  readonly text: string;
  readonly exitCode: number | null;
  readonly handle: Handle;
  readonly times: number;
}): string {
  const { text, exitCode, handle, times } = input;
  const lines = text.split("\n");
  const said = lines.filter((line) => line.trim() !== "");
  const size = `${said.length} ${said.length === 1 ? "line" : "lines"}, ${countChars(text).all} characters`;
  const part = lines.length > 1 ? `endLine=${Math.min(lines.length, partLines)}` : "column=1";
  const note =
    `[The same output as before: ${size}, from "${quoted(said[0])}" to "${quoted(said.at(-1))}". This call returned exactly ` +
    `this ${times} times since the newest message, and it was cut or taken out again each time to make room, so it is not shown ` +
    "once more. What is said above of the work done may be enough; if not, take only the part you need: " +
    `recall handle=${handle} startLine=1 ${part}, or with grep= or search=, or ask for a smaller range. Asking for all of it ` +
    "brings this note again.]";
  return exitCode === null || exitCode === 0 ? note : `${note}\n${exitCodeLine(exitCode)}`;
}

/** Lines that are offered as a part. */
const partLines = 40;

function quoted(line = ""): string {
  const text = line
    .slice(0, 10 * quotedCharsMax)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return (text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax)}…` : text).toWellFormed();
}

const quotedCharsMax = 40;
