/** What is left of an English word when its endings are taken off: plural, -ing, -ed, -ly; other words stay as they are. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return endings.reduce((stem, ending) => ending(stem), word);
}

const endings: readonly ((word: string) => string)[] = [
  (word) =>
    word
      .replace(/(?<=..)ies$/, "y")
      .replace(/(?<=ss|sh|ch|x|z)es$/, "")
      .replace(/(?<=[^su])s$/, ""),
  (word) => word.replace(/(?<=[aeiouy].*)(?:ing|ed)$/, ""),
  (word) => word.replace(/(?<=....)ly$/, ""),
  (word) => word.replace(/(?<=..)([^aeiouls])\1$/, "$1"),
  (word) => word.replace(/(?<=..)e$/, ""),
];
