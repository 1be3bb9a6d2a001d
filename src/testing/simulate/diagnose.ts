import { isRecord } from "../../kernel/canonical.ts";
import type { Wire } from "../../kernel/usage.ts";
import { changeBetween, type Sight } from "./miss.ts";
import { recordOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;
type SightOf = (answerId: unknown) => Sight | undefined;

/** The provider's own diagnosis against an earlier answer, in its own shape; undefined where none was asked for. */
export function diagnosisFor(wire: Wire, body: Body, now: Sight, sightOf: SightOf): unknown {
  return diagnoses[wire]?.(body, now, sightOf);
}

const diagnoses: Readonly<Record<Wire, ((body: Body, now: Sight, sightOf: SightOf) => unknown) | null>> = {
  anthropic: anthropicDiagnosis,
  chat: null,
  responses: responsesDiagnosis,
  gemini: null,
};

/** `diagnostics` (PROTOCOLS A.2): null where nothing diverged or nothing is to be compared. */
function anthropicDiagnosis({ diagnostics }: Body, now: Sight, sightOf: SightOf): unknown {
  if (!isRecord(diagnostics)) return undefined;
  const id = diagnostics.previous_message_id;
  if (typeof id !== "string") return null;
  const before = sightOf(id);
  if (before === undefined) return { cache_miss_reason: { type: "previous_message_not_found" } };
  const change = changeBetween(before, now);
  if (change === null) return null;
  if (change === "key-changed") return { cache_miss_reason: { type: "unavailable" } };
  const missed = missedTokens(before, now);
  return { cache_miss_reason: { type: change.replace("-", "_"), cache_missed_input_tokens: missed } };
}

/** `prompt_cache_diagnostics` (PROTOCOLS B.2). */
function responsesDiagnosis(body: Body, now: Sight, sightOf: SightOf): unknown {
  const id = recordOf(body.prompt_cache_options).comparison_response_id;
  if (typeof id !== "string") return undefined;
  const before = sightOf(id);
  if (before === undefined) return { type: "comparison_response_not_found" };
  const reason = responsesReason(before, now);
  if (reason !== null) return { type: "cache_miss", reason, cache_missed_tokens: missedTokens(before, now) };
  // What only expired, or changed in a part that has no name there, cannot be said.
  const isSame = changeBetween(before, now) === null && missedTokens(before, now) === 0;
  return { type: isSame ? "cache_hit" : "unavailable" };
}

function responsesReason(before: Sight, now: Sight): string | null {
  if (before.model !== now.model) return "model_changed";
  const changed = (name: string) => before.key.named?.[name] !== now.key.named?.[name];
  if (changed("prompt_cache_key")) return "prompt_cache_key_changed";
  const compactions = (sight: Sight) => sight.segments.flatMap(({ kind, hash }) => (kind === "summary" ? [hash] : []));
  if (compactions(now).some((hash) => !compactions(before).includes(hash))) return "context_compacted";
  const prompt = changeBetween({ ...before, key: now.key }, now);
  if (prompt === "tools-changed") return "tools_changed";
  const name = ["text_format", "reasoning_effort", "verbosity"].find(changed);
  if (name !== undefined) return `${name}_changed`;
  return prompt === null ? null : "input_changed";
}

function missedTokens(before: Sight, now: Sight): number {
  const left = Math.max(0, ...before.use.left.map((entry) => entry.tokens));
  return Math.max(0, left - now.use.readTokens);
}
