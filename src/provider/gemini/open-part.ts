import { isRecord } from "../../kernel/canonical.ts";
import type { CallId } from "../../kernel/ids.ts";
import type { AssistantBlock } from "../../log/block.ts";
import type { Delta } from "../codec.ts";
import { recordAt, stringAt } from "../lenient.ts";
import { wellFormedJson } from "../text.ts";

type Raw = Readonly<Record<string, unknown>>;

/** A part while its pieces arrive. Only texts grow; everything else comes whole. */
export type OpenPart = { raw: Raw; readonly grows: boolean };

/**
 * Takes a part of a chunk. A stream cuts a text where it likes, so neighbouring texts without a signature are pieces of one
 * part and are joined: sent back in the stream's pieces they would be as many parts as there were chunks. A part with a
 * signature stands alone, exactly as it came, also where its text is empty: the service signs that part, and one that is
 * signed must never be merged with one that is not (PROTOCOLS C.2).
 */
export function takePart(parts: OpenPart[], raw: Raw): void {
  if (!isPlainText(raw)) {
    parts.push({ raw, grows: false });
    return;
  }
  const last = parts.at(-1);
  if (last?.grows === true && isThought(last.raw) === isThought(raw)) {
    last.raw = { ...last.raw, text: stringAt(last.raw, "text") + stringAt(raw, "text") };
  } else if (stringAt(raw, "text") !== "") parts.push({ raw, grows: true });
}

export function deltasOf(raw: Raw): readonly Delta[] {
  const call = recordAt(raw, "functionCall");
  if (Object.keys(call).length > 0) return [{ type: "call-start", tool: stringAt(call, "name") }];
  const text = stringAt(raw, "text");
  return text === "" ? [] : [{ type: isThought(raw) ? "reasoning" : "text", text }];
}

export function shownText({ raw }: OpenPart): string {
  return isThought(raw) ? "" : stringAt(raw, "text");
}

/** The block as it is kept: `wire` is what goes back, byte for byte, in every later request. */
export function blockOf({ raw }: OpenPart, idFor: (id: string) => CallId): AssistantBlock {
  if (typeof raw.functionCall === "object" && raw.functionCall !== null) return callOf(raw, idFor);
  const wire = wellFormedJson(raw);
  if (typeof raw.text !== "string") return { type: "opaque", wire };
  return { type: isThought(raw) ? "reasoning" : "text", text: raw.text, wire };
}

function isPlainText(raw: Raw): boolean {
  return typeof raw.text === "string" && Object.keys(raw).every((key) => key === "text" || key === "thought");
}

function isThought(raw: Raw): boolean {
  return raw.thought === true;
}

/**
 * What goes back is the part as it came, with the id it has or has not: the service signs it, and the answer repeats what it
 * says (`part.ts`). Only in the log has every call an id of its own (CASES C-023). What could not be sent back at all is made
 * legal: arguments that are no object, to which the agent answers with an error result, and an empty name.
 */
function callOf(raw: Raw, idFor: (id: string) => CallId): AssistantBlock {
  const call = recordAt(raw, "functionCall");
  const tool = stringAt(call, "name") === "" ? "unnamed" : stringAt(call, "name");
  const args = call.args ?? {};
  const isLegal = (call.args === undefined || isRecord(call.args)) && call.name === tool;
  const made = isLegal ? raw : { ...raw, functionCall: { ...call, name: tool, args: isRecord(args) ? args : {} } };
  return {
    type: "tool-call",
    callId: idFor(stringAt(call, "id")),
    tool,
    input: JSON.stringify(args),
    wire: wellFormedJson(made),
  };
}
