import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { own } from "../kernel/own.ts";
import { listAt, numberAt, recordAt, stringAt } from "../provider/lenient.ts";

/** What the provider itself says of a request, beside its usage: why its cache missed, and which reasoning it left out. */
export type Diagnosis = {
  /** `pending`: asked, and not known yet; `not-comparable`: it no longer knows the request before. null: it said nothing. */
  readonly cache: "hit" | "pending" | "not-comparable" | "unavailable" | CacheMissSaid | null;
  /** Blocks of earlier reasoning that the model did not get, with the provider's reasons. */
  readonly dropped: readonly { readonly where: string; readonly reason: string }[];
};

export type CacheMissSaid = { readonly cause: SaidCause; readonly said: string; readonly tokens: number | null };

/** In the ledger's own words where they have the same meaning; `said` keeps the provider's. */
type SaidCause = "model-changed" | "key-changed" | "tools-changed" | "system-changed" | "messages-changed" | "other";

/** From the `report` of a response (JSON of what came beside the answer); null where it holds nothing of the kind. */
export function diagnosisOf(report: string | null): Diagnosis | null {
  if (report === null) return null;
  const parsed = parseJson(report);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return null;
  const cache = anthropicCache(parsed.value) ?? openAiCache(parsed.value);
  const dropped = listAt(parsed.value, "input_transformations").filter(isRecord).flatMap(droppedBy);
  return cache === null && dropped.length === 0 ? null : { cache, dropped };
}

type Raw = Readonly<Record<string, unknown>>;

/** `diagnostics.cache_miss_reason` (PROTOCOLS A.2): null inside means still pending, no `diagnostics` at all a hit or no answer. */
function anthropicCache(report: Raw): Diagnosis["cache"] {
  if (!isRecord(report.diagnostics)) return null;
  const reason = recordAt(report.diagnostics, "cache_miss_reason");
  const said = stringAt(reason, "type");
  if (said === "") return "pending";
  if (said === "previous_message_not_found") return "not-comparable";
  if (said === "unavailable") return "unavailable";
  return { cause: own(causes, said) ?? "other", said, tokens: numberAt(reason, "cache_missed_input_tokens") };
}

/** `prompt_cache_diagnostics` (PROTOCOLS B.2). */
function openAiCache(report: Raw): Diagnosis["cache"] {
  const found = recordAt(report, "prompt_cache_diagnostics");
  const type = stringAt(found, "type");
  if (type === "cache_hit") return "hit";
  if (type === "comparison_response_not_found") return "not-comparable";
  if (type === "unavailable") return "unavailable";
  if (type !== "cache_miss") return null;
  const said = stringAt(found, "reason");
  return { cause: own(causes, said) ?? "other", said, tokens: numberAt(found, "cache_missed_tokens") };
}

const causes: Readonly<Record<string, SaidCause>> = {
  model_changed: "model-changed",
  tools_changed: "tools-changed",
  system_changed: "system-changed",
  messages_changed: "messages-changed",
  input_changed: "messages-changed",
  context_compacted: "messages-changed",
  prompt_cache_key_changed: "key-changed",
  text_format_changed: "key-changed",
  reasoning_effort_changed: "key-changed",
  verbosity_changed: "key-changed",
  service_tier_changed: "key-changed",
};

function droppedBy(one: Raw): Diagnosis["dropped"] {
  const isDrop = stringAt(one, "type") === "thinking_dropped" || stringAt(one, "action") === "removed";
  if (!isDrop) return [];
  return [{ where: stringAt(one, "path") || stringAt(one, "id"), reason: stringAt(one, "reason") || "not said" }];
}
