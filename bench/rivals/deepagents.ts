import { AIMessage, type BaseMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { createSummarizationMiddleware } from "deepagents";
import type { Shown, Terms } from "../../src/replay/strategy.ts";
import { newMessageBook } from "./langchain-messages.ts";
import type { Work } from "./session.ts";
import { StandInModel, summaryCalls } from "./stand-in.ts";

/**
 * `createSummarizationMiddleware` with the defaults of a model whose window is known: above 85 % of it everything but the
 * newest 10 % is summarised, and written to a file whose path the summary names. That path is its handle.
 */
export function deepSummarization(terms: Terms): Work {
  const model = new StandInModel(terms.windowTokens);
  let lane = newLane(terms, model);
  return {
    came: (turns) => lane.messages.push(...turns.map(lane.book.messageOf)),
    restarted: () => {
      lane = newLane(terms, model);
    },
    sent: async () => {
      const sent = await lane.send();
      return {
        shown: sent.flatMap((message) => withFile(lane.book.shownOf(message), sent, lane)),
        calls: summaryCalls(model, terms),
      };
    },
  };
}

type Lane = ReturnType<typeof newLane>;

function newLane(terms: Terms, model: StandInModel) {
  const messages: BaseMessage[] = [];
  const { wrapModelCall } = createSummarizationMiddleware({ model, backend: files });
  // Its size is all that is known of the head; they count four characters to a token.
  const systemMessage = new SystemMessage("head".repeat(terms.headTokens));
  let state: Readonly<Record<string, unknown>> = { _summarizationSessionId: "replay" };
  const send = async (): Promise<readonly BaseMessage[]> => {
    let sent: readonly BaseMessage[] = messages;
    // Proof: of the request it reads `messages`, `state`, `model`, `systemMessage` and `tools`.
    const request = { messages, state, model, systemMessage, tools: [] } as unknown as Parameters<
      NonNullable<typeof wrapModelCall>
    >[0];
    const done = await wrapModelCall?.(request, async (now) => {
      sent = now.messages;
      return new AIMessage("");
    });
    if (done !== undefined && "update" in done && typeof done.update === "object") state = { ...state, ...done.update };
    return sent;
  };
  return { messages, book: newMessageBook(terms), send };
}

// Proof: all it does with the file is to write it; what stands in it is read from the recording.
const files = {
  write: async (path: string) => ({ path }),
} as unknown as Parameters<typeof createSummarizationMiddleware>[0]["backend"];

const historyPath = "/conversation_history/replay.md";

/** The file holds every result that is not sent any more. */
function withFile(shown: readonly Shown[], sent: readonly BaseMessage[], { messages }: Lane): readonly Shown[] {
  return shown.map((one) => {
    if (one.kind !== "summary" || one.text?.includes(historyPath) !== true) return one;
    const left = new Set(sent.flatMap(callIdOf));
    const callIds = messages.flatMap(callIdOf).filter((callId) => !left.has(callId));
    return { ...one, handles: [{ handle: historyPath, callIds }] };
  });
}

function callIdOf(message: BaseMessage): readonly string[] {
  return ToolMessage.isInstance(message) ? [message.tool_call_id] : [];
}
