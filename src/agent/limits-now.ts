import { limitsOf } from "../budget/window.ts";
import { own } from "../kernel/own.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { AgentConfig } from "./config.ts";
import type { Forecast } from "./situation.ts";

export type LineLimits = Pick<Forecast, "autoTokens" | "lineTokens" | "usableTokens">;

type Config = Pick<AgentConfig, "windowFor" | "caps">;

/** The lines of the open epoch's model. */
export function limitsNow(state: State, config: Config): LineLimits {
  if (state.epoch === null) throw new Error("limitsNow: no epoch is open");
  const { autoTokens, lineTokens, usableTokens } = limitsFor(state.epoch.model, state, config);
  return { autoTokens, lineTokens, usableTokens };
}

/** What the open epoch's model takes at most. */
export function windowTokensNow(state: State, config: Config): number {
  return state.epoch === null ? Number.POSITIVE_INFINITY : limitsFor(state.epoch.model, state, config).inputTokensMax;
}

/** The lines of any model, under the project's own share of the window where it has one. */
export function limitsFor(
  { model, outputTokensMax }: ModelChoice,
  { limits, described }: Pick<State, "limits" | "described">,
  config: Config,
): LineLimits & { readonly warnTokens: number; readonly inputTokensMax: number; readonly reserveTokens: number } {
  const { window, reserveTokens, warnTokens, autoTokens, lineTokens, usableTokens } = limitsOf({
    model,
    learned: own(limits, model) ?? null,
    settings: config.windowFor(model),
    listed: own(described, model) ?? null,
    outputTokensMax,
  });
  const share = config.caps()?.totalPercent ?? 100;
  // Above a share of the project's own the work is folded; where nothing can be, the request is sent all the same.
  const capTokens = Math.floor((window.windowTokens * share) / 100);
  const capped = (tokens: number) => Math.min(tokens, capTokens);
  return {
    warnTokens: capped(warnTokens),
    autoTokens: capped(autoTokens),
    lineTokens: capped(lineTokens),
    usableTokens,
    inputTokensMax: usableTokens + reserveTokens,
    reserveTokens,
  };
}
