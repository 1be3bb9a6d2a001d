import { bounds } from "../kernel/bounds.ts";
import type { Category } from "./report.ts";

/** What blocks are added up by: a category, and for results the tool. */
export type PartKey = { readonly category: Category; readonly tool: string | null; readonly server: string | null };

/** Sums of one part. `usd` holds the calls with a price only. */
export type PartSums = { count: number; entered: number; paid: number; usd: number };

export type PartEntry = PartKey & {
  /** Of the session. */
  readonly own: PartSums;
  /** Without the calls that an earlier file holds. */
  readonly counted: PartSums;
};

export type Parts = {
  /** Its number, the same for the same key. */
  readonly indexOf: (key: PartKey) => number;
  readonly at: (index: number) => PartEntry;
  readonly all: readonly PartEntry[];
};

/** Beyond the bound, tools share one part: a file may name any number of them. */
export function openParts(): Parts {
  const all: PartEntry[] = [];
  const numbers = new Map<string, number>();
  const indexOf = (key: PartKey): number => {
    const name = `${key.category}\n${key.tool ?? ""}`;
    const known = numbers.get(name);
    if (known !== undefined) return known;
    if (key.tool !== null && key.tool !== otherTools && numbers.size >= bounds.auditPartsMax)
      return indexOf({ ...key, tool: otherTools, server: null });
    all.push({ ...key, own: noSums(), counted: noSums() });
    numbers.set(name, all.length - 1);
    return all.length - 1;
  };
  const at = (index: number): PartEntry => {
    const entry = all[index];
    if (entry === undefined) throw new Error(`no part ${index} of ${all.length}`);
    return entry;
  };
  return { indexOf, at, all };
}

const otherTools = "(other tools)";

export function noSums(): PartSums {
  return { count: 0, entered: 0, paid: 0, usd: 0 };
}

export function addSums(to: PartSums, from: PartSums): void {
  to.count += from.count;
  to.entered += from.entered;
  to.paid += from.paid;
  to.usd += from.usd;
}

/**
 * Changes what the prompts cost as a whole. More than was told apart is not in the log; less is taken from all parts alike,
 * so that none falls below zero.
 */
export function changePrompts(
  parts: Parts,
  by: { readonly paid: number; readonly usd: number },
  of: "own" | "counted",
): void {
  const unexplained = parts.at(parts.indexOf({ category: "not-in-log", tool: null, server: null }))[of];
  for (const unit of ["paid", "usd"] as const) {
    if (by[unit] >= 0) unexplained[unit] += by[unit];
    else scale(parts, unit, of, by[unit]);
  }
}

function scale(parts: Parts, unit: "paid" | "usd", of: "own" | "counted", by: number): void {
  const prompts = parts.all.filter(({ category }) => category !== "output");
  const whole = prompts.reduce((sum, part) => sum + part[of][unit], 0);
  const left = whole <= 0 ? 0 : Math.max(0, 1 + by / whole);
  for (const part of prompts) part[of][unit] *= left;
}

/** For people. */
export function partLabel({ category, tool }: Pick<PartKey, "category" | "tool">): string {
  return tool === null ? categoryLabels[category] : `${tool} ${category === "results" ? "results" : "calls"}`;
}

const categoryLabels: Readonly<Record<Category, string>> = {
  "unlogged-head": "system prompt and tools (not logged)",
  system: "system prompt",
  tools: "tool declarations",
  typed: "typed by you",
  injected: "injected by the program",
  summaries: "summaries",
  assistant: "assistant text",
  reasoning: "reasoning",
  calls: "tool calls",
  results: "tool results",
  images: "images",
  "not-in-log": "not explained by the log",
  output: "answers (output)",
};
