import type { EntryBody } from "../log/entry.ts";
import type { Plan } from "../reduction/plan.ts";
import { compactionPlan, nothingToCompact } from "./compaction.ts";
import type { Lane } from "./lane.ts";
import { type MadeSummary, madeSummary } from "./provider-summary.ts";
import { reduced } from "./shrink.ts";
import type { Effect } from "./situation.ts";
import { filesShown, weighedByHand } from "./weighed.ts";

/** Finished work goes, behind the summary that was made or as a list, and what the work needs at hand is shown again. */
export async function compact(
  { pressure, why, unasked }: Extract<Effect, { readonly type: "compact" }>,
  lane: Lane,
): Promise<readonly EntryBody[]> {
  const { summary } = lane.state();
  const prompt = lane.prompt();
  const scope = summary.wanted?.scope ?? null;
  const made = await madeSummary(lane);
  const plan = compactionPlan(prompt, lane, { pressure, scope, summary: made });
  const isDone = plan.type === "forms" || (plan.type === "break" && plan.reason === "compacted");
  if (!isDone)
    return [{ type: "compaction-refused", detail: `${nothingToCompact}${made === null ? "" : `; ${notUsed}`}` }];
  const words = made === null ? foldedWords(unasked) : summedWords(plan, made);
  const entries = await reduced(plan, prompt, `${words}${why === "" ? "" : `: ${why}`}`, lane, made?.native);
  if (scope === null) return [...entries, ...(await filesShown(plan, prompt, lane, Number.POSITIVE_INFINITY))];
  const weighed = await weighedByHand(entries, plan, prompt, lane);
  if (weighed.type === "weighed") return weighed.entries;
  return [{ type: "compaction-refused", detail: `${weighed.why}${made === null ? "" : `; ${notUsed}`}` }];
}

function foldedWords(unasked: string): string {
  return `folded without a model (${unasked === "" ? "what was made is for another model" : unasked})`;
}

const notUsed = "the summary that was made is not used";

/** A break may only cut results: then nothing goes that a summary could stand for. */
function summedWords(plan: Plan, { native }: MadeSummary): string {
  const isFolded = plan.type === "break" && plan.reason === "compacted" && plan.fold.type === "fold";
  if (!isFolded) return `results cut, and no work is finished: ${notUsed}`;
  return native === null ? "summed up" : "summed up by the provider";
}
