import type { Segment } from "../prompt/segment.ts";
import { startsAnswer } from "./answers.ts";
import { type Form, failureForm, inputForm, overForm, resultForm } from "./clear-form.ts";
import { type Outcome, outcomeOf } from "./clear-outcome.ts";
import { type Clearable, type ClearedAs, clearLimits, keptSteps } from "./clear-table.ts";
import type { Memo } from "./memo.ts";
import { type Use, useOf } from "./use.ts";
import { workOf } from "./use-work.ts";

export type Candidate = {
  /** Its place among the segments. */
  readonly at: number;
  readonly as: ClearedAs;
  readonly work: Clearable;
  /** Answers since its last use. */
  readonly ageSteps: number;
  /** Of these, beyond what it is kept for in any case; at most 0: not due. */
  readonly dueSteps: number;
  readonly form: Form;
  readonly savedTokens: number;
};

/**
 * What could be cleared, oldest first: results that an answer has seen, large inputs of calls, texts that are over. Never among them are
 * results without a handle, what is kept by its kind, and a failure that nothing of its kind has overcome yet.
 */
export function candidatesOf(segments: readonly Segment[], memo: Memo): readonly Candidate[] {
  const seen = seenOf(segments, memo);
  const found: Candidate[] = [];
  for (const [at, segment] of segments.entries()) {
    if (at >= seen.unseenFrom) break;
    const take = takers[segment.kind];
    if (take === undefined) continue;
    const tokens = memo.tokensOf(segment);
    if (tokens <= clearLimits.savedTokensMin) continue;
    const one = take(segment, seen, memo);
    if (one === null) continue;
    const savedTokens = tokens - one.form.tokens;
    // Not worth the words that take its place.
    if (savedTokens >= Math.max(clearLimits.savedTokensMin, one.form.tokens)) found.push({ ...one, at, savedTokens });
  }
  return found;
}

type Unpriced = Omit<Candidate, "at" | "savedTokens">;

const takers: Partial<
  Readonly<Record<Segment["kind"], (segment: Segment, seen: Seen, memo: Memo) => Unpriced | null>>
> = {
  "tool-call": callCandidate,
  "tool-result": resultCandidate,
  text: overCandidate,
};

/** One look over the conversation: which step each call was, and what came of things since. Steps count answers from 1. */
type Seen = {
  readonly steps: number;
  readonly unseenFrom: number;
  /**
   * Answers before the newest request: what was last used by then was for an earlier one. A message that follows a call began
   * none, whoever put it there.
   */
  readonly earlierSteps: number;
  readonly placed: ReadonlyMap<Segment, Placed>;
  readonly named: ReadonlyMap<string, number>;
  readonly edited: ReadonlyMap<string, number>;
  readonly achieved: ReadonlyMap<string, number>;
  readonly pictured: ReadonlyMap<string, number>;
};

/** Of a call, and of the result it got. */
type Placed = { readonly step: number; readonly use: Use; outcome: Outcome | null };

function seenOf(segments: readonly Segment[], memo: Memo): Seen {
  const placed = new Map<Segment, Placed>();
  const open = new Map<string, Placed>();
  const named = new Map<string, number>();
  const edited = new Map<string, number>();
  const achieved = new Map<string, number>();
  const pictured = new Map<string, number>();
  let steps = 0;
  let unseenFrom = 0;
  let earlierSteps = 0;
  let asksForTools = false;
  for (const [at, segment] of segments.entries()) {
    const { kind, role, callId = "" } = segment;
    if (role === "assistant") {
      if (startsAnswer(segments, at)) {
        steps++;
        asksForTools = false;
      }
      unseenFrom = at + 1;
    }
    if (role === "user" && !asksForTools && memo.kindOf(segment) === "message") earlierSteps = steps;
    if (kind === "tool-call") {
      asksForTools = true;
      const call: Placed = { step: steps, use: useOf(segment), outcome: null };
      placed.set(segment, call);
      open.set(callId, call);
      for (const name of call.use.names) named.set(name, steps);
    } else if (kind === "tool-result") {
      const result = open.get(callId) ?? { step: steps, use: unknownUse(segment), outcome: null };
      result.outcome = outcomeOf(segment, memo);
      placed.set(segment, result);
      if (result.outcome.picture === "whole") pictured.set(familyOf(segment), result.step);
      if (result.outcome.type === "failed") continue;
      achieved.set(result.use.attempt, result.step);
      if (result.use.work === "edit") for (const name of result.use.names) edited.set(name, result.step);
    }
  }
  return { steps, unseenFrom, earlierSteps, placed, named, edited, achieved, pictured };
}

/** What came without its call, as recalled text may. */
function unknownUse({ tool = "", callId = "" }: Segment): Use {
  return { work: workOf(tool, ""), names: [], attempt: callId };
}

/** Nobody misses what is over: it is due at once. */
function overCandidate(segment: Segment, { steps }: Seen, { overOf }: Memo): Unpriced | null {
  const handle = overOf?.(segment) ?? null;
  if (handle === null) return null;
  return { as: "over", work: "other", ageSteps: steps, dueSteps: steps, form: overForm(handle) };
}

function callCandidate(segment: Segment, seen: Seen): Unpriced | null {
  const { steps, placed, achieved } = seen;
  const call = placed.get(segment);
  if (call === undefined || call.use.work === "kept") return null;
  // What was tried belongs to its failure.
  if (call.outcome?.type === "failed" && (achieved.get(call.use.attempt) ?? 0) <= call.step) return null;
  const form = inputForm(segment);
  if (form === null) return null;
  const ageSteps = steps - call.step;
  return { as: "input", work: "input", ageSteps, dueSteps: dueOf("input", call.step, seen), form };
}

function resultCandidate(segment: Segment, seen: Seen, memo: Memo): Unpriced | null {
  const result = seen.placed.get(segment);
  const handle = segment.callId === undefined ? null : memo.handleOf(segment.callId);
  if (result === undefined || handle === null || segment.text === null) return null;
  const { use, step, outcome } = result;
  const { work } = use;
  if (work === "kept" || outcome === null || memo.showsTools?.(segment) === true) return null;
  const since = (place: number | undefined) => (place !== undefined && place > step ? seen.steps - place : null);
  const lastUse = Math.max(step, ...use.names.map((name) => seen.named.get(name) ?? 0));
  const ageSteps = seen.steps - lastUse;
  const old = { as: "oldest", work, ageSteps, dueSteps: dueOf(work, lastUse, seen) } as const;
  if (outcome.type === "failed" && work !== "read") {
    const settled = since(seen.achieved.get(use.attempt));
    if (settled === null) return null;
    return {
      ...old,
      as: "settled",
      dueSteps: Math.max(settled, old.dueSteps),
      form: failureForm(segment.text, outcome.exitCode, handle),
    };
  }
  const form = resultForm(handle);
  const superseded = outcome.picture !== null ? since(seen.pictured.get(familyOf(segment))) : null;
  if (superseded !== null) return { ...old, as: "superseded", dueSteps: Math.max(superseded, old.dueSteps), form };
  const isRead = work === "read" || work === "shell-read";
  if (isRead && use.names.some((name) => (seen.edited.get(name) ?? 0) > step)) {
    return { ...old, as: "stale", dueSteps: Math.max(ageSteps - clearLimits.staleSteps, old.dueSteps), form };
  }
  return { ...old, form };
}

/** How long it has been kept for more than its kind is kept for; work for an earlier request is done with sooner. */
function dueOf(work: Clearable, lastUse: number, { steps, earlierSteps }: Seen): number {
  const sooner = lastUse <= earlierSteps ? clearLimits.earlierRequestSteps : 0;
  return steps - lastUse - keptSteps[work] + sooner;
}

/** Pages are pictured by several tools of one server or of one name. */
function familyOf({ tool = "" }: Segment): string {
  return tool.startsWith("mcp__") ? tool.split("__").slice(0, 2).join("__") : (tool.split("_")[0] ?? tool);
}
