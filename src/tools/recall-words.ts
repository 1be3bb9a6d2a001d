import { isAscii, plainText } from "../kernel/plain-text.ts";

/**
 * How the words of a search are compared with a text: whatever the case and the width of the characters. A word is found
 * anywhere in a text, also inside another; one of a letter or two only as a word of its own. Where words are not set apart
 * by blanks (Chinese, Japanese, Thai), and for signs and emoji, every character is a word.
 */
export function wordsOf(query: string): readonly string[] {
  const parts = [...query.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? withoutMarks(word));
  return [...new Set(parts.map(plainText))].filter((word) => word !== "").slice(0, wordsMax);
}

/** Words of one search that are looked for. */
const wordsMax = 16;

/** Marks of a sentence around a word are not part of it, unless it is made of them. */
function withoutMarks(word: string): string {
  return word.replace(/^[,;:!?¿¡"']+(?=.)|(?<=.)[.,;:!?"'。，！？]+$/gu, "");
}

/** Where the word first stands in a plain text, from `from` on; -1: nowhere. */
export function placeOf(plain: string, word: string, from = 0): number {
  if (!isShort(word)) return plain.indexOf(word, from);
  for (let at = plain.indexOf(word, from); at >= 0; at = plain.indexOf(word, at + 1))
    if (
      !joins(plain.slice(Math.max(0, at - 2), at), true) &&
      !joins(plain.slice(at + word.length, at + word.length + 2), false)
    )
      return at;
  return -1;
}

/** The tokens of a plain text, in order: characters that are words by themselves, and runs of all others. */
export function tokensOf(plain: string): readonly string[] {
  return plain.match(isAscii(plain) ? /[a-z0-9]+/g : tokens) ?? [];
}

/** Whether the character is a word by itself. */
export function isOwnWord(token: string): boolean {
  return ownWord.test(token);
}

/** Whether it is found only as a word of its own. */
export function isShort(word: string): boolean {
  return word.length <= 4 && [...word].length < 3 && onlyLetters.test(word) && ![...word].some(isOwnWord);
}

/** Scripts without blanks between words, and signs. */
const own =
  "[[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{So}\\p{Sk}\\p{Extended_Pictographic}]--\\p{ASCII}]";
const letter = "[\\p{L}\\p{N}\\p{M}]";
const ownWord = new RegExp(`^${own}$`, "v");
const tokens = new RegExp(`${own}|[${letter}--${own}]+`, "gv");
const onlyLetters = new RegExp(`^${letter}+$`, "v");

/** Whether the text beside a place goes on with the same kind of word. */
function joins(beside: string, isBefore: boolean): boolean {
  const chars = [...beside];
  const char = (isBefore ? chars.at(-1) : chars[0]) ?? "";
  return onlyLetters.test(char) && !isOwnWord(char);
}
