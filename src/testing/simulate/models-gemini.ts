/** One row of the Gemini wire before it is made a `SimModel` (PROTOCOLS C, E; windows as listed by the service). */
type GeminiRow = {
  readonly id: string;
  readonly windowTokens: number;
  readonly outputTokensMax: number;
  readonly cacheableTokensMin: number;
};

/** What differs between generations of this service (C.1, C.2). */
export type GeminiTraits = {
  /** From 3 on, calls of the current turn come back with the signature they left with. */
  readonly signs: boolean;
  /** Some models name their calls, some do not. */
  readonly callIds: boolean;
  /** Input and output share the window; else the window is the input's own. */
  readonly sharedWindow: boolean;
  /** Output without a limit of the request's own when it is not streamed. */
  readonly outputTokensWhole: number;
  readonly explicitCaches: boolean;
  readonly thinkingLevels: readonly string[];
  /** Values of `thinkingBudget`; null where there is none. -1, the model's own choice, goes with any. */
  readonly thinkingBudget: { readonly min: number; readonly max: number; readonly canBeOff: boolean } | null;
};

const million = 1_048_576;
const outputMax = 65_536;
const levels = ["low", "medium", "high"];
const flashLevels = ["minimal", ...levels];

const four: GeminiTraits = {
  signs: true,
  callIds: true,
  sharedWindow: true,
  outputTokensWhole: 32_768,
  explicitCaches: false,
  thinkingLevels: levels,
  thinkingBudget: null,
};
const three: GeminiTraits = {
  signs: true,
  callIds: false,
  sharedWindow: false,
  outputTokensWhole: outputMax,
  explicitCaches: true,
  thinkingLevels: levels,
  thinkingBudget: { min: 128, max: 32_768, canBeOff: false },
};
const threeFlash: GeminiTraits = {
  ...three,
  thinkingLevels: flashLevels,
  thinkingBudget: { min: 1, max: 24_576, canBeOff: true },
};
const twoFive: GeminiTraits = { ...three, signs: false, thinkingLevels: [] };
const twoFiveFlash: GeminiTraits = { ...twoFive, thinkingBudget: { min: 1, max: 24_576, canBeOff: true } };

const traits: Readonly<Record<string, GeminiTraits>> = {
  "gemini-4-argon": four,
  "gemini-4-neon": four,
  "gemini-4-hydrogen": four,
  "gemini-3.8-flash": threeFlash,
  "gemini-3.7-flash": threeFlash,
  "gemini-3.6-flash": threeFlash,
  "gemini-3.5-flash": threeFlash,
  "gemini-3.5-flash-lite": threeFlash,
  "gemini-3.1-pro-preview": three,
  "gemini-2.5-pro": twoFive,
  "gemini-2.5-flash": twoFiveFlash,
  "gemini-2.5-flash-lite": { ...twoFiveFlash, thinkingBudget: { min: 512, max: 24_576, canBeOff: true } },
  "sim-gemini": { ...four, explicitCaches: true },
  "sim-gemini-small": { ...four, callIds: false, explicitCaches: true },
};

const windows: Readonly<Record<string, readonly [windowTokens: number, outputTokensMax: number]>> = {
  "sim-gemini": [200_000, 32_000],
  "sim-gemini-small": [32_000, 4_000],
};

export const geminiRows: readonly GeminiRow[] = Object.keys(traits).map((id) => {
  const [windowTokens, outputTokensMax] = windows[id] ?? [million, outputMax];
  return { id, windowTokens, outputTokensMax, cacheableTokensMin: id.startsWith("gemini-2.5") ? 2_048 : 4_096 };
});

export function geminiTraits(id: string): GeminiTraits {
  return traits[id] ?? four;
}
