import type { CallId } from "../../kernel/ids.ts";
import { parseJson } from "../../kernel/json.ts";
import type { AssistantBlock } from "../../log/block.ts";
import { legalToolName } from "../calls.ts";
import type { Delta } from "../codec.ts";
import { stringAt } from "../lenient.ts";
import { isJsonObject, wellFormedJson, wellFormedRaw } from "../text.ts";
import { toolNameCharsMax } from "./call-id.ts";

/** A content block while its deltas arrive. */
export type OpenBlock = {
  readonly started: readonly Delta[];
  push(delta: Raw): readonly Delta[];
  shownText(): string;
  /** The block as it is kept: `wire` is what goes back, byte for byte, in every later request. */
  close(idFor: (id: string) => CallId): AssistantBlock;
};

type Raw = Readonly<Record<string, unknown>>;

export function openBlock(start: Raw): OpenBlock {
  const block: Growing = { fields: { ...start }, partialJson: "" };
  const type = stringAt(start, "type");
  return {
    started: startDeltas(type, start),
    push(delta) {
      const kind = stringAt(delta, "type");
      return Object.hasOwn(growth, kind) ? (growth[kind]?.(block, delta) ?? []) : [];
    },
    shownText: () => (type === "text" ? stringAt(block.fields, "text") : ""),
    close: (idFor) => closed(type, block, idFor),
  };
}

type Growing = { fields: Record<string, unknown>; partialJson: string };

function startDeltas(type: string, start: Raw): readonly Delta[] {
  if (type === "tool_use") return [{ type: "call-start", tool: stringAt(start, "name") }];
  const text = stringAt(start, "text");
  return type === "text" && text !== "" ? [{ type: "text", text }] : [];
}

const growth: Readonly<Record<string, (block: Growing, delta: Raw) => readonly Delta[]>> = {
  text_delta: (block, delta) => [{ type: "text", text: grow(block, "text", delta, "text") }],
  thinking_delta: (block, delta) => [{ type: "reasoning", text: grow(block, "thinking", delta, "thinking") }],
  signature_delta: (block, delta) => {
    grow(block, "signature", delta, "signature");
    return [];
  },
  compaction_delta: (block, delta) => {
    for (const [key, value] of Object.entries(delta)) {
      if (key === "type") continue;
      if (typeof value === "string") grow(block, key, delta, key);
      else block.fields[key] = value;
    }
    return [];
  },
  input_json_delta: (block, delta) => {
    block.partialJson += stringAt(delta, "partial_json");
    return [];
  },
  citations_delta: (block, delta) => {
    const known = block.fields.citations;
    block.fields.citations = [...(Array.isArray(known) ? known : []), delta.citation];
    return [];
  },
};

function grow(block: Growing, field: string, delta: Raw, from: string): string {
  const text = stringAt(delta, from);
  block.fields[field] = stringAt(block.fields, field) + text;
  return text;
}

function closed(type: string, block: Growing, idFor: (id: string) => CallId): AssistantBlock {
  if (type === "tool_use") return closedCall(block, idFor);
  const partial = block.partialJson.trim();
  const wire = wireOf(block.fields, parseJson(partial).type === "ok" ? wellFormedRaw(partial) : "");
  if (type === "text") return { type: "text", text: stringAt(block.fields, "text"), wire };
  if (type === "thinking") return { type: "reasoning", text: stringAt(block.fields, "thinking"), wire };
  if (type === "redacted_thinking") return { type: "reasoning", text: "", wire };
  // Without content it says that none was made, and counts for nothing (PROTOCOLS A.5).
  const content = stringAt(block.fields, "content");
  if (type === "compaction" && content !== "") return { type: "compaction", text: content, wire };
  return { type: "opaque", wire };
}

/**
 * A call's input is kept as the text that came, also where it is no JSON object: the agent answers such a call with an
 * error result. What goes back must be legal, so `wire` then carries `{}` in its place (CASES C-023).
 */
function closedCall(block: Growing, idFor: (id: string) => CallId): AssistantBlock {
  const callId = idFor(stringAt(block.fields, "id"));
  const tool = stringAt(block.fields, "name");
  const input = block.partialJson.trim() === "" ? givenInput(block.fields) : block.partialJson;
  const fields = { ...block.fields, id: callId, name: legalToolName(tool, toolNameCharsMax) };
  const wire = wireOf(
    "input" in fields ? fields : { ...fields, input: {} },
    isJsonObject(input) ? wellFormedRaw(input.trim()) : "{}",
  );
  return { type: "tool-call", callId, tool, input, wire };
}

function givenInput(fields: Raw): string {
  return JSON.stringify(fields.input ?? {});
}

/** The block's JSON with the streamed input in its place as it was written: numbers and order of keys stay. */
function wireOf(fields: Raw, input: string): string {
  const members = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${key === "input" && input !== "" ? input : wellFormedJson(value)}`);
  return `{${members.join(",")}}`;
}
