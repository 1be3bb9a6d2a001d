import { priceOf } from "../budget/prices.ts";
import type { ModelChoice } from "../log/entry.ts";
import { ratesOf } from "../reduction/costs.ts";
import { type DroppedRanges, droppedIds } from "../reduction/dropped-ids.ts";
import { blockTokens, type FoldBlock } from "../reduction/fold.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { moneyOf } from "./costs.ts";
import type { Lane } from "./lane.ts";
import { pieceSegments } from "./piece-segments.ts";
import type { Prompt } from "./prompt.ts";
import type { EpochBody } from "./reasoning.ts";

/** What a break is predicted to cost: what is left behind its cut is written instead of read, and reasoning is lost. */
export function breakCost(
  prompt: Prompt,
  lane: Pick<Lane, "config" | "fx" | "ledger" | "state">,
  { tokensRewritten, reasoningTokensLost }: Omit<EpochBody["cost"], "usd">,
): EpochBody["cost"] {
  const { prices } = moneyOf(prompt, lane);
  const { read, write } = ratesOf(prices);
  const inputTokens = (write - read) * tokensRewritten + write * reasoningTokensLost;
  const usd = prices.type === "known" ? usdOf(prompt.doc.model, inputTokens, lane) : null;
  return { tokensRewritten, reasoningTokensLost, usd };
}

/** USD of so many plain input tokens; null: the price is unknown. */
function usdOf(model: ModelChoice, inputTokens: number, lane: Pick<Lane, "config" | "fx">): number | null {
  const price = priceOf(model.model, lane.fx.clock.now(), 0, lane.config.prices);
  return price.type === "known" ? (inputTokens * price.rates.input) / 1_000_000 : null;
}

/** What stands behind a cut once the break is made. */
export function tokensLeft(
  {
    drops,
    blocks,
    cut,
  }: {
    readonly drops: DroppedRanges;
    readonly blocks: readonly FoldBlock[];
    readonly cut: number;
  },
  { doc }: Prompt,
): number {
  const gone = droppedIds(drops);
  const kept = pieceSegments(doc.pieces).filter(({ id }) => id >= cut && !gone.has(id));
  return [...kept.map(tokensOf), ...blocks.map(blockTokens)].reduce((sum, tokens) => sum + tokens, 0);
}
