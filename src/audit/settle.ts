import { noUsage, promptTokensOf, type Usage } from "../kernel/usage.ts";
import { type AuditMiss, auditMissOf, cacheStateOf, isCold, isOtherModel } from "./cache.ts";
import { type Call, type Lane, openingSums } from "./lane.ts";
import type { Measured, Meter } from "./meter.ts";
import { addSums, changePrompts, type PartSums, type Parts } from "./parts.ts";
import { ratedBy } from "./rated.ts";
import type { SeriesEvent } from "./report.ts";
import { type Prices, pricesOf, type Shares, sharesOf } from "./shares.ts";

/** What settling a call needs of its session. */
export type Settling = {
  readonly parts: Parts;
  /** Of the session. */
  readonly meter: Meter;
  /** Of all sessions, where a call that an earlier file holds is only counted as a copy. */
  readonly totals: Meter;
  readonly isCopied: (key: number) => boolean;
  /** The newest time of the session, for the price of a call that has none. */
  readonly newestAt: () => number | null;
  readonly onMiss: (lane: Lane, call: Call, miss: AuditMiss & { readonly usd: number | null }) => void;
  readonly onCompacted: (
    lane: Lane,
    call: Call,
    after: { readonly tokens: number; readonly usd: number | null },
  ) => void;
};

/** A report for a call; `known` as in the transcript. */
export type Report = { readonly usage: Usage; readonly known: "all" | "output" };

/**
 * Tells a call's prompt apart once its usage is known or given up: each part gets its share of what was reported, those at
 * the end at the price of what was not read from the cache.
 */
export function settle(lane: Lane, call: Call, to: Settling): void {
  const measured = measure(lane, call, call.report, to);
  call.isCopied = call.key !== null && to.isCopied(call.key);
  call.measured = measured;
  count(lane, call, measured, to);
  book(to.parts, outputPart(to.parts), outputSums(measured), call.isCopied);
  const isSent = measured.known !== "all" || promptTokensOf(measured.usage) > 0;
  if (isSent) spread(lane, call, measured, to);
  call.sums = [];
}

/** A report that comes after its call was told apart: the sums follow it; the difference belongs to no block. */
export function correct(lane: Lane, call: Call, report: Report, to: Settling): void {
  const before = call.measured;
  if (before === null) return;
  const after = measure(lane, call, report, to, before.estimatedPromptTokens);
  call.measured = after;
  for (const meter of metersOf(lane, call, to)) {
    meter.change(before, -1);
    meter.change(after, 1);
  }
  const difference = (of: (measured: Measured) => number): number => of(after) - of(before);
  const paid = difference(({ usage, estimatedPromptTokens }) => promptTokensOf(usage) + estimatedPromptTokens);
  const usd = difference(({ rated }) => rated?.promptUsd ?? 0);
  for (const sums of sumsOf(call)) changePrompts(to.parts, { paid, usd }, sums);
  const output = {
    count: 0,
    entered: 0,
    paid: difference((one) => one.usage.output),
    usd: difference((one) => one.rated?.outputUsd ?? 0),
  };
  book(to.parts, outputPart(to.parts), output, call.isCopied);
}

function measure(lane: Lane, call: Call, report: Report | null, to: Settling, estimated?: number): Measured {
  if (report?.known === "all") {
    const rated = ratedBy(call.model, call.at ?? to.newestAt(), report.usage);
    return { usage: report.usage, known: "all", model: call.model, rated, estimatedPromptTokens: 0 };
  }
  const estimatedPromptTokens = estimated ?? openingSums(call) + (lane.headTokens ?? 0);
  const { output, reasoning } = report?.usage ?? noUsage;
  const usage = { ...noUsage, output, reasoning };
  return { usage, known: report?.known ?? "none", model: call.model, rated: null, estimatedPromptTokens };
}

function count(lane: Lane, call: Call, measured: Measured, to: Settling): void {
  for (const meter of metersOf(lane, call, to)) meter.change(measured, 1);
  if (call.isCopied) for (const meter of [lane.meter, to.meter, to.totals]) meter.copied();
}

function metersOf(lane: Lane, call: Call, to: Settling): readonly Meter[] {
  return call.isCopied ? [lane.meter, to.meter] : [lane.meter, to.meter, to.totals];
}

function spread(lane: Lane, call: Call, measured: Measured, to: Settling): void {
  const shares = sharesOf(lane, call, measured, to.parts);
  const prices = pricesOf(measured);
  pay(shares, prices, to.parts, call.isCopied);
  enter(lane, call, shares, to.parts);
  lane.isPriced ||= prices !== null;
  if (!call.isCopied) {
    for (const { block, tokens } of shares.freshBlocks) {
      block.paidUsd += tokens * ((prices?.fresh ?? 0) - (prices?.read ?? 0));
    }
    lane.runTokens += shares.scale;
    lane.runUsd += shares.scale * (prices?.read ?? 0);
  }
  for (let at = call.blocks; at < lane.all.length; at += 1) {
    const block = lane.all[at];
    if (block === undefined) continue;
    block.fromTokens = lane.runTokens;
    block.fromUsd = lane.runUsd;
  }
  observe(lane, call, { measured, shares }, to);
}

function pay({ tokens, fresh }: Shares, prices: Prices | null, parts: Parts, isCopied: boolean): void {
  tokens.forEach((paid, part) => {
    if (paid === 0) return;
    const isFresh = fresh[part] ?? 0;
    const usd = prices === null ? 0 : (paid - isFresh) * prices.read + isFresh * prices.fresh;
    book(parts, part, { count: 0, entered: 0, paid, usd }, isCopied);
  });
}

/** What stands in a prompt for the first time. */
function enter(lane: Lane, call: Call, shares: Shares, parts: Parts): void {
  for (let at = lane.sentBlocks; at < call.blocks; at += 1) {
    const block = lane.all[at];
    if (block === undefined || !block.isLive) continue;
    block.call = call.n;
    block.isCopied = call.isCopied;
    book(parts, block.part, { count: 1, entered: block.tokens * shares.scale, paid: 0, usd: 0 }, call.isCopied);
  }
  lane.sentBlocks = Math.max(lane.sentBlocks, call.blocks);
  for (const { part, tokens } of shares.entered) {
    book(parts, part, { count: 1, entered: tokens, paid: 0, usd: 0 }, call.isCopied);
  }
}

function observe(
  lane: Lane,
  call: Call,
  { measured, shares }: { readonly measured: Measured; readonly shares: Shares },
  to: Settling,
): void {
  const { rated } = measured;
  const usage = measured.known === "all" ? measured.usage : null;
  const sent = { model: call.model, at: call.at, usage };
  const { cache: before, changed, serves } = lane;
  const miss = auditMissOf({ before, call: sent, changed: changed?.cause ?? null, serves });
  const isOther = isOtherModel(before, call.model);
  const missed: SeriesEvent | null = miss === null || before === null ? null : "missed";
  const event = changed?.event ?? (isOther ? "model-changed" : isCold(before, call.at) ? "cold" : missed);
  const promptTokens = Math.round(shares.promptTokens);
  const missUsd =
    miss === null || rated === null ? null : miss.tokens * (rated.freshUsdPerToken - rated.readUsdPerToken);
  if (!call.isCopied && miss !== null) to.onMiss(lane, call, { ...miss, usd: missUsd });
  if (!call.isCopied && lane.compaction !== null) {
    const fresh = usage === null ? 0 : promptTokens - usage.cacheRead;
    to.onCompacted(lane, call, { tokens: promptTokens, usd: rated === null ? null : fresh * rated.freshUsdPerToken });
  }
  lane.series?.add({
    n: call.n,
    at: call.at,
    promptTokens,
    from: usage === null ? "estimated" : "reported",
    cacheReadTokens: usage?.cacheRead ?? 0,
    usd: rated?.usd ?? null,
    missTokens: miss === null || before === null ? 0 : miss.tokens,
    tokens: shares.tokens,
    event,
  });
  lane.cache = cacheStateOf(sent, before);
  lane.serves ||= (usage?.cacheRead ?? 0) > 0;
  lane.changed = null;
  lane.compaction = null;
  lane.lastPromptTokens = promptTokens;
  lane.peakPromptTokens = Math.max(lane.peakPromptTokens, promptTokens);
}

function book(parts: Parts, part: number, sums: PartSums, isCopied: boolean): void {
  const entry = parts.at(part);
  for (const to of sumsOf({ isCopied })) addSums(entry[to], sums);
}

function sumsOf({ isCopied }: Pick<Call, "isCopied">): readonly ("own" | "counted")[] {
  return isCopied ? ["own"] : ["own", "counted"];
}

function outputPart(parts: Parts): number {
  return parts.indexOf({ category: "output", tool: null, server: null });
}

function outputSums({ usage, rated }: Measured): PartSums {
  return { count: 1, entered: 0, paid: usage.output, usd: rated?.outputUsd ?? 0 };
}
