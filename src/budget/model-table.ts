/** What is known of a model without asking it. Ids are bare: no vendor path, no snapshot date. */
export type ModelFacts = {
  readonly id: string;
  readonly windowTokens: number;
  /** null: only the window limits the input. */
  readonly inputTokensMax: number | null;
  readonly outputTokensMax: number;
  /** Shortest prefix that is cached; below it nothing is, and nothing says so. */
  readonly cacheTokensMin: number;
  /** Cached lengths are multiples of this; 1: the boundary is exact. */
  readonly cacheStepTokens: number;
  /** How long an unread prefix lives at least, where no marker says; null: no promise, or markers say. */
  readonly cacheLifetimeMs: number | null;
  /** Whether earlier reasoning stays in the prompt when it is sent back. */
  readonly reasoning: "kept" | "left-out";
  /** Whether it takes a system message between others (PROTOCOLS A.6). */
  readonly midSystem: boolean;
  readonly source: string;
};

/** When this table was last compared with its sources. */
export const modelTableDate = "2026-11-29";

const minuteMs = 60_000;

const claude = {
  windowTokens: 1_000_000,
  inputTokensMax: null,
  outputTokensMax: 128_000,
  cacheTokensMin: 512,
  cacheStepTokens: 1,
  cacheLifetimeMs: null,
  reasoning: "kept",
  midSystem: true,
  source: "Anthropic model and prompt-caching documentation, 2026-08-22 and later excerpts",
} as const;

/** From 5.6 on breakpoints are exact and a prefix lives 30 minutes at least; all earlier reasoning stays in the prompt. */
const openai = {
  windowTokens: 1_050_000,
  inputTokensMax: 922_000,
  outputTokensMax: 128_000,
  cacheTokensMin: 1_024,
  cacheStepTokens: 1,
  cacheLifetimeMs: 30 * minuteMs,
  reasoning: "kept",
  midSystem: true,
  source: "OpenAI prompt-caching guide and SDK 7.59.0, 2026-11-17",
} as const;

/**
 * Whether earlier thinking counts where its signatures are sent back is not documented: `kept` errs on the safe side. Nor are
 * the steps of cached lengths: a coarse one never takes rounding for a miss.
 */
const gemini = {
  windowTokens: 1_048_576,
  inputTokensMax: null,
  outputTokensMax: 65_536,
  cacheTokensMin: 4_096,
  cacheStepTokens: 256,
  cacheLifetimeMs: null,
  reasoning: "kept",
  midSystem: false,
  source: "Gemini API caching page of 2026-10-13 and SDK 3.3.0",
} as const;

const compatible = {
  inputTokensMax: null,
  cacheTokensMin: 1_024,
  cacheStepTokens: 64,
  cacheLifetimeMs: null,
  reasoning: "kept",
  midSystem: true,
} as const;

const rows = <T extends Omit<ModelFacts, "id">>(ids: readonly string[], facts: T): readonly ModelFacts[] =>
  ids.map((id) => ({ id, ...facts }));

export const modelTable: readonly ModelFacts[] = [
  ...rows(["claude-fable-5-2", "claude-mythos-5-2", "claude-fable-5-1", "claude-mythos-5-1"], claude),
  ...rows(["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"], claude),
  ...rows(["claude-fable-5", "claude-mythos-5", "claude-opus-5"], claude),
  ...rows(["claude-sonnet-5"], { ...claude, cacheTokensMin: 1_024, midSystem: false }),
  ...rows(["claude-opus-4-8"], { ...claude, cacheTokensMin: 1_024 }),
  ...rows(["claude-opus-4-7"], { ...claude, cacheTokensMin: 2_048, midSystem: false }),
  ...rows(["claude-opus-4-6", "claude-opus-4-5"], { ...claude, cacheTokensMin: 4_096, midSystem: false }),
  ...rows(["claude-sonnet-4-6"], { ...claude, cacheTokensMin: 1_024, midSystem: false }),
  ...rows(["claude-sonnet-4-5"], {
    ...claude,
    windowTokens: 200_000,
    outputTokensMax: 64_000,
    cacheTokensMin: 1_024,
    reasoning: "left-out",
    midSystem: false,
  }),
  ...rows(["claude-haiku-4-5"], {
    ...claude,
    windowTokens: 200_000,
    outputTokensMax: 64_000,
    cacheTokensMin: 4_096,
    reasoning: "left-out",
    midSystem: false,
  }),
  ...rows(
    ["gpt-6.2-astra", "gpt-6.2-sol", "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna"],
    openai,
  ),
  ...rows(["gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna"], openai),
  ...rows(["gpt-5.5", "gpt-5.4"], {
    ...openai,
    cacheStepTokens: 128,
    cacheLifetimeMs: 5 * minuteMs,
    reasoning: "left-out",
  }),
  ...rows(["gemini-4-argon", "gemini-4-neon", "gemini-4-hydrogen", "gemini-4-carbon"], gemini),
  ...rows(["gemini-3.8-flash", "gemini-3.7-flash", "gemini-3.6-flash", "gemini-3.5-flash"], gemini),
  ...rows(["gemini-3.5-flash-lite", "gemini-3.1-pro-preview"], gemini),
  ...rows(["gemini-2.5-pro", "gemini-2.5-flash"], { ...gemini, cacheTokensMin: 2_048 }),
  ...rows(["deepseek-flash", "deepseek-v4-flash", "deepseek-v4-pro"], {
    ...compatible,
    windowTokens: 1_000_000,
    outputTokensMax: 384_000,
    cacheLifetimeMs: 60 * minuteMs,
    source: "DeepSeek API documentation, October 2026",
  }),
  ...rows(["kimi-k3"], {
    ...compatible,
    windowTokens: 1_000_000,
    outputTokensMax: 128_000,
    source: "Moonshot price page, 2026-11",
  }),
  ...rows(["kimi-k2.7-code"], {
    ...compatible,
    windowTokens: 262_144,
    outputTokensMax: 32_768,
    source: "Moonshot price page, 2026-11",
  }),
  ...rows(["grok-4.6"], {
    ...compatible,
    windowTokens: 500_000,
    outputTokensMax: 64_000,
    source: "xAI price page, 2026-11",
  }),
];
