/**
 * The lines of a text without a list of them: a text of 64 MB can hold 64 million. Every 64th line's start is known, the
 * others are found from there. The end of the text ends its last line; nothing stands behind a final line end.
 */
export type Lines = {
  readonly count: number;
  /** Without its line end; "" outside. */
  at(index: number): string;
  /** Where the line begins; the text's length for the one behind the last. */
  startOf(index: number): number;
  /** The line in which that place of the text lies. */
  lineAt(offset: number): number;
};

export function indexLines(text: string, lineEnd: "\n" | "\r" = "\n"): Lines {
  const known: number[] = [];
  let count = 0;
  for (let start = 0; start < text.length; count++) {
    if (count % step === 0) known.push(start);
    const end = text.indexOf(lineEnd, start);
    start = end < 0 ? text.length : end + 1;
  }
  let near = { index: 0, start: 0 };
  const startOf = (index: number): number => {
    if (index >= count) return text.length;
    // Most lines are asked for behind the one before.
    const ahead = index - near.index;
    const isNear = ahead >= 0 && ahead < index % step;
    let start = isNear ? near.start : (known[Math.floor(index / step)] ?? 0);
    for (let left = isNear ? ahead : index % step; left > 0; left--) start = text.indexOf(lineEnd, start) + 1;
    near = { index, start };
    return start;
  };
  const at = (index: number): string => {
    if (index < 0 || index >= count) return "";
    const start = startOf(index);
    const end = text.indexOf(lineEnd, start);
    return text.slice(start, end < 0 ? text.length : end);
  };
  const lineAt = (offset: number): number => {
    const block = lastAtMost(known, offset);
    let line = block * step;
    for (let end = text.indexOf(lineEnd, known[block]); end >= 0 && end < offset; end = text.indexOf(lineEnd, end + 1))
      line++;
    return line;
  };
  return { count, at, startOf, lineAt };
}

const step = 64;

/** Index of the last number that is not above the limit, in a list that grows. */
function lastAtMost(list: readonly number[], limit: number): number {
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((list[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
