/** Texts in columns of a terminal: wide signs (CJK, emoji) take two. */

/** Cut where it is longer than `width`, with a sign in the last column. */
export function fitted(text: string, width: number): string {
  let columns = 0;
  let end = 0;
  for (const point of text) {
    columns += isWide(point) ? 2 : 1;
    const isLast = end + point.length === text.length;
    if (columns > (isLast ? width : width - 1)) return `${text.slice(0, end).trimEnd()}…`;
    end += point.length;
  }
  return text;
}

export function columnsOf(text: string): number {
  let columns = 0;
  for (const point of text) columns += isWide(point) ? 2 : 1;
  return columns;
}

/** Cut or filled up to exactly so many columns. */
export function inColumns(text: string, width: number): string {
  const shown = fitted(text, width);
  return shown + " ".repeat(Math.max(0, width - columnsOf(shown)));
}

/** Lines of at most so many columns, broken between words; a longer word is broken where it must be. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text
    .split(/\s+/)
    .filter((one) => one !== "")
    .flatMap((one) => piecesOf(one, width))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (columnsOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
  }
  return line === "" ? lines : [...lines, line];
}

function piecesOf(word: string, width: number): readonly string[] {
  if (columnsOf(word) <= width) return [word];
  const pieces: string[] = [""];
  for (const point of word) {
    const last = pieces.at(-1) ?? "";
    if (columnsOf(last + point) > width && last !== "") pieces.push(point);
    else pieces[pieces.length - 1] = last + point;
  }
  return pieces;
}

function isWide(point: string): boolean {
  return /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
    point,
  );
}
