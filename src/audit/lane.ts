import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Usage } from "../kernel/usage.ts";
import type { CacheState } from "./cache.ts";
import { type Measured, type Meter, openMeter } from "./meter.ts";
import type { AuditMissCause, SeriesEvent } from "./report.ts";
import { openSeries, type SeriesBuffer } from "./series.ts";

/** A result that need not have come, or one that a compaction took away before. One class each. */
export type Repeat = "rereadsUnchanged" | "rereadsChanged" | "repeatedCalls" | "repeatedResults" | "rereadCompacted";

/** One block of a lane's prompts: its size and whereabouts, never its text. */
export type Block = {
  readonly item: number;
  readonly line: number;
  readonly part: number;
  readonly isHead: boolean;
  readonly tool: string | null;
  /** Excerpt for people; "" where it is too small to be listed. */
  readonly what: string;
  /** Of the text; 0 where it is too small to be compared. */
  readonly hash: number;
  readonly failed: boolean;
  readonly repeat: Repeat | null;
  /** Our own estimate; calls scale it. */
  tokens: number;
  isLive: boolean;
  isCompacted: boolean;
  /** Number of the call that first carried it; null: none yet. */
  call: number | null;
  /** That call stands in an earlier file too. */
  isCopied: boolean;
  /** The lane's running sums when it was last settled. */
  fromTokens: number;
  fromUsd: number;
  paidTokens: number;
  paidUsd: number;
};

export type NewBlock = Pick<Block, "item" | "line" | "part" | "tokens"> &
  Partial<Pick<Block, "isHead" | "tool" | "what" | "hash" | "failed" | "repeat">>;

/** A request whose usage may still come. Its prompt is what stood before it. */
export type Call = {
  readonly n: number;
  readonly line: number;
  readonly at: number | null;
  readonly model: string | null;
  /** How many of the lane's blocks stood before it, all and live ones. */
  readonly blocks: number;
  readonly liveBlocks: number;
  /** Estimated tokens by part. */
  sums: readonly number[];
  /** The last one that came. */
  report: { readonly usage: Usage; readonly known: "all" | "output" } | null;
  key: number | null;
  /** null: not settled yet. */
  measured: Measured | null;
  isCopied: boolean;
};

export function openingSums({ sums }: Call): number {
  return sums.reduce((whole, sum) => whole + (sum ?? 0), 0);
}

export type ToolCall = {
  readonly tool: string;
  readonly server: string | null;
  readonly what: string;
  readonly line: number;
  /** Hash of tool and arguments. */
  readonly key: number;
  readonly file: string | null;
};

/** What one lane is known by while its items pass. Per call, `sums` and the running sums say what each block cost. */
export type Lane = {
  readonly name: string;
  readonly meter: Meter;
  readonly series: SeriesBuffer | null;
  readonly models: Set<string>;
  /** In the order of their items. */
  readonly all: Block[];
  /** Where small blocks go once there are too many; by part. */
  readonly rest: Map<number, Block>;
  readonly requests: Map<string, Call>;
  /** Keys of requests that were so many that only their sums are left: a report that comes again for one is let go. */
  readonly pastRequests: Set<number>;
  readonly toolCalls: Map<string, ToolCall>;
  readonly seenTexts: Map<number, Block>;
  readonly seenCalls: Map<number, Block>;
  readonly seenFiles: Map<string, Block>;
  live: Block[];
  sums: number[];
  pending: Call[];
  /** Blocks up to this one were in a prompt. */
  sentBlocks: number;
  calls: number;
  model: string | null;
  headTokens: number | null;
  hasLoggedHead: boolean;
  /** By part: how many calls there were when its newest piece came. */
  readonly headCalls: Map<number, number>;
  /** Most of a prompt that the file did not explain. */
  unexplainedTokens: number;
  /** Sums over the calls of a token's scale and price, were it read from the cache. */
  runTokens: number;
  runUsd: number;
  isPriced: boolean;
  cache: CacheState | null;
  serves: boolean;
  /** What the log says was changed since the call before. */
  changed: { readonly cause: AuditMissCause; readonly event: SeriesEvent | null } | null;
  compaction: { readonly line: number; readonly by: string; readonly tokens: number } | null;
  compactions: number;
  lastPromptTokens: number;
  peakPromptTokens: number;
  firstAt: number | null;
  lastAt: number | null;
};

export function openLane(name: string, hasSeries: boolean): Lane {
  return {
    name,
    meter: openMeter(),
    series: hasSeries ? openSeries() : null,
    models: new Set(),
    all: [],
    rest: new Map(),
    requests: new Map(),
    pastRequests: new Set(),
    toolCalls: new Map(),
    seenTexts: new Map(),
    seenCalls: new Map(),
    seenFiles: new Map(),
    live: [],
    sums: [],
    pending: [],
    sentBlocks: 0,
    calls: 0,
    model: null,
    headTokens: null,
    hasLoggedHead: false,
    headCalls: new Map(),
    unexplainedTokens: 0,
    runTokens: 0,
    runUsd: 0,
    isPriced: false,
    cache: null,
    serves: false,
    changed: null,
    compaction: null,
    compactions: 0,
    lastPromptTokens: 0,
    peakPromptTokens: 0,
    firstAt: null,
    lastAt: null,
  };
}

/** Puts a block at the lane's end. With too many of them the part's sum grows instead, and single ones are not told apart. */
export function addBlock(lane: Lane, input: NewBlock): Block {
  lane.sums[input.part] = (lane.sums[input.part] ?? 0) + input.tokens;
  const rest = lane.all.length < bounds.auditBlocksMax ? undefined : lane.rest.get(input.part);
  if (rest !== undefined) {
    carry(lane, rest);
    rest.tokens += input.tokens;
    return rest;
  }
  const block: Block = {
    isHead: false,
    tool: null,
    what: "",
    hash: 0,
    failed: false,
    repeat: null,
    ...input,
    isLive: true,
    isCompacted: false,
    call: null,
    isCopied: false,
    fromTokens: lane.runTokens,
    fromUsd: lane.runUsd,
    paidTokens: 0,
    paidUsd: 0,
  };
  lane.all.push(block);
  lane.live.push(block);
  if (lane.all.length >= bounds.auditBlocksMax) lane.rest.set(input.part, block);
  return block;
}

/** Charges a block with what the calls since the last time cost. */
export function carry(lane: Lane, block: Block): void {
  if (block.isLive) {
    block.paidTokens += block.tokens * (lane.runTokens - block.fromTokens);
    block.paidUsd += block.tokens * (lane.runUsd - block.fromUsd);
  }
  block.fromTokens = lane.runTokens;
  block.fromUsd = lane.runUsd;
}

type Keeps = readonly (readonly [from: number, to: number])[];

/** Leaves the head and what the ranges name, which may be what an earlier restart had taken away. */
export function restart(lane: Lane, why: "compacted" | "rewound" | "cleared", keeps: Keeps): void {
  const kept = new Set<Block>(lane.live.filter(({ isHead }) => isHead));
  for (const [from, to] of keeps) for (const block of within(lane.all, from, to)) kept.add(block);
  replaceLive(lane, kept, why === "compacted");
}

/** A new system prompt or set of tools in the place of the one before. */
export function dropHead(lane: Lane, part: number): void {
  replaceLive(lane, new Set(lane.live.filter((block) => !block.isHead || block.part !== part)), false);
}

function replaceLive(lane: Lane, kept: ReadonlySet<Block>, isCompaction: boolean): void {
  for (const block of lane.live) {
    if (kept.has(block)) continue;
    carry(lane, block);
    block.isLive = false;
    block.isCompacted = isCompaction;
  }
  lane.live = [...kept].sort((a, b) => a.item - b.item);
  lane.sums = [];
  lane.rest.clear();
  for (const block of lane.live) {
    carry(lane, block);
    block.isLive = true;
    lane.sums[block.part] = (lane.sums[block.part] ?? 0) + block.tokens;
  }
}

/** Of blocks in the order of their items, those with items in the range. */
function within(blocks: readonly Block[], from: number, to: number): readonly Block[] {
  return blocks.slice(firstFrom(blocks, from), firstFrom(blocks, to + 1));
}

function firstFrom(blocks: readonly Block[], item: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.item ?? 0) < item) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Remembers the newest of a key; the oldest are forgotten, many at once: to find the oldest, a map walks over the places of
 * all that were removed before it.
 */
export function remember<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= bounds.auditSeenMax) return;
  for (const oldest of map.keys()) {
    if (map.size <= bounds.auditSeenMax - forgottenAtOnce) return;
    map.delete(oldest);
  }
}

const forgottenAtOnce = bounds.auditSeenMax / 4;

/** Keeps a call for the reports that may still come; of very many the oldest, settled ones leave only their keys. */
export function keepCall(lane: Lane, request: string, call: Call): void {
  lane.requests.set(request, call);
  if (lane.requests.size <= bounds.auditCallsMax) return;
  for (const [oldest, { measured }] of lane.requests) {
    if (lane.requests.size <= bounds.auditCallsMax - bounds.auditCallsMax / 4 || measured === null) return;
    lane.requests.delete(oldest);
    lane.pastRequests.add(keyOf(oldest));
  }
}

export function isKnownRequest(lane: Lane, request: string): boolean {
  return lane.requests.has(request) || isPastRequest(lane, request);
}

export function isPastRequest({ pastRequests }: Lane, request: string): boolean {
  return pastRequests.size > 0 && pastRequests.has(keyOf(request));
}

/** 52 bits of a text's hash: enough to tell the texts of a session apart, and small. Never 0. */
export function keyOf(text: string): number {
  return Number.parseInt(hashOf(text).slice(0, 13), 16) + 1;
}
