import { UsageError } from "./exit.ts";

/** All finished work, or what stands from an entry on or up to one. */
export type Part =
  | { readonly kind: "all" }
  | { readonly kind: "from"; readonly entry: number }
  | { readonly kind: "upto"; readonly entry: number };

/** `[from|upto ENTRY] [focus words...]`: only the first word can name a part, so that a focus may hold any word. */
export function askedBy(words: readonly string[]): { readonly part: Part; readonly focus: string } {
  const [kind, entry, ...rest] = words;
  if (kind !== "from" && kind !== "upto") return { part: { kind: "all" }, focus: words.join(" ").trim() };
  if (entry === undefined || !/^\d{1,15}$/.test(entry))
    throw new UsageError(
      `${kind}: expected the number of an entry, as \`varve log\` shows it, got ${entry === undefined ? "nothing" : `"${entry}"`}; ` +
        "a focus that begins with this word goes into quotes",
    );
  return { part: { kind, entry: Number(entry) }, focus: rest.join(" ").trim() };
}
