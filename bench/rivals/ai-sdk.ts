import { type ModelMessage, pruneMessages } from "ai";
import { parseJson } from "../../src/kernel/json.ts";
import type { Block } from "../../src/replay/recording.ts";
import { whole } from "../../src/replay/shown.ts";
import type { Shown, Terms } from "../../src/replay/strategy.ts";
import type { Work } from "./session.ts";
import { callsOf, type Turn } from "./turns.ts";

export type Pruning = Omit<Parameters<typeof pruneMessages>[0], "messages">;

/** `pruneMessages` in front of every call, on the whole history, as its documentation shows it. */
export function pruning(terms: Terms, settings: Pruning): Work {
  /** By the message of the user's, or by the part: pruning leaves out, and what it leaves in is the same object. */
  const shown = new WeakMap<object, Shown>();
  let messages: ModelMessage[] = [];
  return {
    came: (turns) => {
      messages = turns.reduce((all, turn) => added(all, turn, shownAs), messages);
    },
    restarted: () => {
      messages = [];
    },
    sent: async () => {
      const sent = pruneMessages({ messages, ...settings });
      return { shown: sent.flatMap((message) => keysOf(message).flatMap((key) => shown.get(key) ?? [])), calls: [] };
    },
  };

  function shownAs<T extends object>(key: T, block: Block): T {
    shown.set(key, whole(block, terms.tokensOf));
    return key;
  }
}

type ShownAs = <T extends object>(key: T, block: Block) => T;

/** The results of one answer stand in one message, as its own loop keeps them. */
function added(messages: readonly ModelMessage[], turn: Turn, shownAs: ShownAs): ModelMessage[] {
  if (turn.type === "said") return [...messages, shownAs({ role: "user", content: turn.block.text }, turn.block)];
  if (turn.type === "answered") return [...messages, { role: "assistant", content: answerParts(turn, shownAs) }];
  const { block, callId } = turn;
  const result = shownAs(
    {
      type: "tool-result" as const,
      toolCallId: callId,
      toolName: block.tool ?? "tool",
      output: { type: "text" as const, value: block.text },
    },
    block,
  );
  const last = messages.at(-1);
  if (last?.role !== "tool") return [...messages, { role: "tool", content: [result] }];
  return [...messages.slice(0, -1), { role: "tool", content: [...last.content, result] }];
}

function answerParts(turn: Extract<Turn, { readonly type: "answered" }>, shownAs: ShownAs) {
  const calls = callsOf(turn).map(({ callId, tool, text }) => {
    const input = parseJson(text);
    const part = {
      type: "tool-call" as const,
      toolCallId: callId,
      toolName: tool,
      input: input.type === "ok" ? input.value : { input: text },
    };
    const block = turn.blocks.find((one) => one.kind === "tool-call" && one.callId === callId);
    return block === undefined ? part : shownAs(part, block);
  });
  const others = turn.blocks.flatMap((block) => {
    if (block.kind === "tool-call") return [];
    const type = block.kind === "reasoning" ? ("reasoning" as const) : ("text" as const);
    return [shownAs({ type, text: block.text }, block)];
  });
  return [...others, ...calls];
}

function keysOf(message: ModelMessage): readonly object[] {
  return typeof message.content === "string" ? [message] : message.content;
}
