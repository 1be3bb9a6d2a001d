import type { Compaction, Costs } from "../reduction/costs.ts";
import { type Plan, plan } from "../reduction/plan.ts";
import { moneyOf } from "./costs.ts";
import { countedShare } from "./counted-share.ts";
import { headTokens } from "./fixed-tokens.ts";
import type { Lane } from "./lane.ts";
import { memoOf } from "./piece-memo.ts";
import { pieceSegments } from "./piece-segments.ts";
import type { Prompt } from "./prompt.ts";
import { ownClearing } from "./provider-clearing.ts";
import { bindsReasoning, needsLoopReasoning } from "./reasoning.ts";
import { clearable } from "./signatures.ts";
import type { Pressure } from "./situation.ts";
import { itemsOf } from "./stored-items.ts";
import { windowNow } from "./window.ts";

type Planning = Pick<Lane, "config" | "fx" | "ledger" | "state">;

/** What `reduction/plan.ts` says of the next request. */
export function planOf(
  prompt: Prompt,
  lane: Planning & Pick<Lane, "texts">,
  pressure: Pressure,
  { forced, goal }: Compaction = { forced: false, goal: {} },
): Plan {
  const { pieces } = prompt.doc;
  // Whoever only asks whether a fold would do sees it with all that the fold has to say.
  const compaction = { forced, goal: { items: itemsOf(lane.state(), lane.texts), ...goal } };
  const window = windowNow(prompt, lane);
  const costs = { ...costsOf(prompt, lane, pressure), compaction, ...(window === null ? {} : { window }) };
  return plan(pieceSegments(pieces), memoOf(pieces, lane.state()), costs);
}

export function costsOf(prompt: Prompt, lane: Planning, pressure: Pressure): Costs {
  const { model } = prompt.doc;
  const { collapsing } = lane.config.reductions;
  return {
    lineTokens: Math.floor(prompt.forecast.lineTokens * countedShare(prompt, lane.state())),
    headTokens: headTokens(prompt.segments),
    closeLoop: needsLoopReasoning(model),
    reasoning: !bindsReasoning(model) ? "free" : model.wire === "responses" ? "bound-loop" : "bound",
    pressure,
    clearing: clearable(ownClearing(lane.config, lane.state()), model),
    ...(collapsing === "on" ? {} : { collapsing }),
    ...moneyOf(prompt, lane),
  };
}
