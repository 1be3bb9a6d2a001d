import { costOf, type Money, priceOf } from "../budget/prices.ts";
import { bounds } from "../kernel/bounds.ts";
import { canonicalJson } from "../kernel/canonical.ts";
import { noUsage, promptTokensOf, type Usage } from "../kernel/usage.ts";
import { cacheRuleOf } from "../ledger/rules.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { SummaryScope } from "../log/summary.ts";
import { isCertainlyCold } from "../reduction/costs.ts";
import type { Portion } from "../reduction/fold-preview.ts";
import { type CompactionOutlook, compactionPlan, compactionPreview, isWorthSumming } from "./compaction.ts";
import { isCold } from "./costs.ts";
import { modelNow } from "./effort.ts";
import type { Lane } from "./lane.ts";
import type { Prompt } from "./prompt.ts";
import { requestModel } from "./request-model.ts";

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

/** All in tokens of the whole request as it is forecast, so that the parts add up to that and to what the provider clears of it. */
export type CompactionPreview = CompactionOutlook & {
  /** System and tools, which stay. */
  readonly headTokens: number;
  /** null: no model would be asked, the work would be folded. */
  readonly summary: SummaryForecast | null;
};

type Planning = Pick<Lane, "config" | "fx" | "ledger" | "state" | "texts">;

export function compactionForecast(prompt: Prompt, lane: Planning, scope: SummaryScope): CompactionPreview | null {
  const preview = compactionPreview(prompt, lane, scope);
  if (preview === null) return null;
  const plan = compactionPlan(prompt, lane, { pressure: "none", scope, summary: null });
  const isAsked = lane.config.reductions.summaries !== "off" && isWorthSumming(prompt, plan, lane);
  return { ...addingUp(preview), summary: isAsked ? summaryForecast(prompt, lane) : null };
}

/** Portions are counted plainly, before and after as the provider counts: what goes and what takes its place make the difference. */
function addingUp(preview: CompactionOutlook): CompactionOutlook & { readonly headTokens: number } {
  const { tokensBefore, tokensAfter, clearedTokens } = preview;
  const wholeTokens = tokensBefore + clearedTokens;
  const rate = (wholeTokens - tokensAfter) / Math.max(1, preview.goes.tokens - preview.blockTokens);
  const counted = (tokens: number) => Math.round(tokens * rate);
  const portion = ({ tokens, byTool, ...rest }: Portion): Portion => ({
    ...rest,
    tokens: counted(tokens),
    byTool: byTool.map((one) => ({ ...one, tokens: counted(one.tokens) })),
  });
  const [goes, stays] = [portion(preview.goes), portion(preview.stays)];
  const headTokens = Math.max(0, wholeTokens - goes.tokens - stays.tokens);
  return { ...preview, goes, stays, blockTokens: counted(preview.blockTokens), headTokens };
}

/** Asked of the model that was chosen: where that is another one, a break comes first, and nothing is cached for it. */
function summaryForecast({ doc, forecast }: Prompt, lane: Planning): SummaryForecast {
  const state = lane.state();
  const model = requestModel(state) ?? doc.model;
  const isNew = canonicalJson(model) !== canonicalJson(modelNow(state));
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
