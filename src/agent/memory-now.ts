import { estimate } from "../budget/count.ts";
import type { MemoryPolicy } from "../budget/window.ts";
import { madeOnce } from "../kernel/once.ts";
import { guessesDropped } from "../log/limits.ts";
import { headTokensOf } from "../log/state.ts";
import { memoryPolicy } from "../memory/window.ts";
import type { Head } from "../prompt/render.ts";
import { targetTokens } from "../reduction/mark.ts";
import { pricesOf } from "./costs.ts";
import type { Lane } from "./lane.ts";
import { limitsFor } from "./limits-now.ts";

/** Whether the lane's window slides, known without a look at the next request. */
export function isSliding(lane: Pick<Lane, "config" | "fx" | "state" | "head" | "hasHead">): boolean {
  const { epoch } = lane.state();
  if (epoch === null) return false;
  const setting = lane.config.memoryFor(epoch.model.model);
  if (setting !== null) return setting === "window";
  // Of one that is lost nothing is known; the next request opens another epoch.
  return memoryNow(lane, lane.hasHead() ? tokensIn(lane.head()) : 0) === "window";
}

function tokensIn(head: Head): number {
  return tokensOfHead(head, () => estimate(JSON.stringify(head)));
}

const tokensOfHead = madeOnce<Head, number>();

/** How the lane keeps within its window, by the open epoch's model. `headTokens`: of system and tools, as far as nothing better is known. */
export function memoryNow(
  { config, fx, state }: Pick<Lane, "config" | "fx" | "state">,
  headTokens: number,
): MemoryPolicy {
  const now = state();
  if (now.epoch === null) return "epochs";
  const { model } = now.epoch;
  // A guess is given up again: a policy that came and went with it would begin two epochs for nothing.
  const known = { ...now, limits: guessesDropped(now.limits) };
  const { autoTokens, lineTokens, usableTokens } = limitsFor(model, known, config);
  const prices = pricesOf(model, fx.clock.now(), usableTokens, config.prices);
  const head = headTokensOf(now) ?? headTokens;
  return memoryPolicy({
    setting: config.memoryFor(model.model),
    prefixReuse: prices.type === "known" && prices.rates.read >= 1 ? "no" : "yes",
    epochTokens: autoTokens - targetTokens({ lineTokens, headTokens: head }),
  });
}
