import type { SummaryScope } from "../log/summary.ts";
import type { FoldPreview, Portion } from "../reduction/fold-preview.ts";
import { compactionPlan, foldPreview } from "./compaction.ts";
import { headTokens } from "./fixed-tokens.ts";
import type { Lane } from "./lane.ts";
import type { Prompt } from "./prompt.ts";
import type { Refused } from "./refused.ts";
import { isModelNew } from "./request-model.ts";
import { reduced } from "./shrink.ts";
import { unstored } from "./texts.ts";
import { weighedByHand } from "./weighed.ts";

type Planning = Pick<Lane, "config" | "fx" | "ledger" | "state" | "texts">;

/**
 * All in tokens of the whole request as it is forecast, so that the parts add up to that and to `clearedTokens`: what the provider
 * clears of it now, so that no forecast has them; behind a break it clears afresh, if at all.
 */
export type CompactionOutlook = FoldPreview & {
  readonly clearedTokens: number;
  /** All that takes the place of what goes: the list, and what a break says or shows anew. */
  readonly blockTokens: number;
  /** System and tools, which stay. */
  readonly headTokens: number;
};

/** Before and after are counted as the provider counts, the portions plainly. */
type Plain = FoldPreview & Pick<CompactionOutlook, "clearedTokens">;

/** What a compaction would take away now, and what would stay; null: nothing to take away. */
export async function compactionPreview(
  prompt: Prompt,
  lane: Planning,
  scope: SummaryScope,
): Promise<CompactionOutlook | Refused | null> {
  const plan = compactionPlan(prompt, lane, { pressure: "none", scope, summary: null });
  const preview = foldPreview(plan, prompt, lane);
  if (preview === null) return null;
  const { promptTokens } = prompt.forecast;
  const state = lane.state();
  const { newest } = state;
  const clearedTokens = newest === null || newest.segments === 0 ? 0 : (newest.cleared?.tokens ?? 0);
  const wholeTokens = promptTokens + clearedTokens;
  const headPlain = headTokens(prompt.segments);
  const outlook = { ...preview, clearedTokens, tokensBefore: promptTokens };
  if (isModelNew(state)) {
    // The break that is due for another model brings the same anew, compaction or not: what goes makes the difference.
    const rate = wholeTokens / Math.max(1, headPlain + preview.tokensBefore);
    const saved = Math.round((preview.tokensBefore - preview.tokensAfter) * rate);
    return addingUp({ ...outlook, tokensAfter: wholeTokens - saved }, headPlain);
  }
  const unseen = { ...lane, texts: unstored(lane.texts, lane.fx) };
  const entries = await reduced(plan, prompt, "", unseen);
  const weighed = await weighedByHand(entries, plan, prompt, unseen);
  return weighed.type === "refused" ? weighed : addingUp({ ...outlook, tokensAfter: weighed.tokensAfter }, headPlain);
}

/** What goes and what takes its place make the difference. `headPlain`: system and tools, counted plainly too. */
function addingUp(preview: Plain, headPlain: number): CompactionOutlook {
  const { tokensBefore, tokensAfter, clearedTokens } = preview;
  const wholeTokens = tokensBefore + clearedTokens;
  const savedTokens = wholeTokens - tokensAfter;
  const rate = wholeTokens / Math.max(1, headPlain + preview.goes.tokens + preview.stays.tokens);
  const counted = (tokens: number) => Math.round(tokens * rate);
  const portion = ({ tokens, byTool, ...rest }: Portion): Portion => ({
    ...rest,
    tokens: counted(tokens),
    byTool: byTool.map((one) => ({ ...one, tokens: counted(one.tokens) })),
  });
  const [gone, stays] = [portion(preview.goes), portion(preview.stays)];
  const goes = { ...gone, tokens: Math.max(gone.tokens, savedTokens) };
  const headCounted = Math.max(0, wholeTokens - goes.tokens - stays.tokens);
  return { ...preview, goes, stays, blockTokens: goes.tokens - savedTokens, headTokens: headCounted };
}
