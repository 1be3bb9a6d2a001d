import { stripVTControlCharacters } from "node:util";

/**
 * What a model, a server or a file says, made harmless for a terminal: without escape sequences and control characters,
 * it cannot move the cursor, rename the window or hide a line. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/(?![\n\t])\p{Cc}/gu, " ");
}

/** Text as whole lines: without a second line end where it has one. */
export function endingInLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** One line of progress or of an error, on stderr: results alone go to stdout. */
export function say(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
