import { factsOf } from "../budget/window.ts";
import type { Wire } from "../kernel/usage.ts";
import type { ModelChoice } from "../log/entry.ts";
import { capabilitiesOf } from "./anthropic/capabilities.ts";

/** A model with the values most users want, from its name alone. */
export function usualModel(model: string, wire: Wire = wireOf(model)): ModelChoice {
  return { wire, model, effort: null, thinking: thinkingOf(model), outputTokensMax: outputOf(model) };
}

function wireOf(model: string): Wire {
  return model.includes("claude") ? "anthropic" : "chat";
}

/** Adaptive where the model decides for itself; older ones think only with a budget, which is left off. */
function thinkingOf(model: string): ModelChoice["thinking"] {
  return capabilitiesOf(model).thinksAdaptively ? "adaptive" : "off";
}

const outputTokensUsual = 32_000;
/** For models nobody described: what small servers still take. */
const outputTokensUnknown = 8_000;

function outputOf(model: string): number {
  return Math.min(outputTokensUsual, factsOf(model)?.outputTokensMax ?? outputTokensUnknown);
}
