import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import { imageTypeOf } from "./image.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { blocksOf, listOf, messagesOf, recordOf, textOf } from "./value.ts";

type Message = Readonly<Record<string, unknown>>;

const functionName = /^[a-zA-Z0-9_-]{1,64}$/;
const roles: Readonly<Record<string, { readonly fields: string; readonly parts: string }>> = {
  system: { fields: "content name", parts: "text" },
  developer: { fields: "content name", parts: "text" },
  user: { fields: "content name", parts: "text image_url input_audio file" },
  assistant: { fields: "content name tool_calls refusal audio", parts: "text refusal" },
  tool: { fields: "content tool_call_id", parts: "text" },
};

/** The messages of a Chat Completions request (PROTOCOLS B.1, B.6, D). */
export const chatMessageRules: readonly Rule[] = [
  {
    id: "messages-list",
    paragraph: "B.1",
    check: ({ body }) => {
      if (!Array.isArray(body.messages))
        return {
          message: "Missing required parameter: 'messages'.",
          code: "missing_required_parameter",
          param: "messages",
        };
      return body.messages.length > 0
        ? null
        : {
            message:
              "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            code: "empty_array",
            param: "messages",
          };
    },
  },
  {
    id: "role",
    paragraph: "B.1",
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ role }, at) =>
        textOf(role) in roles
          ? null
          : {
              message: `Invalid value: '${String(role)}'. Supported values are: ${Object.keys(roles).join(", ")}.`,
              param: `messages[${at}].role`,
            },
      ),
  },
  {
    id: "message-field",
    paragraph: "B.1",
    check: ({ body, model }) =>
      firstOf(messagesOf(body), (message, at) => {
        const { role, ...rest } = message;
        const reasons =
          role === "assistant" && model.chat.usage !== "cached-tokens" ? ["reasoning_content", "reasoning"] : [];
        const fields = [...(roles[textOf(role)]?.fields.split(" ") ?? []), ...reasons];
        const extra = Object.keys(rest).find((name) => !fields.includes(name));
        return extra === undefined
          ? null
          : {
              message: `Unknown parameter: 'messages[${at}].${extra}'.`,
              code: "unknown_parameter",
              param: `messages[${at}].${extra}`,
            };
      }),
  },
  {
    id: "content",
    paragraph: "B.1",
    check: ({ body }) => firstOf(messagesOf(body), (message, at) => badContent(message, `messages[${at}].content`)),
  },
  {
    id: "image",
    paragraph: "B.1",
    check: ({ body }) =>
      firstOf(messagesOf(body), ({ content }, at) => {
        const urls = blocksOf(content)
          .filter((part) => part.type === "image_url")
          .map((part) => textOf(recordOf(part.image_url).url));
        return urls.every(isSoundImage)
          ? null
          : {
              message: "You uploaded an unsupported image. Please make sure your image is valid.",
              code: "image_parse_error",
              param: `messages[${at}].content`,
            };
      }),
  },
  {
    id: "tool-calls",
    paragraph: "B.1",
    check: ({ body }) => firstOf(messagesOf(body), (message, at) => badCalls(message, `messages[${at}].tool_calls`)),
  },
  { id: "call-unique", paragraph: "B.6", check: repeatedId },
  { id: "call-answered", paragraph: "B.6", check: unanswered },
  { id: "result-orphan", paragraph: "B.6", check: orphan },
  { id: "reasoning-replayed", paragraph: "D", check: lostReasoning },
];

function badContent({ role, content, tool_calls }: Message, path: string): Found | null {
  if (role === "assistant" && (content == null || content === "") && listOf(tool_calls).length > 0) return null;
  if (typeof content === "string") {
    const mayBeEmpty = role === "tool" || role === "assistant";
    return content !== "" || mayBeEmpty
      ? null
      : { message: `Invalid '${path}': text content must be non-empty.`, param: path };
  }
  if (!Array.isArray(content) || content.length === 0)
    return {
      message: `Invalid value for '${path}': expected a string or a non-empty array, got ${content === null ? "null" : typeof content}.`,
      param: path,
    };
  const allowed = roles[textOf(role)]?.parts.split(" ") ?? [];
  return firstOf(content.map(recordOf), (part, index) => {
    const at = `${path}[${index}]`;
    if (!allowed.includes(textOf(part.type)))
      return {
        message: `Invalid value: '${String(part.type)}'. Supported values are: ${allowed.join(", ")}.`,
        param: `${at}.type`,
      };
    return part.type === "text" && textOf(part.text) === ""
      ? { message: `Invalid '${at}.text': text content must be non-empty.`, param: `${at}.text` }
      : null;
  });
}

function isSoundImage(url: string): boolean {
  const data = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  if (data === null) return /^https?:\/\//.test(url);
  return imageTypeOf(data[2] ?? "") === data[1];
}

function badCalls(message: Message, path: string): Found | null {
  if (message.tool_calls === undefined) return null;
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length === 0)
    return {
      message: `Invalid '${path}': empty array. Expected an array with minimum length 1.`,
      code: "empty_array",
      param: path,
    };
  return firstOf(message.tool_calls.map(recordOf), (call, index) => {
    const at = `${path}[${index}]`;
    const { name, arguments: input } = recordOf(call.function);
    if (typeof call.id !== "string" || call.id === "")
      return { message: `Missing required parameter: '${at}.id'.`, param: `${at}.id` };
    if (call.type !== "function")
      return {
        message: `Invalid value: '${String(call.type)}'. Supported values are: 'function'.`,
        param: `${at}.type`,
      };
    if (!functionName.test(textOf(name)))
      return {
        message: `Invalid '${at}.function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`,
        param: `${at}.function.name`,
      };
    if (typeof input !== "string")
      return {
        message: `Invalid type for '${at}.function.arguments': expected a string.`,
        param: `${at}.function.arguments`,
      };
    const parsed = parseJson(input);
    return parsed.type === "ok" && isRecord(parsed.value)
      ? null
      : { message: `Invalid '${at}.function.arguments': expected a JSON object.`, param: `${at}.function.arguments` };
  });
}

function repeatedId({ body }: RuleInput): Found | null {
  const seen = new Set<string>();
  return firstOf(messagesOf(body).flatMap(callIds), (id) => {
    if (seen.has(id)) return `Duplicate tool call id found: ${id}`;
    seen.add(id);
    return null;
  });
}

function callIds(message: Message): readonly string[] {
  return message.role === "assistant" ? listOf(message.tool_calls).map((call) => textOf(recordOf(call).id)) : [];
}

/** The tool messages that stand directly behind the message at `at`. */
function answersAfter(messages: readonly Message[], at: number): readonly string[] {
  const rest = messages.slice(at + 1);
  const end = rest.findIndex((message) => message.role !== "tool");
  return (end === -1 ? rest : rest.slice(0, end)).map((message) => textOf(message.tool_call_id));
}

function unanswered({ body }: RuleInput): Found | null {
  const messages = messagesOf(body);
  return firstOf(messages, (message, at) => {
    const calls = callIds(message);
    const answers = calls.length === 0 ? [] : answersAfter(messages, at);
    const open = calls.filter((id) => !answers.includes(id));
    return open.length === 0
      ? null
      : {
          message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
          param: `messages[${at}]`,
        };
  });
}

function orphan({ body }: RuleInput): Found | null {
  const messages = messagesOf(body);
  let open: readonly string[] = [];
  return firstOf(messages, (message, at) => {
    if (message.role !== "tool") {
      open = callIds(message);
      return null;
    }
    const id = textOf(message.tool_call_id);
    const isExpected = open.includes(id);
    open = open.filter((one) => one !== id);
    return isExpected
      ? null
      : {
          message:
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          param: `messages[${at}].role`,
        };
  });
}

/** In the open tool loop, each call's reasoning stands beside it exactly as it was sent. */
function lostReasoning({ body, model, memory }: RuleInput): Found | null {
  if (!model.chat.replaysReasoning || recordOf(body.thinking).type === "disabled") return null;
  const messages = messagesOf(body);
  const turn = messages.findLastIndex((message) => message.role === "user");
  return firstOf(messages.slice(turn + 1), (message) => {
    const sent = callIds(message)
      .map((id) => memory.reasoningOf(id))
      .find((one) => one !== undefined && one !== "[]");
    const held = JSON.stringify([textOf(message.reasoning_content)]);
    return sent === undefined || sent === held
      ? null
      : "The `reasoning_content` in the thinking mode must be passed back to the API.";
  });
}
