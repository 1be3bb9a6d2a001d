import type { State } from "../log/state.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import type { Prompt } from "./prompt.ts";

/**
 * What our plain count is of what the forecast, with its margin, or the provider's own refusal says the request has: plans
 * count plainly, lines are in the provider's tokens.
 */
export function countedShare({ forecast, segments }: Prompt, { failure }: Pick<State, "failure">): number {
  const refused = failure?.failure.class === "overflow" ? (failure.failure.promptTokens ?? 0) : 0;
  const counted = segments.reduce((sum, segment) => sum + tokensOf(segment), 0);
  return Math.min(1, counted / Math.max(1, refused, forecast.promptTokens + forecast.marginTokens));
}
