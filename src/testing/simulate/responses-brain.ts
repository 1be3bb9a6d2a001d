import { parseJson } from "../../kernel/json.ts";
import type { BrainMessage, BrainPart, BrainRequest } from "./brain.ts";
import { openSummary } from "./compaction-seal.ts";
import { decryptReasoning } from "./responses-reasoning.ts";
import { clientSearch, type DeclaredTool, shownTools, toolSearchName } from "./responses-tools.ts";
import { blocksOf, inputItemsOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** A Responses request as a brain sees it: each item is a message of its own until neighbours are joined. */
export function responsesRequest(body: Body): Pick<BrainRequest, "system" | "tools" | "messages"> {
  const given = inputItemsOf(body);
  const newest = given.findLastIndex((item) => item.type === "compaction");
  const items = given.filter((item, at) => isShown(item, at >= newest));
  const end = items.findIndex((item) => messageOf(item).role !== "system");
  const head = items.slice(0, end === -1 ? items.length : end);
  const instructions = textOf(body.instructions);
  return {
    system: [...(instructions === "" ? [] : [instructions]), ...head.map((item) => plainText(item.content))],
    tools: [...searchOf(body), ...shownTools(body).map(toolOf)],
    messages: items.slice(head.length).map(messageOf),
  };
}

function searchOf(body: Body): BrainRequest["tools"] {
  const search = clientSearch(body);
  return search === undefined ? [] : [toolOf({ tool: search, type: "function", name: toolSearchName })];
}

function toolOf({ tool, type, name }: Pick<DeclaredTool, "tool" | "type" | "name">): BrainRequest["tools"][number] {
  // A custom tool takes plain text: it has no schema.
  return { name, description: textOf(tool.description), schema: type === "custom" ? null : (tool.parameters ?? null) };
}

/** Before the newest compaction only messages of the user and of the developer are read (PROTOCOLS B.4). */
function isShown(item: Body, isNew: boolean): boolean {
  const type = textOf(item.type) || "message";
  if (type === "additional_tools" || type === "compaction_trigger") return false;
  return isNew || (type === "message" && item.role !== "assistant");
}

function messageOf(item: Body): BrainMessage {
  const type = textOf(item.type) || "message";
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return read?.(item) ?? { role: "assistant", parts: [{ type: "other", kind: type }] };
}

const readers: Readonly<Record<string, (item: Body) => BrainMessage>> = {
  message: (item) => ({ role: roleOf(item.role), parts: blocksOf(item.content).map(partOf) }),
  reasoning: (item) => said({ type: "reasoning", text: decryptReasoning(item.encrypted_content)?.text ?? "" }),
  function_call: (item) => {
    const input = parseJson(textOf(item.arguments));
    return said({
      type: "call",
      id: textOf(item.call_id),
      tool: textOf(item.name),
      input: input.type === "ok" ? input.value : {},
    });
  },
  custom_tool_call: (item) =>
    said({ type: "call", id: textOf(item.call_id), tool: textOf(item.name), input: item.input }),
  tool_search_call: (item) =>
    said({ type: "call", id: textOf(item.call_id), tool: toolSearchName, input: item.arguments }),
  function_call_output: resultOf,
  custom_tool_call_output: resultOf,
  tool_search_output: (item) => resultOf({ ...item, output: JSON.stringify(item.tools) }),
  compaction: (item) => ({
    role: "user",
    parts: [{ type: "text", text: openSummary(item.encrypted_content)?.text ?? "" }],
  }),
  configuration_update: () => ({ role: "system", parts: [{ type: "other", kind: "configuration_update" }] }),
};

function said(part: BrainPart): BrainMessage {
  return { role: "assistant", parts: [part] };
}

function resultOf(item: Body): BrainMessage {
  const text = plainText(item.output);
  return { role: "user", parts: [{ type: "result", id: textOf(item.call_id), text, isError: false }] };
}

function roleOf(role: unknown): BrainMessage["role"] {
  if (role === "assistant") return "assistant";
  return role === "system" || role === "developer" ? "system" : "user";
}

function partOf(part: Body): BrainPart {
  if (part.type === "input_image") return { type: "image" };
  const text = part.type === "refusal" ? part.refusal : part.text;
  return typeof text === "string" ? { type: "text", text } : { type: "other", kind: textOf(part.type) };
}

function plainText(content: unknown): string {
  return blocksOf(content)
    .map((part) => textOf(recordOf(part).text))
    .join("\n");
}
