/**
 * What was typed behind a command's name, as words: split and unquoted as a shell does it, and nothing expanded. A quote
 * without its partner is a character like any other (`don't`).
 */
export function argumentWords(typed: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < typed.length) {
    const [piece, next] = pieceAt(typed, at);
    at = next;
    if (piece !== null) word = (word ?? "") + piece;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  return word === null ? words : [...words, word];
}

/** One step: what it adds to a word (null: white space, which ends one), and where the next begins. */
function pieceAt(typed: string, at: number): readonly [string | null, number] {
  const char = typed[at] ?? "";
  if (/\s/.test(char)) return [null, at + 1];
  if (char === "\\" && at + 1 < typed.length) return [typed[at + 1] ?? "", at + 2];
  if (char !== "'" && char !== '"') return [char, at + 1];
  const end = closing(typed, at);
  if (end === null) return [char, at + 1];
  const inside = typed.slice(at + 1, end);
  return [char === "'" ? inside : inside.replace(/\\(["\\$`])/g, "$1"), end + 1];
}

function closing(typed: string, at: number): number | null {
  const quote = typed[at];
  for (let end = at + 1; end < typed.length; end += 1) {
    if (typed[end] === quote) return end;
    if (quote === '"' && typed[end] === "\\") end += 1;
  }
  return null;
}
