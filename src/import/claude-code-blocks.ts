import { isRecord } from "../kernel/canonical.ts";
import { stringAt } from "../provider/lenient.ts";
import { contentOf } from "./content.ts";
import { thoughtBodies } from "./document.ts";
import { type Raw, wordOf } from "./record.ts";
import { inputOf } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** The blocks of an answer. `request` null: the program wrote them. */
export function answerBodies(content: unknown, request: string | null, raw: string): readonly ItemBody[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", request, text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).flatMap((block) => answerBlock(block, request, raw));
}

function answerBlock(block: Raw, request: string | null, raw: string): readonly ItemBody[] {
  const read = Object.hasOwn(answerBlocks, wordOf(block.type)) ? answerBlocks[wordOf(block.type)] : undefined;
  if (read !== undefined) return read(block, request);
  // Results of the provider's own tools stand in the answer.
  if (typeof block.tool_use_id === "string") return [resultOf(block)];
  return [{ type: "unknown", kind: `assistant/${wordOf(block.type)}`, raw }];
}

const answerBlocks: Readonly<Record<string, (block: Raw, request: string | null) => readonly ItemBody[]>> = {
  text: (block, request) => [{ type: "text", request, text: stringAt(block, "text") }],
  thinking: thoughtBodies,
  redacted_thinking: thoughtBodies,
  tool_use: (block, request) => [callOf(block, request)],
  server_tool_use: (block, request) => [callOf(block, request)],
  mcp_tool_use: (block, request) => [callOf(block, request)],
};

function callOf(block: Raw, request: string | null): ItemBody {
  const input = inputOf(block.input);
  return { type: "call", request, callId: stringAt(block, "id"), tool: stringAt(block, "name"), input };
}

type From = "typed" | "injected" | "summary";

/** The blocks of a user's line: results of tools, and messages. Texts and images of one line are one message each. */
export function messageBodies(content: unknown, from: From, raw: string): readonly ItemBody[] {
  if (!Array.isArray(content)) return message(content, from);
  return content.filter(isRecord).flatMap((block): readonly ItemBody[] => {
    if (typeof block.tool_use_id === "string") return [resultOf(block)];
    const isKnown = block.type === "text" || block.type === "image";
    return isKnown ? message(block, from) : [{ type: "unknown", kind: `user/${wordOf(block.type)}`, raw }];
  });
}

function message(content: unknown, from: From): readonly ItemBody[] {
  const { text, images } = contentOf(content);
  if (text === "" && images === 0) return [];
  return [{ type: "message", from: from === "typed" && isOfProgram(text) ? "injected" : from, text, images }];
}

/** What the program writes on the user's side without marking the line as its own. */
function isOfProgram(text: string): boolean {
  const start = text.trimStart();
  return programStarts.some((one) => start.startsWith(one));
}

const programStarts = [
  "<local-command-",
  "<system-reminder>",
  "<task-notification>",
  "<bash-stdout>",
  "<bash-stderr>",
  "<user-prompt-submit-hook>",
  "<session-start-hook>",
  "[Request interrupted by user",
  "Caveat: The messages below were generated",
];

function resultOf(block: Raw): ItemBody {
  const { text, images } = contentOf(block.content);
  return {
    type: "result",
    callId: stringAt(block, "tool_use_id"),
    tool: null,
    text,
    failed: block.is_error === true,
    images,
  };
}
