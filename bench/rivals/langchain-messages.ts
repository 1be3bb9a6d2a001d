import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Block } from "../../src/replay/recording.ts";
import { whole } from "../../src/replay/shown.ts";
import type { Shown, Terms } from "../../src/replay/strategy.ts";
import { callsOf, type Turn } from "./turns.ts";

type Args = Readonly<Record<string, unknown>>;

/** LangChain's messages of one session, and the way back: what is as it was comes back as the same segments. */
export type MessageBook = {
  readonly messageOf: (turn: Turn) => BaseMessage;
  readonly shownOf: (message: BaseMessage) => readonly Shown[];
};

export function newMessageBook(terms: Terms): MessageBook {
  const turns = new Map<string, Turn>();
  const args = new Map<string, Args>();
  const shown = new Map<number, Shown>();
  let made = 0;

  const wholeOf = (block: Block): Shown => {
    const known = shown.get(block.id) ?? whole(block, terms.tokensOf);
    shown.set(block.id, known);
    return known;
  };
  const altered = (block: Block, text: string): Shown =>
    text === block.text ? wholeOf(block) : { ...wholeOf(block), text, tokens: terms.tokensOf(text) };

  return {
    messageOf: (turn) => {
      const id = `message-${made++}`;
      turns.set(id, turn);
      if (turn.type === "said") return new HumanMessage({ id, content: turn.block.text });
      if (turn.type === "returned") {
        turns.set(turn.callId, turn);
        return new ToolMessage({
          id,
          content: turn.block.text,
          tool_call_id: turn.callId,
          name: turn.block.tool ?? "tool",
        });
      }
      for (const { callId, text } of callsOf(turn)) {
        turns.set(`call of ${callId}`, turn);
        args.set(callId, argsOf(text));
      }
      return answerOf(id, turn, args);
    },
    shownOf: (message) => {
      if (ToolMessage.isInstance(message)) {
        const turn = turns.get(message.tool_call_id);
        return turn?.type === "returned" ? [altered(turn.block, message.text)] : [];
      }
      // An answer that was changed may have lost its id; its calls keep theirs.
      const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
      const turn = turns.get(message.id ?? "") ?? turns.get(`call of ${calls[0]?.id ?? ""}`);
      if (turn?.type === "answered") {
        const now = new Map(calls.map((call) => [call.id ?? "", call.args]));
        return turn.blocks.map((block) => altered(block, inputText(block, args, now)));
      }
      if (turn?.type === "said" && turn.block.text === message.text) return [wholeOf(turn.block)];
      const { text } = message;
      return [{ role: "user", kind: "summary", callId: null, text, tokens: terms.tokensOf(text), handles: [] }];
    },
  };
}

function answerOf(id: string, turn: Extract<Turn, { readonly type: "answered" }>, args: ReadonlyMap<string, Args>) {
  const textsOf = (kind: Block["kind"]) => turn.blocks.filter((block) => block.kind === kind).map(({ text }) => text);
  const text = textsOf("text").join("\n");
  const reasoning = textsOf("reasoning").map((one) => ({ type: "reasoning" as const, reasoning: one }));
  const content = reasoning.length === 0 ? text : [...reasoning, { type: "text" as const, text }];
  const calls = callsOf(turn).map(({ callId, tool }) => ({
    id: callId,
    name: tool,
    args: { ...args.get(callId) },
    type: "tool_call" as const,
  }));
  return new AIMessage({ id, content, tool_calls: calls });
}

function argsOf(text: string): Args {
  const parsed = parseJson(text);
  return parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : { input: text };
}

/** The recorded text while the arguments say the same. */
function inputText(block: Block, recorded: ReadonlyMap<string, Args>, now: ReadonlyMap<string, Args>): string {
  const before = recorded.get(block.callId ?? "");
  const after = now.get(block.callId ?? "");
  if (block.kind !== "tool-call" || before === undefined || after === undefined) return block.text;
  const isEqual = Object.keys(before).every((key) => before[key] === after[key]);
  return isEqual ? block.text : JSON.stringify(after);
}
