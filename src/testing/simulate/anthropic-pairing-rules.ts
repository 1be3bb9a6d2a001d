import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { blocksOf, messagesOf, textOf } from "./value.ts";

type Block = Readonly<Record<string, unknown>>;

/** Calls and their results (PROTOCOLS A.12): each call answered once, in the very next message, before anything else there. */
export const anthropicPairingRules: readonly Rule[] = [
  {
    id: "call-unique",
    paragraph: "A.12",
    check: ({ body }) => {
      const seen = new Set<string>();
      const ids = messagesOf(body).flatMap((message) => callsOf(message));
      return firstOf(ids, (id) => {
        if (seen.has(id)) return `messages: \`tool_use\` ids must be unique. Found duplicate id: ${id}`;
        seen.add(id);
        return null;
      });
    },
  },
  {
    id: "result-of-server-tool",
    paragraph: "A.7",
    check: ({ body }) =>
      firstOf(messagesOf(body), (message, at) => {
        const id = resultsOf(message).find((one) => one.startsWith("srvtoolu_"));
        return id === undefined ? null : `messages.${at}: \`tool_result\` must not answer the server tool call ${id}`;
      }),
  },
  {
    id: "result-twice",
    paragraph: "A.12",
    check: ({ body }) =>
      firstOf(messagesOf(body), (message, at) => {
        const ids = resultsOf(message);
        const twice = ids.find((id, index) => ids.indexOf(id) !== index);
        return twice === undefined
          ? null
          : `messages.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
      }),
  },
  {
    id: "call-answered",
    paragraph: "A.12",
    check: ({ body }) => {
      const messages = messagesOf(body);
      return firstOf(messages, (message, at) => {
        const next = messages[at + 1];
        const answered = new Set(next?.role === "user" ? resultsOf(next) : []);
        const open = callsOf(message).filter((id) => !answered.has(id));
        return open.length === 0
          ? null
          : `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
      });
    },
  },
  {
    id: "result-orphan",
    paragraph: "A.12",
    check: ({ body }) => {
      const messages = messagesOf(body);
      return firstOf(messages, (message, at) => {
        const before = messages[at - 1];
        const called = new Set(before?.role === "assistant" ? callsOf(before) : []);
        const orphan = resultsOf(message).find((id) => !called.has(id));
        return orphan === undefined
          ? null
          : `messages.${at}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      });
    },
  },
  {
    id: "results-first",
    paragraph: "A.12",
    check: ({ body }) =>
      firstOf(messagesOf(body), (message, at) => {
        const blocks = blocksOf(message.content);
        const firstOther = blocks.findIndex((block) => block.type !== "tool_result");
        const lastResult = blocks.findLastIndex((block) => block.type === "tool_result");
        return message.role === "user" && firstOther !== -1 && firstOther < lastResult
          ? `messages.${at}: \`tool_result\` blocks must come first in the message that answers \`tool_use\` blocks`
          : null;
      }),
  },
  { id: "server-tool-open", paragraph: "A.12", check: openServerTool },
];

function callsOf(message: Block): readonly string[] {
  if (message.role !== "assistant") return [];
  return blocksOf(message.content).flatMap((block) => (block.type === "tool_use" ? [textOf(block.id)] : []));
}

function resultsOf(message: Block): readonly string[] {
  if (message.role === "system") return [];
  return blocksOf(message.content).flatMap((block) =>
    block.type === "tool_result" ? [textOf(block.tool_use_id)] : [],
  );
}

/** While a server tool is unresolved, the user's message may hold results only. */
function openServerTool({ body }: RuleInput): Found | null {
  const messages = messagesOf(body);
  return firstOf(messages, (message, at) => {
    const blocks = message.role === "assistant" ? blocksOf(message.content) : [];
    const resolved = new Set(blocks.map((block) => block.tool_use_id));
    const isOpen = blocks.some((block) => block.type === "server_tool_use" && !resolved.has(block.id));
    const next = messages[at + 1];
    if (!isOpen || next?.role !== "user") return null;
    return blocksOf(next.content).every((block) => block.type === "tool_result")
      ? null
      : `messages.${at + 1}: only \`tool_result\` blocks are allowed while a server tool use is unresolved`;
  });
}
