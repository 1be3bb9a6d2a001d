import { isRecord } from "../../kernel/canonical.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { blocksOf, listOf, messagesOf, recordOf, textOf } from "./value.ts";

type Block = Readonly<Record<string, unknown>>;

const messagesMax = 100_000;
const messageFields = new Set(["role", "content"]);
const systemFields = new Set(["role", "content", "clear_at", "output_config"]);

/** The order of messages and whose turn it is. */
export const anthropicMessageRules: readonly Rule[] = [
  {
    id: "messages-list",
    paragraph: "A.12",
    check: ({ body }) => {
      if (!Array.isArray(body.messages)) return { message: "messages: Field required" };
      if (body.messages.length === 0) return { message: "messages: at least one message is required" };
      return body.messages.length > messagesMax
        ? { message: `messages: at most ${messagesMax} messages are allowed` }
        : null;
    },
  },
  {
    id: "role",
    paragraph: "A.12",
    check: ({ body }) =>
      firstOf(listOf(body.messages), (message, at) => {
        const { role, ...rest } = recordOf(message);
        if (role !== "user" && role !== "assistant" && role !== "system")
          return `messages.${at}.role: Input should be 'user' or 'assistant'`;
        const fields = role === "system" ? systemFields : messageFields;
        const extra = Object.keys(rest).find((name) => !fields.has(name));
        return extra === undefined ? null : `messages.${at}.${extra}: Extra inputs are not permitted`;
      }),
  },
  {
    id: "content",
    paragraph: "A.12",
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ content, role }, at) => {
        if (typeof content !== "string" && !Array.isArray(content))
          return `messages.${at}.content: Input should be a valid string or list`;
        const isFinalAssistant = role === "assistant" && at === listOf(body.messages).length - 1;
        if (content.length === 0 && !isFinalAssistant)
          return `messages.${at}: all messages must have non-empty content except for the optional final assistant message`;
        const bad =
          typeof content === "string"
            ? -1
            : content.findIndex((block) => !isRecord(block) || typeof block.type !== "string");
        return bad === -1 ? null : `messages.${at}.content.${bad}: Input should be a valid content block`;
      }),
  },
  {
    id: "first-user",
    paragraph: "A.12",
    check: ({ body }) => {
      const first = messagesOf(body)[0];
      // A compaction stands there as it came: from the assistant (A.5).
      const isSummary = blocksOf(first?.content)[0]?.type === "compaction";
      return first?.role === "user" || (first?.role === "assistant" && isSummary)
        ? null
        : { message: 'messages: first message must use the "user" role' };
    },
  },
  { id: "system-support", paragraph: "A.6", check: systemSupport },
  { id: "system-place", paragraph: "A.6", check: systemPlace },
  { id: "prefill", paragraph: "A.3", check: prefill },
];

/** The documented name, and the one that claude-code 2.1.332 asks for the same member by. */
const effortBetas = ["mid-conversation-output-config-", "per-turn-control-"];

function systemSupport({ body, model, headers }: RuleInput): Found | null {
  const betas = headers["anthropic-beta"] ?? "";
  return firstOf(messagesOf(body), (message, at) => {
    if (message.role !== "system") return null;
    if (!model.midSystem) return `messages.${at}.role: 'system' is not supported on ${model.id}`;
    if (message.clear_at !== undefined && !betas.includes("mid-conversation-system-clear-at-"))
      return `messages.${at}.clear_at: Extra inputs are not permitted`;
    if (message.output_config !== undefined && !effortBetas.some((beta) => betas.includes(beta)))
      return `messages.${at}.output_config: Extra inputs are not permitted`;
    return blocksOf(message.content).every((block) => block.type === "text")
      ? null
      : `messages.${at}.content: system messages take text only`;
  });
}

/** After a user message or an assistant's server tool result; last, or followed by an assistant (or its like). */
function systemPlace({ body }: RuleInput): Found | null {
  const messages = messagesOf(body);
  return firstOf(messages, ({ role }, at) => {
    if (role !== "system") return null;
    const before = messages.slice(0, at).findLast((message) => message.role !== "system");
    const after = messages.slice(at + 1).find((message) => message.role !== "system");
    const last = blocksOf(before?.content).at(-1);
    const isAfterServerTool = before?.role === "assistant" && textOf(last?.type).endsWith("_tool_result");
    if (before?.role !== "user" && !isAfterServerTool)
      return `messages.${at}: a system message must follow a user message or a server tool result`;
    return after === undefined || after.role === "assistant"
      ? null
      : `messages.${at}: a system message must be last or be followed by an assistant message`;
  });
}

function prefill({ body, model }: RuleInput): Found | null {
  const last = messagesOf(body).at(-1);
  // A conversation that is summed up may end with an answer (A.5).
  if (last?.role !== "assistant" || isPaused(last) || body.compaction != null) return null;
  if (!model.prefill)
    return {
      message: "This model does not support assistant message prefill. The conversation must end with a user message.",
    };
  return /\s$/.test(textOf(blocksOf(last.content).at(-1)?.text))
    ? { message: "messages: final assistant content cannot end with trailing whitespace" }
    : null;
}

/** A paused turn is continued by sending it back as it is. */
function isPaused(message: Block): boolean {
  const type = textOf(blocksOf(message.content).at(-1)?.type);
  return type === "server_tool_use" || type.endsWith("_tool_result");
}
