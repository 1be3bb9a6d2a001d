import type { MemoryPolicy } from "../budget/window.ts";
import { headTokensOf } from "../log/state.ts";
import { memoryPolicy } from "../memory/window.ts";
import { targetTokens } from "../reduction/mark.ts";
import { pricesOf } from "./costs.ts";
import type { Lane } from "./lane.ts";
import { limitsFor } from "./limits-now.ts";

/** How the lane keeps within its window, by the open epoch's model. `headTokens`: of system and tools, as far as nothing better is known. */
export function memoryNow(
  { config, fx, state }: Pick<Lane, "config" | "fx" | "state">,
  headTokens: number,
): MemoryPolicy {
  const now = state();
  if (now.epoch === null) return "epochs";
  const { model } = now.epoch;
  const { autoTokens, lineTokens, usableTokens } = limitsFor(model, now, config);
  const prices = pricesOf(model, fx.clock.now(), usableTokens, config.prices);
  const head = headTokensOf(now) ?? headTokens;
  return memoryPolicy({
    setting: config.memoryFor(model.model),
    prefixReuse: prices.type === "known" && prices.rates.read >= 1 ? "no" : "yes",
    epochTokens: autoTokens - targetTokens({ lineTokens, headTokens: head }),
  });
}
