import { isRecord } from "../../kernel/canonical.ts";
import type { CallId } from "../../kernel/ids.ts";
import { parseJson } from "../../kernel/json.ts";
import type { AssistantBlock } from "../../log/block.ts";
import { toolSearchName } from "../../prompt/doc.ts";
import { legalCallId } from "../anthropic/call-id.ts";
import { legalToolName } from "../calls.ts";
import { listAt, recordOf, stringAt } from "../lenient.ts";
import { isJsonObject, wellFormedJson, wellFormedRaw } from "../text.ts";
import { toolNameCharsMax } from "./capabilities.ts";

type Raw = Readonly<Record<string, unknown>>;

/** A finished output item as a block: `wire` is what goes back in every later request, ids and encrypted parts included. */
export function blockOf(item: Raw, idFor: (id: string) => CallId): AssistantBlock {
  const type = stringAt(item, "type");
  if (type === "function_call") return callOf(item, idFor);
  if (isToolSearchCall(item)) return searchOf(item, idFor);
  const wire = wellFormedJson(item);
  if (type === "message") return { type: "text", text: saidIn(item), wire };
  if (type === "reasoning") return { type: "reasoning", text: thoughtIn(item), ...(canGoBack(item) ? { wire } : {}) };
  if (type === "compaction" && stringAt(item, "encrypted_content") !== "")
    return { type: "compaction", text: "", wire };
  return { type: "opaque", wire };
}

/** As it came, byte for byte; only an id that no provider takes is written as its result writes it. */
export function asReceived(block: AssistantBlock, wire: string): string {
  if (block.type !== "tool-call" || legalCallId(block.callId) === block.callId) return wire;
  const parsed = parseJson(wire);
  if (parsed.type === "bad" || !isRecord(parsed.value)) return wire;
  return wellFormedJson({ ...parsed.value, call_id: legalCallId(block.callId) });
}

/** A search for tools that we are to run (PROTOCOLS B.5); the service's own runs there, and is none of our calls. */
export function isToolSearchCall(item: Raw): boolean {
  return item.type === "tool_search_call" && item.execution === "client";
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

/** Its arguments come as a value, where a function's come as text. */
function searchOf(item: Raw, idFor: (id: string) => CallId): AssistantBlock {
  const callId = idFor(stringAt(item, "call_id"));
  const { arguments: given } = item;
  const input = typeof given === "string" ? given : wellFormedJson(given ?? {});
  const wire = wellFormedJson({ ...item, call_id: callId, ...(isJsonObject(input) ? {} : { arguments: {} }) });
  return { type: "tool-call", callId, tool: toolSearchName, input: input.trim() === "" ? "{}" : input, wire };
}
