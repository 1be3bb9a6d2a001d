import type { Handle } from "../kernel/ids.ts";
import { countChars } from "./char-count.ts";
import { exitCodeLine } from "./first-form.ts";
import { contentNote } from "./notes.ts";

/**
 * What stands in place of a result that the model was shown before, and that was taken away each time: what it was, and how
 * to get at a part of it. One line, which says first what it is of: a list of work quotes its beginning.
 */
export function repeatNote(input: {
  readonly text: string;
  readonly exitCode: number | null;
  readonly handle: Handle;
  readonly times: number;
}): string {
  const { text, exitCode, handle, times } = input;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const [first = "", last = ""] = [lines[0], lines.at(-1)];
  const size = `${lines.length} ${lines.length === 1 ? "line" : "lines"}, ${countChars(text).all} characters`;
  const part = lines.length > 1 ? ` startLine=1 endLine=${Math.min(lines.length, partLines)}` : " column=1";
  const note =
    `[The same output as before: ${size}, from "${quoted(first)}" to "${quoted(last)}". The same call returned exactly this ` +
    `${times} times since the user's newest message, and each time it was cut or taken out again to make room, so it is not ` +
    "shown once more. What is said above of the work done so far may be enough. If not, take only the part that is needed: " +
    `recall handle=${handle} with grep= or search=, or recall handle=${handle}${part}, or a smaller range of what was asked ` +
    `for. Nothing is lost; asking for the same again brings this note again; ${contentNote(input)}]`;
  return exitCode === null || exitCode === 0 ? note : `${note}\n${exitCodeLine(exitCode)}`;
}

/** Lines that are offered as a part. */
const partLines = 40;

const quotedCharsMax = 60;

function quoted(line: string): string {
  const text = line.trim();
  return text.length > quotedCharsMax ? `${text.slice(0, quotedCharsMax).toWellFormed()}…` : text;
}
