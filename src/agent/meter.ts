import { correct, initialEstimate } from "../budget/learn.ts";
import { own } from "../kernel/own.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import { predictCache } from "../ledger/forecast.ts";
import type { EntryBody } from "../log/entry.ts";
import type { Mark, Received } from "../provider/codec.ts";
import { notedOf } from "../reduction/segment-tokens.ts";
import type { Lane } from "./lane.ts";
import type { Prompt } from "./prompt.ts";

/** By the provider's rules; right after a start, when the ledger knows nothing yet, all that was reported before. */
export function predictedCache(
  lane: Lane,
  { segments, doc }: Pick<Prompt, "segments" | "doc">,
  marks: readonly Mark[],
  cacheKey: string,
): { readonly cacheReadTokens: number; readonly cacheWriteTokens: number } {
  const { wire, model } = doc.model;
  const { lane: known } = lane.ledger();
  const { newest } = lane.state();
  if (known.previous === null && newest?.usage != null && newest.segments > 0)
    return { cacheReadTokens: promptTokensOf(newest.usage), cacheWriteTokens: 0 };
  const sent = { at: lane.fx.clock.now(), wire, model, cacheKey, segments: notedOf(segments), marks };
  const { readTokens, writeTokens } = predictCache(known, sent);
  return { cacheReadTokens: readTokens, cacheWriteTokens: writeTokens };
}

/** The estimate learns from what was reported for what it had counted (DESIGN 7). */
export function learned(prompt: Prompt, received: Received, lane: Lane): readonly EntryBody[] {
  const { usage } = received;
  const state = lane.state();
  const model = state.epoch?.model.model;
  if (usage === null || model === undefined) return [];
  const { carried, counts } = prompt.increment;
  const before = own(state.estimates, model) ?? initialEstimate;
  const after = correct(before, {
    of: carried === null ? "whole" : "increment",
    counts,
    actualTokens: promptTokensOf(usage) - (carried ?? 0),
    trust: trustOf(received),
  });
  return after === before ? [] : [{ type: "estimate-corrected", model, estimate: after }];
}

function trustOf({ report, cleared }: Received): "reported" | "reasoning-dropped" | "server-edited" {
  if (report?.includes("thinking_dropped") || report?.includes('"removed"')) return "reasoning-dropped";
  return cleared === undefined ? "reported" : "server-edited";
}
