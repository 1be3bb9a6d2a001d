import { isRecord } from "../../kernel/canonical.ts";
import { openSummary } from "./compaction-seal.ts";
import { invalidType, invalidValue, unknownParameter } from "./responses-found.ts";
import { unknownMember } from "./responses-request-rules.ts";
import { type Found, firstOf, type Rule } from "./rule.ts";
import { inputItemsOf, recordOf, textOf } from "./value.ts";

const windowFields = new Set(
  "model input instructions image previous_response_id prompt_cache_key prompt_cache_options prompt_cache_retention service_tier".split(
    " ",
  ),
);

/** A conversation that the service sums up itself: at a threshold, when triggered, or as a window (PROTOCOLS B.4). */
export const responsesCompactionRules: readonly Rule[] = [
  {
    id: "window-field",
    paragraph: "B.4",
    check: ({ body, isWindow }) =>
      isWindow ? firstOf(Object.keys(body), (name) => (windowFields.has(name) ? null : unknownParameter(name))) : null,
  },
  { id: "context-management", paragraph: "B.4", check: ({ body }) => badManagement(body.context_management) },
  {
    id: "compaction-trigger",
    paragraph: "B.4",
    check: ({ body, isWindow }) => {
      const items = inputItemsOf(body);
      const at = items.findIndex(({ type }) => type === "compaction_trigger");
      if (at === -1) return null;
      const param = `input[${at}]`;
      if (at !== items.length - 1 || isWindow)
        return {
          message: "A 'compaction_trigger' must be the final input item of a response.",
          code: "invalid_value",
          param,
        };
      return at > 0
        ? null
        : { message: "There is nothing to compact before the trigger.", code: "invalid_value", param };
    },
  },
  {
    id: "compaction-item",
    paragraph: "B.4",
    check: ({ body }) =>
      firstOf(inputItemsOf(body), (item, at) => {
        if (item.type !== "compaction") return null;
        const seal = openSummary(item.encrypted_content);
        return seal !== null && seal.text !== ""
          ? null
          : {
              message: `The encrypted content for item ${textOf(item.id) || `input[${at}]`} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
              code: "invalid_encrypted_content",
              param: "input",
            };
      }),
  },
];

function badManagement(given: unknown): Found | null {
  const path = "context_management";
  if (given == null) return null;
  if (!Array.isArray(given)) return invalidType(path, "an array");
  return firstOf(given, (entry, at) => {
    const own = `${path}[${at}]`;
    if (!isRecord(entry)) return invalidType(own, "an object");
    const { type, compact_threshold: threshold } = recordOf(entry);
    if (type !== "compaction") return invalidValue(type, ["compaction"], `${own}.type`);
    if (threshold != null && !(Number.isInteger(threshold) && Number(threshold) > 0))
      return invalidType(`${own}.compact_threshold`, "a positive integer");
    return unknownMember(entry, own, ["type", "compact_threshold"]);
  });
}
