import { stripVTControlCharacters } from "node:util";

/**
 * What a model, a server or a file says, made harmless for a terminal: without escape sequences and control characters,
 * it cannot move the cursor, rename the window, hide a line or turn one around. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, " ");
}

/**
 * What somebody is asked to agree to, as it is: nothing is taken out, for what is not shown would be agreed to as well.
 * Characters that cannot be seen, or that turn others around, stand there by number, long blanks are counted, and each
 * line is marked, so that no text can pass for the question around it.
 */
export function quoted(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replaceAll(unseen, (char) => `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`)
    .replaceAll(/[ \t]{40,}/g, (blanks) => ` <${blanks.length} blanks> `)
    .replaceAll(/\n(?:[ \t]*\n){3,}/g, (lines) => `\n<${lines.split("\n").length - 2} empty lines>\n`)
    .split("\n")
    .map((line) => `  | ${line}`)
    .join("\n");
}

/** All but line breaks and tabs, and but what joins pictures into one. The last row are letters without a shape. */
const unseen =
  /(?![\n\t]|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d\p{Extended_Pictographic})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}|[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu;

/** Text as whole lines: without a second line end where it has one. */
export function endingInLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** One line of progress or of an error, on stderr: results alone go to stdout. */
export function say(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}
