import { AIMessage, type BaseMessage, trimMessages } from "@langchain/core/messages";
import { contextEditingMiddleware, countTokensApproximately, summarizationMiddleware } from "langchain";
import type { Decision, Terms } from "../../src/replay/strategy.ts";
import { newMessageBook } from "./langchain-messages.ts";
import type { Work } from "./session.ts";
import { StandInModel, summaryCalls } from "./stand-in.ts";

/** Changes the messages of the agent's state; gives what is sent, and what stays as state. */
type Rule = (state: BaseMessage[]) => Promise<{ readonly sent: readonly BaseMessage[]; readonly state: BaseMessage[] }>;

/** `contextEditingMiddleware()` as it comes: above 100,000 tokens all but the newest 3 results are "[cleared]". */
export function contextEditing(terms: Terms): Work {
  const { wrapModelCall } = contextEditingMiddleware();
  return langchainWork(terms, async (state) => {
    let sent: readonly BaseMessage[] = state;
    // Proof: of the request it reads `messages`, `systemPrompt` and, where a share of the window is asked for, `model`.
    const request = { messages: state } as unknown as Parameters<NonNullable<typeof wrapModelCall>>[0];
    await wrapModelCall?.(request, async ({ messages }) => {
      sent = messages;
      return new AIMessage("");
    });
    // It edits the array that the agent's state is, so what was cleared stays so (test/replay/rivals.test.ts).
    return { sent, state };
  });
}

type Size = { readonly fraction: number } | { readonly tokens: number } | { readonly messages: number };

/** It comes without a trigger, so each use names one. */
export type Summarizing = { readonly trigger: Size; readonly keep: Size };

export function summarization(terms: Terms, settings: Summarizing): Work {
  const model = new StandInModel(terms.windowTokens);
  // Proof: these are three of its documented options; its own type for them comes out as `never` under zod 4.
  const { beforeModel } = summarizationMiddleware({ model, ...settings } as never);
  const hook = typeof beforeModel === "function" ? beforeModel : beforeModel?.hook;
  const rule: Rule = async (state) => {
    // Proof: of state and runtime it reads `messages` and `context`.
    const input = [{ messages: state }, { context: {} }] as unknown as Parameters<NonNullable<typeof hook>>;
    const update = (await hook?.(...input)) as { readonly messages?: readonly BaseMessage[] } | undefined;
    if (update?.messages === undefined) return { sent: state, state };
    // The first takes all messages out of the state, as its reducer understands it.
    const next = update.messages.slice(1);
    return { sent: next, state: next };
  };
  return langchainWork(terms, rule, () => summaryCalls(model, terms));
}

/**
 * `trimMessages` in front of every call: the newest messages within a budget, of whole answers. The budget is what the
 * head and an answer of 8,000 tokens leave of the window.
 */
export function trimming(terms: Terms): Work {
  const counts = new Map<string | undefined, number>();
  const countOf = (message: BaseMessage) => {
    const known = counts.get(message.id) ?? countTokensApproximately([message]);
    counts.set(message.id, known);
    return known;
  };
  return langchainWork(terms, async (state) => {
    const sent = await trimMessages(state, {
      strategy: "last",
      maxTokens: Math.max(1, terms.windowTokens - terms.headTokens - 8_000),
      tokenCounter: (messages) => messages.reduce((sum, message) => sum + countOf(message), 0),
      startOn: ["human", "ai"],
    });
    return { sent, state };
  });
}

function langchainWork(terms: Terms, rule: Rule, calls: () => Decision["calls"] = () => []): Work {
  let book = newMessageBook(terms);
  let state: BaseMessage[] = [];
  return {
    came: (turns) => {
      state = [...state, ...turns.map(book.messageOf)];
    },
    restarted: () => {
      book = newMessageBook(terms);
      state = [];
    },
    sent: async () => {
      const done = await rule(state);
      state = done.state;
      return { shown: done.sent.flatMap(book.shownOf), calls: calls() };
    },
  };
}
