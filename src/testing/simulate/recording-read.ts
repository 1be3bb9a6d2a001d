import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";
import type { BrainReply } from "./brain.ts";
import type { Conversation, Recording } from "./recording.ts";
import { claudeReplies } from "./recording-claude.ts";
import { varveReplies } from "./recording-varve.ts";
import { listOf, numberOf, recordOf, textOf } from "./value.ts";

export type Line = Readonly<Record<string, unknown>>;

/**
 * A recording in any of three forms: of the simulator, a session of Varve (`main.jsonl`; `blob` gives its long texts), a
 * transcript of Claude Code. Lines that cannot be read are passed over; a text says why there is nothing to play.
 */
export function readRecording(text: string, blob: (hash: string) => string | null): Recording | string {
  const lines = text.split("\n").flatMap((line) => {
    const parsed = parseJson(line);
    return parsed.type === "ok" && isRecord(parsed.value) ? [parsed.value] : [];
  });
  const own = lines.filter(({ type }) => type === "sim-reply");
  const recording =
    own.length > 0
      ? ownConversations(own)
      : lines.some(({ type }) => type === "session-started")
        ? [oneConversation(varveReplies(lines, blob))]
        : [oneConversation(claudeReplies(lines))];
  if (recording.every(({ replies }) => replies.size === 0))
    return "holds no replies: neither a recording of the simulator, nor a session of Varve, nor a transcript of Claude Code";
  return recording;
}

function oneConversation(replies: readonly BrainReply[]): Conversation {
  return { opening: null, hasTools: null, replies: new Map(replies.entries()) };
}

/** A later line wins over an earlier one for the same request: the first try was cut off or refused by its client. */
function ownConversations(lines: readonly Line[]): Recording {
  const found = new Map<string, { opening: string; hasTools: boolean; replies: Map<number, BrainReply> }>();
  for (const line of lines) {
    const [opening, hasTools] = [textOf(line.opening), line.hasTools === true];
    const key = `${opening} ${hasTools}`;
    const conversation = found.get(key) ?? { opening, hasTools, replies: new Map() };
    conversation.replies.set(numberOf(line.at) ?? conversation.replies.size, replyOf(recordOf(line.reply)));
    found.set(key, conversation);
  }
  return [...found.values()];
}

function replyOf(reply: Line): BrainReply {
  const stop = (["end", "output-limit", "refusal", "pause"] as const).find((one) => one === reply.stop);
  const raw = listOf(reply.raw).filter(isRecord);
  return {
    ...(typeof reply.reasoning === "string" ? { reasoning: reply.reasoning } : {}),
    ...(typeof reply.text === "string" ? { text: reply.text } : {}),
    calls: listOf(reply.calls)
      .map(recordOf)
      .map(({ tool, input }) => ({ tool: textOf(tool), input: input ?? {} })),
    ...(stop === undefined ? {} : { stop }),
    ...(raw.length === 0 ? {} : { raw: raw.map((block) => ({ ...block, type: textOf(block.type) })) }),
  };
}
