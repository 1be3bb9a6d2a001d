import { stripVTControlCharacters } from "node:util";

/**
 * What a model, a server or a file says, made harmless for a terminal: without escape sequences and control characters,
 * it cannot move the cursor, rename the window or hide a line. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/(?![\n\t])\p{Cc}/gu, " ");
}

/** One line of progress or of an error, on stderr: results alone go to stdout. */
export function say(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
