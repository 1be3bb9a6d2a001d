import type { State } from "../log/state.ts";
import type { Costs } from "../reduction/costs.ts";

/** Which lines of defence behind the first forms a lane has (DESIGN 6). */
export type Reductions = {
  /** `provider`: its own, where it has it (PROTOCOLS A.4); ours elsewhere. */
  readonly clearing: Costs["clearing"] | "provider";
  readonly collapsing: "on" | "off";
  /**
   * `model`: finished work is summed up by the model; else, and where that fails, it is folded. `provider`: by the provider's
   * own means, where it has them (PROTOCOLS A.5, B.4); elsewhere, and where that fails, as with `model`.
   */
  readonly summaries: "model" | "provider" | "off";
  /** Left out: results lead to lines that are still shown. */
  readonly pointers?: "off";
};

export const usualReductions: Reductions = { clearing: "all", collapsing: "on", summaries: "model" };

/** What is not named goes on as the session has it, the rest as usual: what was asked of a provider is not ended in passing. */
export function reductionsIn({ epoch }: Pick<State, "epoch">, given: Partial<Reductions> = {}): Reductions {
  const going: Partial<Reductions> = epoch?.providerClearing === undefined ? {} : { clearing: "provider" };
  return { ...usualReductions, ...going, ...given };
}

/** Nothing but the fold, and that only where a window is full: what the others are measured against. */
export const noReductions: Reductions = { clearing: "off", collapsing: "off", summaries: "off", pointers: "off" };

export const foldOnly: Reductions = { clearing: "off", collapsing: "off", summaries: "off" };
