import { estimate } from "../budget/count.ts";
import type { CompactionBlock, Text } from "../log/block.ts";
import type { StopReason } from "../log/entry.ts";
import type { ProviderSummary, SummaryOutcome } from "../log/summary.ts";
import type { Received } from "../provider/codec.ts";
import type { Lane } from "./lane.ts";
import type { TextCache } from "./texts.ts";

/**
 * Whether the provider is asked to sum up by itself: where the user wants that and its model can. A part of the work, or what
 * the user names as most important, cannot be said to every provider; then our own ladder begins. So it does where the provider
 * clears by itself and has: the two cannot be combined (PROTOCOLS A.5), and all that was cleared would be read.
 */
export function asksProvider({ config, state }: Pick<Lane, "config" | "state">): boolean {
  const { epoch, summary, newest } = state();
  if (config.reductions.summaries !== "provider" || epoch === null || newest?.cleared !== undefined) return false;
  const { wanted, unsupported } = summary;
  if (unsupported === true) return false;
  const isWhole = wanted === null || (wanted.scope.kind === "all" && wanted.focus === "");
  return isWhole && config.codecFor(epoch.model.wire).abilities(epoch.model.model).sumsUp === true;
}

export type ProviderVerdict =
  | { readonly outcome: "accepted"; readonly block: CompactionBlock }
  | { readonly outcome: Exclude<SummaryOutcome, "accepted">; readonly detail: string };

/** Whether what came may stand for the work. Much of it cannot be read, so it is judged by its size only (law 8). */
export function providerVerdict({ blocks, stop, usage }: Received, replacedTokens: number): ProviderVerdict {
  const block = blocks.findLast((one) => one.type === "compaction");
  if (block === undefined) return none(blocks, stop);
  const tokens = block.text === "" ? (usage?.output ?? 0) : estimate(textIn(block.text));
  if (tokens < replacedTokens) return { outcome: "accepted", block };
  return { outcome: "larger", detail: `${tokens} tokens, and what it would stand for has ${replacedTokens}` };
}

function none(blocks: Received["blocks"], stop: StopReason): ProviderVerdict {
  if (blocks.some(({ type }) => type === "tool-call"))
    return { outcome: "tool-call", detail: "it called a tool instead of summing up" };
  if (cutStops.has(stop)) return { outcome: "truncated", detail: "it broke off before the summary was made" };
  if (blocks.length > 0) return { outcome: "junk", detail: "it answered instead of summing up" };
  return { outcome: "empty", detail: "no summary came" };
}

const cutStops: ReadonlySet<StopReason> = new Set(["output-limit", "window-exceeded", "pause"]);

function textIn(text: CompactionBlock["text"]): string {
  return typeof text === "string" ? text : "";
}

/** As it is kept in the log until it is placed. */
export async function keptSummary({ text, wire }: CompactionBlock, { texts, state }: Lane): Promise<ProviderSummary> {
  const { epoch } = state();
  if (epoch === null) throw new Error("keptSummary: no epoch is open");
  const { wire: from, model } = epoch.model;
  const block = { type: "compaction", text: await kept(text, texts), wire: await kept(wire, texts) } as const;
  return { from, model, block };
}

async function kept(text: Text, texts: TextCache): Promise<Text> {
  return typeof text === "string" ? await texts.keep(text) : text;
}

/** A summary at hand, every text of it read. */
export type MadeSummary = {
  /** What can be read of it. */
  readonly text: string;
  /** The provider's own block, for the model that goes on; null: it is read as any text. */
  readonly native: (Omit<ProviderSummary, "block"> & { readonly wire: string }) | null;
};

/** As the model of now takes it: a block of the provider's own goes to its maker only. null: there is none. */
export async function madeSummary({ texts, state }: Pick<Lane, "texts" | "state">): Promise<MadeSummary | null> {
  const { epoch, summary } = state();
  const { made } = summary;
  if (made === null) return null;
  const isOurs = typeof made === "string" || "blob" in made;
  const text = await texts.read(isOurs ? made : made.block.text);
  if (text === null || isOurs) return text === null ? null : { text, native: null };
  const { from, model, block } = made;
  const wire = epoch?.model.model === model && epoch.model.wire === from ? await texts.read(block.wire) : null;
  if (wire !== null) return { text, native: { from, model, wire } };
  return text === "" ? null : { text, native: null };
}

/** For the prompt. `instead`: what stands in its place for anybody but its maker. */
export async function placedSummary(
  { from, model, wire }: NonNullable<MadeSummary["native"]>,
  instead: string,
  texts: TextCache,
): Promise<ProviderSummary> {
  return { from, model, block: { type: "compaction", text: await texts.keep(instead), wire: await texts.keep(wire) } };
}
