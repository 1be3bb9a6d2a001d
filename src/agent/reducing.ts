import { bounds } from "../kernel/bounds.ts";
import type { State } from "../log/state.ts";
import { floorOf } from "../reduction/fold.ts";
import { compactionPlan, isWorthSumming, nothingToCompact } from "./compaction.ts";
import { isCold } from "./costs.ts";
import type { Lane } from "./lane.ts";
import { memoOf } from "./piece-memo.ts";
import { pieceSegments } from "./piece-segments.ts";
import { costsOf, planOf } from "./planned.ts";
import type { Prompt } from "./prompt.ts";
import { asksProvider } from "./provider-summary.ts";
import { shortened, shortForecast } from "./shortened.ts";
import type { Planned, Pressure, Summaries } from "./situation.ts";

/** What deciding needs to know of the reductions, each asked only when it matters. */
export function plannedNow(pressure: Pressure, lane: Lane): Planned {
  const prompt = lane.prompt();
  const plan = planOf(prompt, lane, pressure);
  if (plan.type !== "break") return { type: plan.type };
  if (plan.reason !== "compacted") return { type: plan.reason };
  return { type: "compacted", worth: isWorthSumming(prompt, plan, lane) };
}

export function summariesNow(lane: Lane): Summaries {
  return {
    use: lane.config.reductions.summaries === "off" ? "off" : isColdNow(lane) ? "cold" : "on",
    native: () => asksProvider(lane),
    rides: () => rides(lane.prompt(), lane.state()),
    shortFits: () => shortFits(lane),
    asked: () => askedCompaction(lane),
  };
}

/** With a cold cache reading everything again for a summary costs more than folding; a user who asks for one gets it. */
function isColdNow(lane: Lane): boolean {
  const { epoch, summary } = lane.state();
  return epoch !== null && summary.wanted === null && isCold(epoch.model, lane);
}

/** What the provider just refused is not sent again with more behind it (CASES C-005). */
export function rides({ forecast }: Prompt, { failure }: State): boolean {
  const { promptTokens, marginTokens, usableTokens } = forecast;
  return failure?.failure.class !== "overflow" && promptTokens + marginTokens + bounds.summaryAskTokens <= usableTokens;
}

function shortFits(lane: Lane): boolean {
  const prompt = lane.prompt();
  const { promptTokens, marginTokens } = shortForecast(prompt, shortened(prompt, lane), lane);
  return promptTokens + marginTokens + bounds.summaryAskTokens <= prompt.forecast.usableTokens;
}

function askedCompaction(lane: Lane): ReturnType<Summaries["asked"]> {
  const prompt = lane.prompt();
  const { wanted } = lane.state().summary;
  const plan = compactionPlan(prompt, lane, {
    pressure: "near",
    scope: wanted?.scope ?? { kind: "all" },
    summary: null,
  });
  const isWork = plan.type === "break" && plan.reason === "compacted";
  if (!isWork) return { type: "refused", why: `${nothingToCompact}; tokens that stay: ${floorWords(prompt, lane)}` };
  return { type: isWorthSumming(prompt, plan, lane) ? "worth" : "fold" };
}

/** Why a compaction cannot help: what always stays, largest part first. */
function floorWords(prompt: Prompt, lane: Lane): string {
  const { pieces } = prompt.doc;
  const { lineTokens, headTokens, closeLoop, reasoning } = costsOf(prompt, lane, "none");
  const { parts } = floorOf(pieceSegments(pieces), memoOf(pieces, lane.state()), {
    targetTokens: lineTokens,
    textTokensMax: 0,
    closeLoop,
    reasoning,
  });
  const all = [...parts, { what: "system and tools", tokens: headTokens }].filter(({ tokens }) => tokens > 0);
  return all
    .toSorted((a, b) => b.tokens - a.tokens)
    .map(({ what, tokens }) => `${what} ${tokens}`)
    .join(", ");
}
