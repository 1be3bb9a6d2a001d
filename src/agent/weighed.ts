import type { EntryBody } from "../log/entry.ts";
import type { Plan } from "../reduction/plan.ts";
import { foldPreview } from "./compaction.ts";
import { filesAgain } from "./files-again.ts";
import { foreseen } from "./foreseen.ts";
import type { Lane } from "./lane.ts";
import { settled } from "./pointers.ts";
import type { Prompt } from "./prompt.ts";
import { type Refused, refused } from "./refused.ts";

type Weighing = Pick<Lane, "config" | "fx" | "ledger" | "state" | "texts">;

/** What is to be written, and what the whole request is behind it. */
type Weighed = { readonly type: "weighed"; readonly entries: readonly EntryBody[]; readonly tokensAfter: number };

/**
 * By hand nothing presses, so the whole request must become smaller (law 8): a break also writes out what pointers led to, says
 * head and facts anew, gives back what the provider had cleared, and shows files again.
 */
export async function weighedByHand(
  entries: readonly EntryBody[],
  plan: Plan,
  prompt: Prompt,
  lane: Weighing,
): Promise<Weighed | Refused> {
  const { promptTokens } = prompt.forecast;
  const bare = await tokensBehind(entries, lane);
  if (bare === null || bare >= promptTokens) return noSmaller(promptTokens, bare);
  const shown = await filesShown(plan, prompt, lane, promptTokens - bare);
  const all = [...entries, ...shown];
  const tokensAfter = shown.length === 0 ? bare : await tokensBehind(all, lane);
  if (tokensAfter === null || tokensAfter >= promptTokens) return noSmaller(promptTokens, tokensAfter);
  return { type: "weighed", entries: all, tokensAfter };
}

async function tokensBehind(entries: readonly EntryBody[], lane: Weighing): Promise<number | null> {
  return (await foreseen(await settled(entries, lane), lane))?.promptTokens ?? null;
}

/** What the work needs at hand, for a share of what the fold saves. */
export async function filesShown(
  plan: Plan,
  prompt: Prompt,
  lane: Weighing,
  savedTokensMax: number,
): Promise<readonly EntryBody[]> {
  if (plan.type !== "break") return [];
  const { tokensBefore = 0, tokensAfter = 0 } = foldPreview(plan, prompt, lane) ?? {};
  const savedTokens = Math.max(0, Math.min(tokensBefore - tokensAfter, savedTokensMax));
  return await filesAgain(prompt, plan, savedTokens, lane);
}

function noSmaller(tokensBefore: number, tokensAfter: number | null): Refused {
  const size = tokensAfter === null ? "of a size that cannot be told" : `${tokensAfter} tokens`;
  return refused(`the next request would be no smaller: ${tokensBefore} tokens now, ${size} after`);
}
