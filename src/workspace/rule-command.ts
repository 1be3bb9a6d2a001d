/** A pattern over a command's words: `*` stands for any characters. `bare`: what the text may be without its trailing ` *`. */
export type CommandPattern = { readonly text: string; readonly bare: string | null };

/** null: every command. `npm run:*` is the older way to write `npm run *`. */
export function commandPattern(inside: string): CommandPattern | null {
  const spelled = inside.trim().replace(/:\*$/, " *").replace(/ +/g, " ");
  if (/^[* ]+$/.test(spelled)) return null;
  return { text: spelled, bare: spelled.endsWith(" *") ? spelled.slice(0, -2) : null };
}

/** The space before a trailing `*` is a word boundary: `ls *` is `ls` and `ls -l`, never `lsof`. */
export function matchesCommand({ text, bare }: CommandPattern, command: string): boolean {
  return starMatch(text, command) || (bare !== null && starMatch(bare, command));
}

/** Goes back to the last star only, so time is at most length times length (law 10). */
export function starMatch(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!text.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
