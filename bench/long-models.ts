import type { Wire } from "../src/kernel/usage.ts";
import type { ModelChoice } from "../src/log/entry.ts";

/** What a long session changes between: two models of one wire, and efforts. The first is what it begins with. */
export function longModels(wire: Wire): readonly ModelChoice[] {
  return choices[wire].map(([model, thinking, effort]) => ({ wire, model, thinking, effort, outputTokensMax: 4_000 }));
}

type Row = readonly [model: string, thinking: ModelChoice["thinking"], effort: ModelChoice["effort"]];

const choices: Readonly<Record<Wire, readonly Row[]>> = {
  anthropic: [
    ["claude-sonnet-5-5", "adaptive", null],
    ["claude-sonnet-5-5", "adaptive", "high"],
    ["claude-opus-4-6", "adaptive", null],
    ["claude-sonnet-4-5", { budgetTokens: 2_000 }, null],
  ],
  chat: [
    ["deepseek-v4-pro", "off", null],
    ["gpt-5.5", "off", null],
    ["kimi-k3", "off", null],
  ],
  responses: [
    ["gpt-6.2-sol", "off", null],
    ["gpt-6.2-sol", "off", "high"],
    ["gpt-5.5", "off", "low"],
  ],
  gemini: [
    ["gemini-3.5-flash", "adaptive", null],
    ["gemini-3.5-flash", "adaptive", "low"],
    ["gemini-2.5-pro", { budgetTokens: 2_000 }, null],
  ],
};
