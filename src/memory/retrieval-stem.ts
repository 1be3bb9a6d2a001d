/** What is left of an English word when its endings are taken off: plural, -ing, -ed, -ly, -e; other words stay as they are. */
export function stemOf(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  return withoutE(withoutDouble(withoutLy(withoutVerbEnding(withoutPlural(word)))));
}

function withoutPlural(word: string): string {
  if (!word.endsWith("s")) return word;
  if (word.length >= 5 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return /[su]s$/.test(word) ? word : word.slice(0, -1);
}

function withoutVerbEnding(word: string): string {
  const end = word.endsWith("ing") ? 3 : word.endsWith("ed") ? 2 : 0;
  if (end === 0) return word;
  const stem = word.slice(0, -end);
  return /[aeiouy]/.test(stem) ? stem : word;
}

function withoutLy(word: string): string {
  return word.length >= 6 && word.endsWith("ly") ? word.slice(0, -2) : word;
}

/** `running`: the letter that the ending doubled. */
function withoutDouble(word: string): string {
  const last = word.at(-1);
  return word.length >= 4 && last === word.at(-2) && !/[aeiouls]$/.test(word) ? word.slice(0, -1) : word;
}

function withoutE(word: string): string {
  return word.length >= 3 && word.endsWith("e") ? word.slice(0, -1) : word;
}
