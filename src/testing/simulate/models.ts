import { geminiRows } from "./models-gemini.ts";
import { olderResponses, responsesModels } from "./models-responses.ts";
import type { ChatTraits, SimModel } from "./sim-model.ts";

export type { SimModel } from "./sim-model.ts";

const minutes = 60_000;
const budgeted: readonly string[] = ["enabled", "disabled"];
const allEfforts: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
const someEffort = allEfforts.slice(1);
const allKinds: readonly string[] = ["enabled", "adaptive", "disabled"];
const openai: ChatTraits = {
  usage: "cached-tokens",
  overflow: "refuse",
  stepTokens: 128,
  lifetimeMs: 10 * minutes,
  reportsWrites: false,
  replaysReasoning: false,
};
const openaiBilled: ChatTraits = { ...openai, lifetimeMs: 30 * minutes, reportsWrites: true };
const deepseek: ChatTraits = {
  ...openai,
  usage: "hit-and-miss",
  stepTokens: 64,
  lifetimeMs: 24 * 60 * minutes,
  replaysReasoning: true,
};
const kimi: ChatTraits = { ...deepseek, usage: "cached-tokens" };
const llama: ChatTraits = { ...openai, usage: "evaluated-only", stepTokens: 32, lifetimeMs: 24 * 60 * minutes };
const ollama: ChatTraits = { ...llama, usage: "total-only", overflow: "cut-oldest" };

/** Best effort there, made sure of here: at every full step, for about an hour (C.1). */
const gemini: ChatTraits = { ...openai, stepTokens: 256, lifetimeMs: 59 * minutes };

const newer: SimModel = {
  id: "",
  wire: "anthropic",
  windowTokens: 1_000_000,
  outputTokensMax: 128_000,
  cacheableTokensMin: 512,
  tokenRate: 1.3,
  thinking: "bound",
  thinkingKinds: ["adaptive", "disabled"],
  effortScope: "all",
  compaction: true,
  midSystem: true,
  prefill: false,
  sampling: false,
  forcedTool: false,
  efforts: allEfforts,
  chat: openai,
  responses: olderResponses,
};
const five: SimModel = { ...newer, thinking: "kept", forcedTool: true };
const four: SimModel = { ...five, tokenRate: 1, midSystem: false, sampling: true, effortScope: "messages" };
const fourFive: SimModel = { ...four, thinkingKinds: budgeted, prefill: true, compaction: false };
const turnOnly: SimModel = { ...fourFive, windowTokens: 200_000, outputTokensMax: 64_000, thinking: "turn" };
const chat: SimModel = {
  ...newer,
  wire: "chat",
  tokenRate: 1,
  cacheableTokensMin: 1_024,
  thinking: "none",
  sampling: true,
  forcedTool: true,
  prefill: true,
};

export const simModels: readonly SimModel[] = [
  ...["claude-fable-5-2", "claude-mythos-5-2", "claude-fable-5-1", "claude-mythos-5-1", "claude-opus-5-5"].map(
    (id) => ({ ...newer, id, thinkingKinds: ["adaptive"], compaction: !id.endsWith("-5-2") }),
  ),
  { ...newer, id: "claude-sonnet-5-5", thinkingKinds: ["adaptive", "disabled", "between_tools"] },
  { ...newer, id: "claude-haiku-5-5" },
  ...["claude-fable-5", "claude-mythos-5"].map((id) => ({ ...five, id, thinkingKinds: ["adaptive"] })),
  { ...five, id: "claude-opus-5" },
  { ...five, id: "claude-sonnet-5", cacheableTokensMin: 1_024, midSystem: false },
  { ...five, id: "claude-opus-4-8", cacheableTokensMin: 1_024 },
  { ...four, id: "claude-opus-4-7", cacheableTokensMin: 2_048, tokenRate: 1.3, sampling: false },
  { ...four, id: "claude-opus-4-6", thinkingKinds: allKinds, cacheableTokensMin: 4_096 },
  { ...four, id: "claude-sonnet-4-6", thinkingKinds: allKinds, cacheableTokensMin: 1_024 },
  ...["claude-opus-4-5", "claude-opus-4-5-20251101"].map((id) => ({ ...fourFive, id, cacheableTokensMin: 4_096 })),
  ...["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"].map((id) => ({ ...turnOnly, id, cacheableTokensMin: 1_024 })),
  ...["claude-haiku-4-5", "claude-haiku-4-5-20251001"].map((id) => ({ ...turnOnly, id, cacheableTokensMin: 4_096 })),
  { ...newer, id: "sim-bound", windowTokens: 200_000, outputTokensMax: 32_000, cacheableTokensMin: 1_024 },
  {
    ...four,
    id: "sim-plain",
    thinkingKinds: allKinds,
    windowTokens: 200_000,
    outputTokensMax: 32_000,
    cacheableTokensMin: 1_024,
    prefill: true,
  },
  { ...newer, id: "sim-small", windowTokens: 32_000, outputTokensMax: 4_000, cacheableTokensMin: 512 },
  ...["gpt-5.4", "gpt-5.5"].map((id) => ({ ...chat, id, windowTokens: 922_000, sampling: false })),
  ...["gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna", "gpt-6-sol", "gpt-6-luna"].map((id) => ({
    ...chat,
    id,
    windowTokens: 922_000,
    sampling: false,
    chat: openaiBilled,
  })),
  ...["gpt-6-astra", "gpt-6.1-sol", "gpt-6.1-terra", "gpt-6.2-sol", "gpt-6.2-astra"].map((id) => ({
    ...chat,
    id,
    windowTokens: 922_000,
    sampling: false,
    efforts: someEffort,
    chat: openaiBilled,
  })),
  ...["deepseek-flash", "deepseek-v4-pro"].map((id) => ({
    ...chat,
    id,
    outputTokensMax: 384_000,
    cacheableTokensMin: 64,
    chat: deepseek,
  })),
  { ...chat, id: "kimi-k3", chat: kimi },
  { ...chat, id: "sim-chat", windowTokens: 128_000, outputTokensMax: 16_000 },
  { ...chat, id: "sim-chat-writes", windowTokens: 128_000, outputTokensMax: 16_000, chat: openaiBilled },
  { ...chat, id: "sim-reasoner", windowTokens: 128_000, outputTokensMax: 16_000, chat: deepseek },
  { ...chat, id: "sim-llama", windowTokens: 32_000, outputTokensMax: 32_000, cacheableTokensMin: 1, chat: llama },
  { ...chat, id: "sim-ollama", windowTokens: 8_000, outputTokensMax: 8_000, cacheableTokensMin: 1, chat: ollama },
  ...geminiRows.map((row) => ({ ...chat, ...row, wire: "gemini" as const, thinking: "kept" as const, chat: gemini })),
  ...responsesModels(
    { ...chat, wire: "responses", windowTokens: 922_000, sampling: false, prefill: false },
    someEffort,
  ),
];

/** What an account may say of its models; by id, of all rows of that id (an id may stand on two wires). */
export type ModelOverrides = {
  /** Of every model: window, and shortest cacheable prefix. */
  readonly windowTokens?: number;
  readonly minimumTokens?: number;
  /** Windows of single models; these win. */
  readonly modelWindows?: readonly (readonly [id: string, tokens: number])[];
  /** Further ids, each behaving like one that is in the table. */
  readonly modelsLike?: readonly (readonly [id: string, like: string])[];
};

/** The table with the overrides; throws where one names a model that is not in it. */
export function modelTable(options: ModelOverrides): readonly SimModel[] {
  const rowsOf = (id: string, rows: readonly SimModel[]) => {
    const found = rows.filter((row) => row.id === id);
    if (found.length === 0) throw new Error(`the model table has no ${id}`);
    return found;
  };
  const more = (options.modelsLike ?? []).flatMap(([id, like]) =>
    rowsOf(like, simModels).map((row) => ({ ...row, id })),
  );
  const rows = [...simModels.filter(({ id }) => !more.some((row) => row.id === id)), ...more];
  const windows = new Map(options.modelWindows);
  for (const id of windows.keys()) rowsOf(id, rows);
  return rows.map((model) => ({
    ...model,
    windowTokens: windows.get(model.id) ?? options.windowTokens ?? model.windowTokens,
    cacheableTokensMin: options.minimumTokens ?? model.cacheableTokensMin,
  }));
}

/** What a request without `thinking` means: newer models think by themselves, and some cannot stop (PROTOCOLS A.3). */
export function usualThinking(model: SimModel): "adaptive" | "disabled" {
  return model.thinking === "bound" || !model.thinkingKinds.includes("disabled") ? "adaptive" : "disabled";
}
