import { canonicalJson } from "../kernel/canonical.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { ProviderClearing } from "../log/provider-clearing.ts";
import type { State } from "../log/state.ts";
import { catalogue } from "../prompt/catalogue.ts";
import { clearLimits } from "../reduction/clear-table.ts";
import type { Costs } from "../reduction/costs.ts";
import { workOf } from "../reduction/use-work.ts";
import type { AgentConfig } from "./config.ts";
import { limitsFor } from "./limits-now.ts";

type Config = Pick<AgentConfig, "reductions" | "codecFor" | "windowFor" | "caps" | "tools">;

/**
 * What the provider is asked to clear in the epoch that opens, by the lines ours would go by; null where that is not wanted,
 * and where it has nothing of the kind: then ours acts. It begins at the warn line, so that it comes before what we do at the
 * auto line.
 */
export function providerClearing(
  state: Pick<State, "limits" | "described">,
  choice: ModelChoice,
  config: Config,
): ProviderClearing | null {
  if (config.reductions.clearing !== "provider" || !clearsResults(choice, config)) return null;
  const names = catalogue(config.tools.map(({ declaration }) => declaration)).map(({ name }) => name);
  return {
    triggerTokens: Math.max(1, limitsFor(choice, state, config).warnTokens),
    keptUses: clearLimits.keptResults,
    clearedTokensMin: clearLimits.batchTokensMin,
    excludedTools: names.filter((name) => workOf(name, "") === "kept"),
  };
}

/**
 * Said when a session is opened: the provider was to clear and has nothing of the kind, or the open epoch asks for something else
 * than the settings do, as it will until a break writes the head anew.
 */
export function clearingWarning(
  { model, epoch, live }: Pick<State, "model" | "epoch" | "live">,
  config: Pick<Config, "reductions" | "codecFor">,
): string | null {
  if (model === null) return null;
  const isWanted = config.reductions.clearing === "provider";
  if (isWanted && !clearsResults(model, config))
    return `${model.model} on the ${model.wire} wire clears no results by itself: Varve's own clearing acts`;
  // Another model begins with such a break.
  if (epoch === null || canonicalJson(epoch.model) !== canonicalJson(model)) return null;
  const isAsked = epoch.providerClearing !== undefined;
  if (isAsked === isWanted) return null;
  if (isAsked) return `the provider goes on clearing ${untilAnew}`;
  if (live[0]?.block.type === "compaction")
    return "beside its own summary the provider clears nothing: Varve's own clearing acts";
  return `Varve's own clearing goes on ${untilAnew}`;
}

const untilAnew = "until the prompt is begun anew: by a compaction, or with another model or effort";

function clearsResults({ wire, model }: ModelChoice, { codecFor }: Pick<Config, "codecFor">): boolean {
  return codecFor(wire).abilities(model).clearsResults === true;
}

/** What our own planning clears: nothing while the provider does, all where it was to and cannot. */
export function ownClearing({ reductions }: Pick<AgentConfig, "reductions">, { epoch }: State): Costs["clearing"] {
  if (epoch?.providerClearing !== undefined) return "off";
  return reductions.clearing === "provider" ? "all" : reductions.clearing;
}
