import { canonicalJson } from "../../kernel/canonical.ts";
import { hashOf } from "../../kernel/hash.ts";
import type { Brain, BrainReply, BrainRequest } from "./brain.ts";
import { summaryAskOf } from "./summary-request.ts";

/** What models said, by conversation: the n-th reply answers the request that holds n replies before it. */
export type Recording = readonly Conversation[];

export type Conversation = {
  /** Names the user's first words; null where nobody knows them. */
  readonly opening: string | null;
  /** Whether the client offered tools; null: unknown. Titles and summaries are asked for without. */
  readonly hasTools: boolean | null;
  /** Some may be missing where a recording began in mid-conversation. */
  readonly replies: ReadonlyMap<number, BrainReply>;
};

/** One line of a recording of ours. */
export type RecordedReply = {
  readonly type: "sim-reply";
  readonly opening: string;
  readonly hasTools: boolean;
  readonly at: number;
  readonly reply: BrainReply;
};

/** Which conversation a request belongs to and how many replies it holds, read from the request alone. */
export function placeOf({ messages, tools }: BrainRequest): Omit<RecordedReply, "type" | "reply"> {
  const first = messages.find(({ role }) => role === "user")?.parts ?? [];
  return {
    opening: openingOf(first.flatMap((part) => (part.type === "text" ? [part.text] : []))),
    hasTools: tools.length > 0,
    at: messages.filter(({ role }) => role === "assistant").length,
  };
}

export function openingOf(texts: readonly string[]): string {
  return hashOf(canonicalJson([...texts])).slice(0, 16);
}

/** The same brain, each reply written down before it is given; summaries stand beside the count and are made anew at any replay. */
export function recordingBrain(brain: Brain, write: (line: string) => void): Brain {
  return async (request) => {
    const reply = await brain(request);
    if (summaryAskOf(request) !== null) return reply;
    const line: RecordedReply = { type: "sim-reply", ...placeOf(request), reply };
    write(`${JSON.stringify(line)}\n`);
    return reply;
  };
}
