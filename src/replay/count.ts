import { exactCounter } from "../budget/exact.ts";
import { charsOf } from "../digest/text.ts";

export type Tokenizer = "o200k" | "chars4";

/** Counts by text, each text once: strategies show the same texts over and over. */
export async function counterOf(tokenizer: Tokenizer): Promise<(text: string) => number> {
  const count = tokenizer === "chars4" ? chars4 : await exactCounter();
  const known = new Map<string, number>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const tokens = count(text);
    known.set(text, tokens);
    return tokens;
  };
}

/** Code points / 4, rounded down, as the reference script counts. */
export function chars4(text: string): number {
  return Math.floor(charsOf(text) / 4);
}
