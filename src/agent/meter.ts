import { correct, initialEstimate } from "../budget/learn.ts";
import { own } from "../kernel/own.ts";
import { promptTokensOf, type Usage } from "../kernel/usage.ts";
import { predictCache } from "../ledger/forecast.ts";
import { sumOf } from "../ledger/noted.ts";
import type { EntryBody } from "../log/entry.ts";
import { headTokensOf } from "../log/state.ts";
import { isHead } from "../prompt/segment.ts";
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
  if (after === before) return [];
  const headTokens = headTokensOf(state) === null ? measuredHead(prompt, usage, lane) : null;
  return [{ type: "estimate-corrected", model, estimate: after, ...(headTokens === null ? {} : { headTokens }) }];
}

/** By the request before, or where there was none, by this first one; null: the messages outweigh what could be told of it. */
function measuredHead({ segments, doc }: Prompt, usage: Usage, lane: Lane): number | null {
  const noted = notedOf(segments);
  const head = noted.filter(isHead);
  const { previous } = lane.ledger().lane;
  if (previous?.measured === true && previous.model === doc.model.model) {
    const known = previous.segments.filter(isHead);
    const isSame = known.length === head.length && known.every(({ hash }, at) => hash === head[at]?.hash);
    return isSame ? Math.round(sumOf(known)) : null;
  }
  const messages = sumOf(noted.filter((segment) => !isHead(segment)));
  return messages > sumOf(head) / 4 ? null : promptTokensOf(usage) - Math.round(messages);
}

function trustOf({ report, cleared }: Received): "reported" | "reasoning-dropped" | "server-edited" {
  if (report?.includes("thinking_dropped") || report?.includes('"removed"')) return "reasoning-dropped";
  return cleared === undefined ? "reported" : "server-edited";
}
