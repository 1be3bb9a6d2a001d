import { namesIn } from "./use-names.ts";

/** The names and paths that calls and messages used lately, newest first; `newest`: the texts of these, newest first. */
export function namesSaid(newest: readonly string[]): readonly string[] {
  const names = newest.slice(0, saidMax).flatMap((text) => namesIn(text.slice(0, saidCharsMax)));
  return [...new Set(names)].slice(0, namesMax);
}

export const saidMax = 12;
const saidCharsMax = 2_000;
const namesMax = 40;
