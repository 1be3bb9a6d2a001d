import { parseJson } from "../../kernel/json.ts";
import type { Wire } from "../../kernel/usage.ts";
import type { BrainMessage, BrainPart, BrainRequest } from "./brain.ts";
import { geminiRequest } from "./gemini-brain.ts";
import { responsesRequest } from "./responses-brain.ts";
import type { SimModel } from "./sim-model.ts";
import { toolsReferenced } from "./tool-changes.ts";
import { blocksOf, listOf, messagesOf, recordOf, textOf } from "./value.ts";

type Body = Readonly<Record<string, unknown>>;

/** The received request as a brain sees it: neighbours of one role are one message, on either wire. */
export function brainRequestOf({ wire, id }: Pick<SimModel, "wire" | "id">, body: Body, served: number): BrainRequest {
  return { wire, model: id, served, ...readers[wire](body) };
}

const readers: Readonly<Record<Wire, (body: Body) => Read>> = {
  anthropic: anthropicRequest,
  chat: chatRequest,
  responses: (body) => {
    const read = responsesRequest(body);
    return { ...read, messages: merged(read.messages) };
  },
  gemini: geminiRequest,
};

type Read = Pick<BrainRequest, "system" | "tools" | "messages">;

function anthropicRequest(body: Body): Read {
  const named = new Set(toolsReferenced(body));
  const tools = listOf(body.tools).map(recordOf);
  return {
    system: blocksOf(body.system).map((block) => textOf(block.text)),
    tools: tools
      .filter((tool) => tool.defer_loading !== true || named.has(textOf(tool.name)))
      .map(toolOf("input_schema")),
    messages: merged(anthropicMessages(body)),
  };
}

/** A reference reads as the definition it stands for (PROTOCOLS A.7). */
function withDefinitions(block: Body, tools: readonly Body[]): Body {
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return block;
  const content = block.content.map(recordOf).map((part) => {
    const tool = part.type === "tool_reference" ? tools.find(({ name }) => name === part.tool_name) : undefined;
    if (tool === undefined) return part;
    const { defer_loading: _hidden, cache_control: _mark, ...definition } = tool;
    return { type: "text", text: JSON.stringify(definition) };
  });
  return { ...block, content };
}

/** What stands before a compaction is not read any more; what it says is the service's, in the user's place (PROTOCOLS A.5). */
function anthropicMessages(body: Body): readonly BrainMessage[] {
  const tools = listOf(body.tools).map(recordOf);
  const all = messagesOf(body).map(({ role, content }) => ({
    role: roleOf(role),
    blocks: blocksOf(content).map((block) => withDefinitions(block, tools)),
  }));
  const from = all.findLastIndex(({ blocks }) => blocks.some(holdsSummary));
  return all.slice(Math.max(0, from)).flatMap(({ role, blocks }, index) => {
    const at = index === 0 ? blocks.findLastIndex(holdsSummary) : -1;
    const parts = blocks.slice(at + 1).flatMap((block) => (block.type === "compaction" ? [] : [anthropicPart(block)]));
    if (at === -1) return [{ role, parts }];
    const summary = { type: "text" as const, text: textOf(blocks[at]?.content) };
    return [{ role: "user" as const, parts: [summary] }, ...(parts.length === 0 ? [] : [{ role, parts }])];
  });
}

function holdsSummary({ type, content }: Body): boolean {
  return type === "compaction" && typeof content === "string";
}

function chatRequest(body: Body): Read {
  const messages = messagesOf(body);
  const head = messages.findIndex((message) => roleOf(message.role) !== "system");
  const cut = head === -1 ? messages.length : head;
  return {
    system: messages.slice(0, cut).map((message) => plainText(message.content)),
    tools: listOf(body.tools).map((tool) => toolOf("parameters")(recordOf(recordOf(tool).function))),
    messages: merged(messages.slice(cut).map((message) => ({ role: roleOf(message.role), parts: chatParts(message) }))),
  };
}

function toolOf(schema: "input_schema" | "parameters") {
  return (tool: Body) => ({
    name: textOf(tool.name),
    description: textOf(tool.description),
    schema: tool[schema] ?? null,
  });
}

function roleOf(role: unknown): BrainMessage["role"] {
  if (role === "assistant") return "assistant";
  return role === "system" || role === "developer" ? "system" : "user";
}

function merged(messages: readonly BrainMessage[]): readonly BrainMessage[] {
  const out: BrainMessage[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (last?.role === message.role)
      out[out.length - 1] = { role: last.role, parts: [...last.parts, ...message.parts] };
    else out.push(message);
  }
  return out;
}

const anthropicParts: Readonly<Record<string, (block: Body) => BrainPart>> = {
  text: (block) => ({ type: "text", text: textOf(block.text) }),
  thinking: (block) => ({ type: "reasoning", text: textOf(block.thinking) }),
  redacted_thinking: () => ({ type: "reasoning", text: "" }),
  tool_use: (block) => ({ type: "call", id: textOf(block.id), tool: textOf(block.name), input: block.input }),
  tool_result: (block) => ({
    type: "result",
    id: textOf(block.tool_use_id),
    text: plainText(block.content),
    isError: block.is_error === true,
  }),
  image: () => ({ type: "image" }),
};

function anthropicPart(block: Body): BrainPart {
  const read = anthropicParts[textOf(block.type)];
  return read === undefined ? { type: "other", kind: textOf(block.type) } : read(block);
}

function chatParts(message: Body): readonly BrainPart[] {
  if (message.role === "tool") {
    return [{ type: "result", id: textOf(message.tool_call_id), text: plainText(message.content), isError: false }];
  }
  const reasoning = textOf(message.reasoning_content);
  const calls = listOf(message.tool_calls)
    .map(recordOf)
    .map((call): BrainPart => {
      const made = recordOf(call.function);
      const input = parseJson(textOf(made.arguments));
      return {
        type: "call",
        id: textOf(call.id),
        tool: textOf(made.name),
        input: input.type === "ok" ? input.value : {},
      };
    });
  const texts = message.content === null || message.content === "" ? [] : blocksOf(message.content).map(chatPart);
  return [...(reasoning === "" ? [] : [{ type: "reasoning" as const, text: reasoning }]), ...texts, ...calls];
}

function chatPart(block: Body): BrainPart {
  if (block.type === "text") return { type: "text", text: textOf(block.text) };
  return block.type === "image_url" ? { type: "image" } : { type: "other", kind: textOf(block.type) };
}

function plainText(content: unknown): string {
  return blocksOf(content)
    .map((block) => textOf(block.text))
    .join("\n");
}
