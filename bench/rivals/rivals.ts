import type { Strategy, Terms } from "../../src/replay/strategy.ts";
import { rivalSession, type Work } from "./session.ts";

/**
 * Other people's reductions, by their packages' own code in this process. The packages are loaded when the first session is
 * replayed: most benches need none of them.
 */
export const rivals: readonly Strategy[] = [
  rival("langchain-context-editing", {
    reason: "cleared",
    note: "contextEditingMiddleware() with its defaults",
    load: async () => (await import("./langchain.ts")).contextEditing,
  }),
  rival("langchain-summarize", {
    reason: "compacted",
    knowsWindow: true,
    note: "summarizationMiddleware, trigger 0.8 and keep 0.3 of the window; the summary is a stand-in's",
    load: async () => {
      const { summarization } = await import("./langchain.ts");
      return (terms) => summarization(terms, { trigger: { fraction: 0.8 }, keep: { fraction: 0.3 } });
    },
  }),
  rival("langchain-summarize-4k", {
    reason: "compacted",
    note: "summarizationMiddleware as its documentation's first example: trigger 4,000 tokens, keep 20 messages; the summary is a stand-in's",
    load: async () => {
      const { summarization } = await import("./langchain.ts");
      return (terms) => summarization(terms, { trigger: { tokens: 4_000 }, keep: { messages: 20 } });
    },
  }),
  rival("langchain-trim", {
    reason: "window-slid",
    knowsWindow: true,
    note: 'trimMessages, strategy "last", what head and answer leave of the window',
    load: async () => (await import("./langchain.ts")).trimming,
  }),
  rival("deepagents-summarize", {
    reason: "compacted",
    knowsWindow: true,
    namesHandle: true,
    note: "createSummarizationMiddleware with its defaults; the summary is a stand-in's, and names the file of what went",
    load: async () => (await import("./deepagents.ts")).deepSummarization,
  }),
  rival("ai-sdk-prune", {
    reason: "cleared",
    note: "pruneMessages with the settings of its documentation: tool calls before the last 2 messages, reasoning before the last",
    load: async () => {
      const { pruning } = await import("./ai-sdk.ts");
      return (terms) => pruning(terms, { reasoning: "before-last-message", toolCalls: "before-last-2-messages" });
    },
  }),
  rival("ai-sdk-prune-20", {
    reason: "cleared",
    note: "pruneMessages, tool calls before the last 20 messages",
    load: async () => {
      const { pruning } = await import("./ai-sdk.ts");
      return (terms) => pruning(terms, { toolCalls: "before-last-20-messages" });
    },
  }),
];

type Rival = {
  readonly reason: string;
  readonly note: string;
  readonly knowsWindow?: true;
  readonly namesHandle?: true;
  readonly load: () => Promise<(terms: Terms) => Work>;
};

function rival(name: string, { reason, note, knowsWindow, namesHandle, load }: Rival): Strategy {
  return {
    name,
    ...(knowsWindow === true ? { knowsWindow } : {}),
    takesAway: "without-handle",
    note: `${note}; ${namesHandle === true ? "what no file holds" : "it names no handle: what is lost"} runs again`,
    open: (terms) => {
      const session = load().then((work) => rivalSession(work(terms), reason));
      return async (moment) => await (await session)(moment);
    },
  };
}
