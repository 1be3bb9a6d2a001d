import type { Wire } from "../../kernel/usage.ts";

/** What the simulator knows of a model (PROTOCOLS A.1 to A.6, B.2, D, E). Its own table, by design. */
export type SimModel = {
  readonly id: string;
  readonly wire: Wire;
  /** The longest prompt it takes: the input limit where that is nearer than the window. */
  readonly windowTokens: number;
  readonly outputTokensMax: number;
  /** Shortest prefix that is cached (A.2, B.2). */
  readonly cacheableTokensMin: number;
  /** Tokens per token of our own tokenizer: newer models count about 30 % more (A.1). */
  readonly tokenRate: number;
  /** `none`: no thinking; `turn`: only the last turn's is kept; `kept`: all is; `bound`: kept and bound to its prefix (A.3). */
  readonly thinking: "none" | "turn" | "kept" | "bound";
  /** Values of `thinking.type` that it takes. */
  readonly thinkingKinds: readonly string[];
  /** Whether a change of thinking or effort costs the whole prefix or its messages (A.2). */
  readonly effortScope: "all" | "messages";
  /** Sums up on demand (A.5). */
  readonly compaction: boolean;
  readonly midSystem: boolean;
  /** Accepts a final assistant message, sampling settings, a forced tool (A.3): only older models do. */
  readonly prefill: boolean;
  readonly sampling: boolean;
  readonly forcedTool: boolean;
  /** Values of the reasoning effort that it takes, where a wire has one (B.1). */
  readonly efforts: readonly string[];
  readonly chat: ChatTraits;
  readonly responses: ResponsesTraits;
};

/** How a chat-style service caches and reports (B.2, D). */
export type ChatTraits = {
  readonly usage: "cached-tokens" | "hit-and-miss" | "evaluated-only" | "total-only";
  readonly overflow: "refuse" | "cut-oldest";
  readonly stepTokens: number;
  readonly lifetimeMs: number;
  readonly reportsWrites: boolean;
  /** `reasoning_content` must come back verbatim in tool loops (D). */
  readonly replaysReasoning: boolean;
};

/** What a model knows on the Responses wire (B.2, B.3). */
export type ResponsesTraits = {
  /** 5.6 and later: exact breakpoints, billed writes. Before: steps, by themselves. */
  readonly cache: "breakpoints" | "steps";
  /** Where top-level instructions are rendered: from 6.2 on behind everything, for this turn only. */
  readonly instructions: "first" | "last";
  /** `configuration_update` and `additional_tools` items. */
  readonly updates: boolean;
  /** Tools of type `tool_search` (B.5): from 5.4 on. */
  readonly searches: boolean;
  /** Values of `prompt_cache_retention` that it takes. */
  readonly retentions: readonly string[];
};
