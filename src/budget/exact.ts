/**
 * Exact o200k counts, for displays, dumps and tests. The vocabulary takes 400 ms and 76 MB, so it is loaded when first
 * asked for and never on the path of a request (STACK 3).
 */
export async function exactCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  return (text) => {
    let tokens = 0;
    for (const piece of piecesOf(text)) tokens += countTokens(piece, plainText);
    return tokens;
  };
}

/** Every BPE counter is quadratic on long runs of one character class; pieces of this size cure it (STACK 3). */
const pieceCharsMax = 1_024;

/** Source code may hold `<|endoftext|>`: it is text like any other here. */
const plainText = { disallowedSpecial: new Set<string>() };

/** Cut before white space where there is some, so that ordinary text counts exactly as in one piece. */
export function* piecesOf(text: string): Iterable<string> {
  let from = 0;
  while (text.length - from > pieceCharsMax) {
    const to = cutBetween(text, from + pieceCharsMax / 2, from + pieceCharsMax);
    yield text.slice(from, to);
    from = to;
  }
  if (from < text.length) yield text.slice(from);
}

function cutBetween(text: string, low: number, high: number): number {
  for (let at = high; at > low; at--) {
    if (isSpace(text.charCodeAt(at)) && !isSpace(text.charCodeAt(at - 1))) return at;
  }
  const lastUnit = text.charCodeAt(high - 1);
  return lastUnit >= 0xd800 && lastUnit <= 0xdbff ? high - 1 : high;
}

function isSpace(unit: number): boolean {
  return unit === 32 || unit === 10;
}
