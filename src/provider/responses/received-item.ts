import type { CallId } from "../../kernel/ids.ts";
import type { AssistantBlock } from "../../log/block.ts";
import { legalToolName } from "../calls.ts";
import { listAt, recordOf, stringAt } from "../lenient.ts";
import { isJsonObject, wellFormedJson, wellFormedRaw } from "../text.ts";
import { toolNameCharsMax } from "./capabilities.ts";

type Raw = Readonly<Record<string, unknown>>;

/** A finished output item as a block: `wire` is what goes back in every later request, ids and encrypted parts included. */
export function blockOf(item: Raw, idFor: (id: string) => CallId): AssistantBlock {
  const type = stringAt(item, "type");
  if (type === "function_call") return callOf(item, idFor);
  const wire = wellFormedJson(item);
  if (type === "message") return { type: "text", text: saidIn(item), wire };
  if (type === "reasoning") return { type: "reasoning", text: thoughtIn(item), ...(canGoBack(item) ? { wire } : {}) };
  if (type === "compaction" && stringAt(item, "encrypted_content") !== "")
    return { type: "compaction", text: "", wire };
  return { type: "opaque", wire };
}

/** Texts and refusals of a message, as they were shown. */
function saidIn(item: Raw): string {
  return listAt(item, "content")
    .map(recordOf)
    .map((part) => stringAt(part, "text") + stringAt(part, "refusal"))
    .filter((text) => text !== "")
    .join("\n");
}

export function isRefusal(item: Raw): boolean {
  return listAt(item, "content").some((part) => recordOf(part).type === "refusal");
}

function thoughtIn(item: Raw): string {
  const texts = (key: string) => listAt(item, key).map((part) => stringAt(recordOf(part), "text"));
  const summary = texts("summary");
  return (summary.length > 0 ? summary : texts("content")).join("\n\n");
}

/** Nothing is stored, so an item that holds no more than its id and a summary would not be known again, and is refused. */
function canGoBack(item: Raw): boolean {
  return stringAt(item, "encrypted_content") !== "" || listAt(item, "content").length > 0;
}

/**
 * The input is kept as it came, also where it is no JSON object: the agent answers with an error result. What goes back
 * then carries `{}`, and the id that its result will name (CASES C-023).
 */
function callOf(item: Raw, idFor: (id: string) => CallId): AssistantBlock {
  const callId = idFor(stringAt(item, "call_id"));
  const tool = stringAt(item, "name") === "" ? "unnamed" : stringAt(item, "name");
  const given = stringAt(item, "arguments");
  const input = given.trim() === "" ? "{}" : given;
  const legal = isJsonObject(input) ? wellFormedRaw(input) : "{}";
  const name = legalToolName(tool, toolNameCharsMax);
  const wire = wellFormedJson({ ...item, call_id: callId, name, arguments: legal });
  return { type: "tool-call", callId, tool, input, wire };
}
