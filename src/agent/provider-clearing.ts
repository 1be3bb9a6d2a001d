import { limitsOf } from "../budget/window.ts";
import { own } from "../kernel/own.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { ProviderClearing } from "../log/provider-clearing.ts";
import type { State } from "../log/state.ts";
import { catalogue } from "../prompt/catalogue.ts";
import { clearLimits } from "../reduction/clear-table.ts";
import type { Costs } from "../reduction/costs.ts";
import { workOf } from "../reduction/use-work.ts";
import type { AgentConfig } from "./config.ts";

type Config = Pick<AgentConfig, "reductions" | "codecFor" | "windowFor" | "caps" | "tools">;

/**
 * What the provider is asked to clear in the epoch that opens, by the lines ours would go by; null where that is not wanted,
 * and where it has nothing of the kind: then ours acts. It begins at the warn line, so that it comes before what we do at the
 * auto line.
 */
export function providerClearing(
  { limits, described }: Pick<State, "limits" | "described">,
  { wire, model, outputTokensMax }: ModelChoice,
  { reductions, codecFor, windowFor, caps, tools }: Config,
): ProviderClearing | null {
  if (reductions.clearing !== "provider" || codecFor(wire).abilities(model).clearsResults !== true) return null;
  const { window, warnTokens } = limitsOf({
    model,
    learned: own(limits, model) ?? null,
    settings: windowFor(model),
    listed: own(described, model) ?? null,
    outputTokensMax,
  });
  const share = caps()?.totalPercent ?? 100;
  const names = catalogue(tools.map(({ declaration }) => declaration)).map(({ name }) => name);
  return {
    triggerTokens: Math.max(1, Math.min(warnTokens, Math.floor((window.windowTokens * share) / 100))),
    keptUses: clearLimits.keptResults,
    clearedTokensMin: clearLimits.batchTokensMin,
    excludedTools: names.filter((name) => workOf(name, "") === "kept"),
  };
}

/** Said when a session is opened: the provider was to clear, and has nothing of the kind. */
export function clearingWarning(
  { wire, model }: ModelChoice,
  { reductions, codecFor }: Pick<Config, "reductions" | "codecFor">,
): string | null {
  if (reductions.clearing !== "provider" || codecFor(wire).abilities(model).clearsResults === true) return null;
  return `${model} on the ${wire} wire clears no results by itself: Varve's own clearing acts`;
}

/** What our own planning clears: nothing while the provider does, all where it was to and cannot. */
export function ownClearing({ reductions }: Pick<AgentConfig, "reductions">, { epoch }: State): Costs["clearing"] {
  if (epoch?.providerClearing !== undefined) return "off";
  return reductions.clearing === "provider" ? "all" : reductions.clearing;
}
