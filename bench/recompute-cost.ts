export type Count = (text: string) => number;

export type Price = {
  readonly read: number;
  readonly write: number;
  readonly output: number;
  readonly lifetimeMs: number | null;
};

/** Counters of this file's own, each text once. */
export async function countBy(tokens: string): Promise<Count> {
  const count = tokens === "chars4" ? quarterOfCodePoints : await o200k();
  const known = new Map<string, number>();
  return (text) => {
    const tokensKnown = known.get(text) ?? count(text);
    known.set(text, tokensKnown);
    return tokensKnown;
  };
}

function quarterOfCodePoints(text: string): number {
  let points = 0;
  for (const _ of text) points++;
  return Math.trunc(points / 4);
}

/** Line by line where a text is long: the counter's time grows with the square of a run without a space. */
async function o200k(): Promise<Count> {
  const { encode } = await import("gpt-tokenizer/encoding/o200k_base");
  const plain = { disallowedSpecial: new Set<string>() };
  return (text) => {
    const pieces = text.match(/[\s\S]{1,2000}(?=[\n ]|$)|[\s\S]{1,2000}/g) ?? [];
    return pieces.reduce((sum, piece) => sum + encode(piece, plain).length, 0);
  };
}

export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;
}
