import { factsOf, reserveTokens, type WindowSettings } from "../budget/window.ts";
import type { Wire } from "../kernel/usage.ts";
import type { ModelChoice } from "../log/entry.ts";
import { capabilitiesOf } from "./anthropic/capabilities.ts";
import type { ListedModel } from "./listed-model.ts";
import { needsResponses } from "./openai.ts";

/**
 * A model with the values most users want: from its name, from what its provider lists of it, and, where the user knows
 * better, from their own settings.
 */
export function usualModel(
  model: string,
  wire: Wire = wireOf(model),
  settings: WindowSettings | null = null,
  listed: ListedModel | null = null,
): ModelChoice {
  const thinking = thinkingOf(model, wire, listed);
  return { wire, model, effort: null, thinking, outputTokensMax: outputOf(model, settings, listed) };
}

/** The same model where a refusal named its limit: the longest answer keeps to the reserve of that window. */
export function fittedTo(limitTokens: number, model: ModelChoice): ModelChoice {
  const room = reserveTokens({ windowTokens: limitTokens, inputTokensMax: null }, model.outputTokensMax);
  return room >= model.outputTokensMax ? model : { ...model, outputTokensMax: Math.max(1, room) };
}

/** Compatible servers of other vendors speak Chat Completions; OpenAI's newer models call tools on Responses only (B.1). */
function wireOf(model: string): Wire {
  if (model.includes("claude")) return "anthropic";
  // Behind another vendor's name (`google/gemini-...`) it is a gateway's, and those speak Chat Completions.
  if (/^(?:models\/)?gemini-/.test(model)) return "gemini";
  return needsResponses(model) ? "responses" : "chat";
}

/** Adaptive where the model decides for itself; older ones think only with a budget, which is left off. */
function thinkingOf(model: string, wire: Wire, listed: ListedModel | null): ModelChoice["thinking"] {
  const adapts =
    wire === "gemini" || (listed?.thinking?.includes("adaptive") ?? capabilitiesOf(model).thinksAdaptively);
  return adapts ? "adaptive" : "off";
}

const outputTokensUsual = 32_000;
/** For models nobody described: what small servers still take. */
const outputTokensUnknown = 8_000;

/** Many servers refuse a request whose prompt and longest answer exceed the window together, so the answer keeps to the reserve. */
function outputOf(model: string, settings: WindowSettings | null, listed: ListedModel | null): number {
  const inTable = factsOf(model)?.outputTokensMax ?? outputTokensUnknown;
  const usual = Math.min(outputTokensUsual, settings?.outputTokensMax ?? listed?.outputTokensMax ?? inTable);
  const windowTokens = settings?.windowTokens ?? listed?.inputTokensMax ?? null;
  if (windowTokens === null) return usual;
  const inputTokensMax = settings?.inputTokensMax ?? null;
  return Math.max(1, Math.min(usual, reserveTokens({ windowTokens, inputTokensMax }, usual)));
}
