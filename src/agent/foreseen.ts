import type { EntryBody } from "../log/entry.ts";
import { reduce } from "../log/reduce.ts";
import { blobsOf } from "../prompt/render.ts";
import { headOf } from "./head.ts";
import type { Lane } from "./lane.ts";
import { renderPrompt } from "./prompt.ts";
import type { Forecast } from "./situation.ts";

/**
 * The next request as it would be behind these entries, with all that a break among them brings (`settled` comes first). null:
 * its head cannot be read.
 */
export async function foreseen(
  entries: readonly EntryBody[],
  lane: Pick<Lane, "config" | "ledger" | "state" | "texts">,
): Promise<Forecast | null> {
  const next = entries.reduce((to, entry) => reduce(to, { ...entry, seq: to.seq + 1, at: to.at }), lane.state());
  await lane.texts.load(blobsOf(next));
  const head = await headOf(next, lane.texts);
  return head === null ? null : renderPrompt({ ...lane, state: () => next, head: () => head }).forecast;
}
