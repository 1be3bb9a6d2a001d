import { canonicalJson } from "../kernel/canonical.ts";
import type { ModelChoice, PermissionMode, Verbosity } from "../log/entry.ts";
import type { AgentConfig } from "./config.ts";
import type { Driver } from "./driver.ts";
import type { Effects } from "./effects.ts";
import { effortReminder } from "./effort.ts";
import { type FactChoices, factChoicesOf } from "./fact-choices.ts";
import { modeReminder, verbosityReminder } from "./news.ts";

/** What the user may set in mid-session. */
export type Choices = FactChoices & {
  chooseModel(model: ModelChoice): Promise<void>;
  chooseMode(mode: PermissionMode): Promise<void>;
  chooseVerbosity(verbosity: Verbosity): Promise<void>;
};

/** Each choice that changes something is an entry, and is said where the model can hear it without anything moving. */
export function choicesOf(
  { state, post }: Pick<Driver, "state" | "post">,
  inTurn: <T>(take: () => Promise<T>) => Promise<T>,
  config: Pick<AgentConfig, "codecFor" | "assembly" | "windowFor">,
  fx: Effects,
): Choices {
  return {
    ...factChoicesOf({ state, post }, inTurn, config, fx),
    chooseModel: (model) =>
      inTurn(async () => {
        const { model: before } = state();
        if (before === null || canonicalJson(before) !== canonicalJson(model))
          await post([{ type: "model-chosen", model }, ...effortReminder(state(), model, config)]);
      }),
    chooseMode: (mode) =>
      inTurn(async () => {
        const { mode: before, planBy } = state();
        if (before !== mode)
          await post([{ type: "mode-chosen", mode }, ...modeReminder(state(), mode, config.assembly)]);
        else if (mode === "plan" && planBy === "model") await post([{ type: "mode-chosen", mode }]);
      }),
    chooseVerbosity: (verbosity) =>
      inTurn(async () => {
        if (state().verbosity !== verbosity)
          await post([
            { type: "verbosity-chosen", verbosity },
            ...verbosityReminder(state(), verbosity, config.assembly),
          ]);
      }),
  };
}
