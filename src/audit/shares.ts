import { promptTokensOf } from "../kernel/usage.ts";
import { type Block, type Call, type Lane, openingSums } from "./lane.ts";
import type { Measured } from "./meter.ts";
import type { Parts } from "./parts.ts";

/** A call's prompt by parts, in tokens as sent: they add up to the prompt. */
export type Shares = {
  readonly promptTokens: number;
  /** Tokens as sent per token of our estimate. */
  readonly scale: number;
  readonly tokens: readonly number[];
  /** Of these, what was not read from the cache. */
  readonly fresh: readonly number[];
  readonly freshBlocks: readonly { readonly block: Block; readonly tokens: number }[];
  /** Of what no block stands for, what came with this call. */
  readonly entered: readonly { readonly part: number; readonly tokens: number }[];
};

/** USD per token of a prompt. null where no price is known. */
export type Prices = { readonly read: number; readonly fresh: number };

export function pricesOf({ usage, rated }: Measured): Prices | null {
  if (rated === null) return null;
  // Where nothing was read all is fresh, and nobody needs to walk over it.
  const read = usage.cacheRead === 0 ? rated.freshUsdPerToken : rated.readUsdPerToken;
  return { read, fresh: rated.freshUsdPerToken };
}

export function sharesOf(lane: Lane, call: Call, measured: Measured, parts: Parts): Shares {
  const isReported = measured.known === "all";
  const reported = promptTokensOf(measured.usage);
  const known = openingSums(call);
  const isFirst = isReported && lane.headTokens === null;
  if (isFirst) lane.headTokens = headTokens(reported, known, lane.hasLoggedHead);
  const head = lane.headTokens ?? 0;
  const whole = known + head;
  const promptTokens = isReported ? reported : whole;
  const scale = whole === 0 ? 0 : Math.min(scaleMax, promptTokens / whole);
  const unexplained = Math.max(0, promptTokens - whole * scale);
  const headPart = parts.indexOf({ category: "unlogged-head", tool: null, server: null });
  const restPart = parts.indexOf({ category: "not-in-log", tool: null, server: null });
  const tokens = call.sums.map((sum) => (sum ?? 0) * scale);
  tokens[headPart] = head * scale;
  tokens[restPart] = unexplained;
  const entered: Shares["entered"] = [
    ...(isFirst && head > 0 ? [{ part: headPart, tokens: head * scale }] : []),
    ...(unexplained > lane.unexplainedTokens ? [{ part: restPart, tokens: unexplained - lane.unexplainedTokens }] : []),
  ];
  lane.unexplainedTokens = Math.max(lane.unexplainedTokens, unexplained);
  const freshTokens = isReported && measured.usage.cacheRead > 0 ? reported - measured.usage.cacheRead : 0;
  const { fresh, freshBlocks } = freshOf({
    live: lane.live,
    end: call.liveBlocks,
    freshTokens,
    scale,
    tokens,
    behind: [restPart, headPart],
  });
  return { promptTokens, scale, tokens, fresh, freshBlocks, entered };
}

/** What files do not hold: between these sizes (METRICS 1), and any where a file holds the system prompt. */
function headTokens(reported: number, known: number, hasLoggedHead: boolean): number {
  const least = hasLoggedHead ? 0 : Math.min(headTokensMin, reported / 2);
  return Math.round(Math.max(least, Math.min(headTokensMax, reported - known)));
}

const headTokensMin = 3_000;
const headTokensMax = 60_000;

/** Our estimate is not that wrong: the rest is something the file does not show. */
const scaleMax = 1.6;

/** The cache holds prefixes: what was not read are the last blocks, then what no block stands for. */
function freshOf(input: {
  readonly live: readonly Block[];
  readonly end: number;
  readonly freshTokens: number;
  readonly scale: number;
  readonly tokens: readonly number[];
  readonly behind: readonly number[];
}): Pick<Shares, "fresh" | "freshBlocks"> {
  const { live, scale, tokens, behind } = input;
  const fresh: number[] = [];
  const freshBlocks: { readonly block: Block; readonly tokens: number }[] = [];
  let left = input.freshTokens;
  for (let at = input.end - 1; at >= 0 && left > 0; at -= 1) {
    const block = live[at];
    if (block === undefined) continue;
    const size = Math.min(left, block.tokens * scale);
    fresh[block.part] = (fresh[block.part] ?? 0) + size;
    freshBlocks.push({ block, tokens: size });
    left -= size;
  }
  for (const part of behind) {
    const size = Math.min(left, tokens[part] ?? 0);
    fresh[part] = size;
    left -= size;
  }
  return { fresh, freshBlocks };
}
