import { costOf, type Money, priceOf } from "../budget/prices.ts";
import { bounds } from "../kernel/bounds.ts";
import { noUsage, promptTokensOf, type Usage } from "../kernel/usage.ts";
import { cacheRuleOf } from "../ledger/rules.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { SummaryScope } from "../log/summary.ts";
import { isCertainlyCold } from "../reduction/costs.ts";
import { compactionPlan, isWorthSumming } from "./compaction.ts";
import { type CompactionOutlook, compactionPreview } from "./compaction-preview.ts";
import { isCold } from "./costs.ts";
import type { Lane } from "./lane.ts";
import type { Prompt } from "./prompt.ts";
import type { Refused } from "./refused.ts";
import { isModelNew, requestModel } from "./request-model.ts";

/** What asking the model for a summary is predicted to take. */
export type SummaryForecast = {
  readonly model: string;
  readonly promptTokens: number;
  /** Of them: what the newest answered request left in the cache, where it may still be there. */
  readonly cacheReadTokens: number;
  readonly outputTokensMax: number;
  /** With an answer of that size. */
  readonly cost: Money;
};

export type CompactionPreview = CompactionOutlook & {
  /** null: no model would be asked, the work would be folded. */
  readonly summary: SummaryForecast | null;
};

type Planning = Pick<Lane, "config" | "fx" | "ledger" | "state" | "texts">;

/** null: nothing to take away. */
export async function compactionForecast(
  prompt: Prompt,
  lane: Planning,
  scope: SummaryScope,
): Promise<CompactionPreview | Refused | null> {
  const preview = await compactionPreview(prompt, lane, scope);
  if (preview === null || "type" in preview) return preview;
  const plan = compactionPlan(prompt, lane, { pressure: "none", scope, summary: null });
  const isAsked = lane.config.reductions.summaries !== "off" && isWorthSumming(prompt, plan, lane);
  return { ...preview, summary: isAsked ? summaryForecast(prompt, lane) : null };
}

/** Asked of the model that was chosen: where that is another one, a break comes first, and nothing is cached for it. */
function summaryForecast({ doc, forecast }: Prompt, lane: Planning): SummaryForecast {
  const state = lane.state();
  const model = requestModel(state) ?? doc.model;
  const isNew = isModelNew(state);
  const now = lane.fx.clock.now();
  const promptTokens = Math.min(forecast.promptTokens + bounds.summaryAskTokens, forecast.usableTokens);
  const cacheReadTokens = isNew ? 0 : Math.min(promptTokens, cachedTokens(model, lane));
  const outputTokensMax = bounds.summaryTokensMax;
  const price = priceOf(model.model, now, promptTokens, lane.config.prices);
  const usage = {
    ...written(model, promptTokens - cacheReadTokens),
    cacheRead: cacheReadTokens,
    output: outputTokensMax,
  };
  return { model: model.model, promptTokens, cacheReadTokens, outputTokensMax, cost: costOf(usage, price) };
}

/** Nothing where a break came since, where it was too little to be stored, or where its documented life is over. */
function cachedTokens(choice: ModelChoice, lane: Planning): number {
  const { newest } = lane.state();
  if (newest?.usage == null || newest.segments === 0) return 0;
  const { tokensMin, lifetimeMs } = cacheRuleOf(choice.wire, choice.model);
  const tokens = promptTokensOf(newest.usage);
  const isOver = isCertainlyCold(lane.fx.clock.now() - newest.receivedAt, lifetimeMs) || isCold(choice, lane);
  return tokens < tokensMin || isOver ? 0 : tokens;
}

/** What is not read is stored, where the provider charges for that. */
function written({ wire, model }: ModelChoice, tokens: number): Usage {
  if (wire === "anthropic") return { ...noUsage, cacheWrite5m: tokens };
  return cacheRuleOf(wire, model).type === "marked"
    ? { ...noUsage, cacheWriteOther: tokens }
    : { ...noUsage, uncached: tokens };
}
