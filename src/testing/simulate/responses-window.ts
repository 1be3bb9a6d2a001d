import { type Answer, type AnswerFrame, idOf } from "./anthropic-reply.ts";
import type { Compacted } from "./compacted.ts";
import { responsesUsage } from "./responses-usage.ts";
import { blocksOf, inputItemsOf } from "./value.ts";

/** `POST /responses/compact`: all messages of the user, then one compaction; the next input as it stands (PROTOCOLS B.4). */
export function windowAnswer(compacted: Compacted, frame: AnswerFrame): Answer {
  const { body, seed, n } = frame;
  const said = inputItemsOf(body).filter(({ type, role }) => (type ?? "message") === "message" && role === "user");
  const kept = said.map(({ content }, index) => ({
    id: `msg_${idOf(seed, `kept ${index}`)}`,
    type: "message",
    status: "completed",
    role: "user",
    content: blocksOf(content).map(({ prompt_cache_breakpoint: _mark, ...part }) =>
      part.type === "text" ? { ...part, type: "input_text" } : part,
    ),
  }));
  const output = [...kept, compacted.block];
  const whole = {
    id: `resp_${idOf(seed, "response")}`,
    object: "response.compaction",
    created_at: 1_700_000_000 + n,
    output,
    usage: responsesUsage(frame, { outputTokens: 0, reasoningTokens: 0 }),
  };
  return {
    id: whole.id,
    whole,
    frames: [],
    blocks: output,
    reasoning: [],
    callIds: [],
    outputTokens: compacted.outputTokens,
  };
}
