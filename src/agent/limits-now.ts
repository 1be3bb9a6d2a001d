import { limitsOf } from "../budget/window.ts";
import { own } from "../kernel/own.ts";
import type { State } from "../log/state.ts";
import type { AgentConfig } from "./config.ts";
import type { Forecast } from "./situation.ts";

export type LineLimits = Pick<Forecast, "autoTokens" | "lineTokens" | "usableTokens">;

/** The lines of the open epoch's model, under the project's own share of the window where it has one. */
export function limitsNow(
  { epoch, limits, described }: State,
  config: Pick<AgentConfig, "windowFor" | "caps">,
): LineLimits {
  if (epoch === null) throw new Error("limitsNow: no epoch is open");
  const { model, outputTokensMax } = epoch.model;
  const { window, autoTokens, lineTokens, usableTokens } = limitsOf({
    model,
    learned: own(limits, model) ?? null,
    settings: config.windowFor(model),
    listed: own(described, model) ?? null,
    outputTokensMax,
  });
  const share = config.caps()?.totalPercent ?? 100;
  // Above a share of the project's own the work is folded; where nothing can be, the request is sent all the same.
  const capTokens = Math.floor((window.windowTokens * share) / 100);
  return { autoTokens: Math.min(autoTokens, capTokens), lineTokens: Math.min(lineTokens, capTokens), usableTokens };
}
