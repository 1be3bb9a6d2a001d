import { bounds } from "../kernel/bounds.ts";
import type { FactId } from "../kernel/ids.ts";
import type { EntryOf, FactScope } from "./entry.ts";

/** A constraint or decision in force, kept verbatim until the user retires it. */
export type Fact = {
  readonly id: FactId;
  readonly text: string;
  readonly scope: FactScope;
  /** `message`: the user said it in this session, so that message shows it. `elsewhere`: only a block of facts does. */
  readonly from: "message" | "elsewhere";
};

/** Words that may become a fact, once the user says so. */
export type Proposal = { readonly id: FactId; readonly text: string; readonly by: "user" | "agent" };

/** What a log says of facts, in order of time. The lists beside `active` hold the newest only. */
export type FactState = {
  readonly active: readonly Fact[];
  readonly proposed: readonly Proposal[];
  readonly refused: readonly FactId[];
  readonly retired: readonly Fact[];
};

export const noFacts: FactState = { active: [], proposed: [], refused: [], retired: [] };

export function proposed(facts: FactState, { fact, text, by }: EntryOf<"fact-proposed">): FactState {
  if (has(facts.active, fact) || has(facts.proposed, fact)) return facts;
  return { ...facts, proposed: newest([...facts.proposed, { id: fact, text, by }]) };
}

/** Pinned again it keeps its place: only its scope or its words may be others. */
export function pinned(facts: FactState, { fact, text, scope }: EntryOf<"fact-pinned">): FactState {
  const isSaid = facts.proposed.some((one) => one.id === fact && one.by === "user" && one.text === text);
  const at = facts.active.findIndex(({ id }) => id === fact);
  const before = facts.active[at];
  const from = isSaid || (before?.text === text && before.from === "message") ? "message" : "elsewhere";
  const pin: Fact = { id: fact, text, scope, from };
  return {
    active: at === -1 ? [...facts.active, pin] : facts.active.with(at, pin),
    proposed: without(facts.proposed, fact),
    refused: facts.refused.filter((id) => id !== fact),
    retired: without(facts.retired, fact),
  };
}

export function refused(facts: FactState, fact: FactId): FactState {
  if (facts.refused.includes(fact)) return facts;
  return { ...facts, proposed: without(facts.proposed, fact), refused: newest([...facts.refused, fact]) };
}

export function retired(facts: FactState, fact: FactId): FactState {
  const found = facts.active.find(({ id }) => id === fact);
  if (found === undefined) return facts;
  return { ...facts, active: without(facts.active, fact), retired: newest([...without(facts.retired, fact), found]) };
}

function has(list: readonly { readonly id: FactId }[], fact: FactId): boolean {
  return list.some(({ id }) => id === fact);
}

function without<T extends { readonly id: FactId }>(list: readonly T[], fact: FactId): readonly T[] {
  return has(list, fact) ? list.filter(({ id }) => id !== fact) : list;
}

function newest<T>(list: readonly T[]): readonly T[] {
  return list.slice(-bounds.factsRememberedMax);
}
