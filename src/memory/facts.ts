import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { brand, type FactId } from "../kernel/ids.ts";
import type { EntryBody } from "../log/entry.ts";
import type { Fact } from "../log/facts.ts";
import { retiredText } from "../prompt/facts.ts";

export type FactWords =
  | { readonly type: "ok"; readonly id: FactId; readonly text: string }
  | { readonly type: "bad"; readonly why: string };

/** A fact's words as they are kept, or why they cannot be one. */
export function factWords(given: string): FactWords {
  const text = given.toWellFormed().replaceAll("\r\n", "\n").trim();
  if (text === "") return bad("a fact is some words; these are none");
  const { length } = text;
  if (length > bounds.factCharsMax)
    return bad(
      `a fact has at most ${bounds.factCharsMax} characters, this one has ${length}: say it shorter, or as two`,
    );
  if (/<\s*\/?\s*system-reminder/i.test(text))
    return bad("a fact cannot hold the tag that frames it, <system-reminder>");
  if (normalised(text) === "") return bad("a fact is some words; these are signs only");
  return { type: "ok", id: factIdOf(text), text };
}

/** By the words without what does not change their sense, so that the same fact is not kept twice. */
export function factIdOf(text: string): FactId {
  return brand(`f${hashOf(normalised(text)).slice(0, 9)}`);
}

function normalised(text: string): string {
  const words = text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
  return words.replace(/^[\s\-*•>"'“”‘’「」]+/u, "").replace(/[\s.!。！,，;；"'“”‘’「」]+$/u, "");
}

/** Tokens that facts may take in all: a small window has room for less. */
export function factTokensMax(windowTokens: number | null): number {
  if (windowTokens === null) return bounds.factTokensMax;
  return Math.min(bounds.factTokensMax, Math.floor((windowTokens * bounds.factWindowPercentMax) / 100));
}

export function factTokens(facts: readonly { readonly text: string }[]): number {
  return facts.reduce((sum, { text }) => sum + estimate(text), 0);
}

/** Why one more fact is one too many, and what to do about it; null: there is room. */
export function capFault(active: readonly Fact[], text: string, windowTokens: number | null): string | null {
  const ways = "Retire one (varve facts retire ID) or merge some into one (varve facts merge ID ID TEXT) first";
  if (active.length >= bounds.factsMax)
    return `${active.length} facts are in force, and ${bounds.factsMax} is the most there may be. ${ways}`;
  const most = factTokensMax(windowTokens);
  const tokens = factTokens([...active, { text }]);
  if (tokens <= most) return null;
  return `with this one the facts would take ${tokens} tokens, and ${most} is the most they may. ${ways}`;
}

/** Word for the model that these are in force no longer: one entry each, so that none is too long to stand in the log itself. */
export function notices(facts: readonly Fact[], isShown: boolean): readonly EntryBody[] {
  return isShown ? facts.map((fact): EntryBody => ({ type: "facts-shown", text: retiredText([fact]) })) : [];
}

function bad(why: string): FactWords {
  return { type: "bad", why };
}
