import type { AuditMiss } from "./cache.ts";
import { type Block, carry, type Lane } from "./lane.ts";
import type { AuditMissCause, Example, Finding, Findings, MissFinding } from "./report.ts";
import { openTally, openTop, type Tally, type Top } from "./tally.ts";

const kinds = [
  "rereadsUnchanged",
  "rereadsChanged",
  "repeatedCalls",
  "repeatedResults",
  "rereadCompacted",
  "failedCalls",
  "images",
  "coldTurns",
  "compactions",
  "unusedTools",
] as const;
export type FindingKind = (typeof kinds)[number];

type MissTally = { readonly tally: Tally; partlyRead: number };

/** Findings of a session, or of all. */
export type FindingSums = {
  readonly tallies: Readonly<Record<FindingKind, Tally>>;
  readonly misses: Map<AuditMissCause, MissTally>;
  readonly largest: Top;
};

export function openFindings(): FindingSums {
  const tallies = {
    rereadsUnchanged: openTally(),
    rereadsChanged: openTally(),
    repeatedCalls: openTally(),
    repeatedResults: openTally(),
    rereadCompacted: openTally(),
    failedCalls: openTally(),
    images: openTally(),
    coldTurns: openTally("apart"),
    compactions: openTally("apart"),
    unusedTools: openTally(),
  };
  return { tallies, misses: new Map(), largest: openTop() };
}

export function addMiss({ misses }: FindingSums, { cause, isPartlyRead }: AuditMiss, example: Example): void {
  const known = misses.get(cause) ?? { tally: openTally("apart"), partlyRead: 0 };
  misses.set(cause, known);
  known.tally.add(example);
  if (isPartlyRead) known.partlyRead += 1;
}

/** What a lane's blocks tell, once all its calls are settled. Blocks that came with a copied call are not found again. */
export function addBlocks(
  lane: Lane,
  context: { readonly file: string; readonly called: ReadonlySet<string>; readonly partOf: (block: Block) => string },
  to: readonly FindingSums[],
): void {
  for (const block of lane.all) {
    carry(lane, block);
    if (block.isCopied) continue;
    const category = context.partOf(block);
    const example = exampleOf(lane, block, context.file);
    for (const sums of to) {
      if (category === "results") addResult(sums, block, example);
      if (category === "images") sums.tallies.images.add(example);
      const isUnused =
        category === "tools" && block.call !== null && block.tool !== null && !context.called.has(block.tool);
      if (isUnused) sums.tallies.unusedTools.add(example);
    }
  }
}

function addResult(sums: FindingSums, block: Block, example: Example): void {
  sums.largest.add(example);
  if (block.repeat !== null) sums.tallies[block.repeat].add(example);
  if (block.failed) sums.tallies.failedCalls.add(example);
}

function exampleOf(lane: Lane, block: Block, file: string): Example {
  const { line, call, tool, what, tokens } = block;
  const usd = lane.isPriced ? block.paidUsd : null;
  return { file, line, lane: lane.name, call, tool, what, count: 1, tokens, paidTokens: block.paidTokens, usd };
}

export function findingsOf({ tallies, misses, largest }: FindingSums): Findings {
  const finding = (kind: FindingKind): Finding => tallies[kind].finding();
  return {
    rereadsUnchanged: finding("rereadsUnchanged"),
    rereadsChanged: finding("rereadsChanged"),
    repeatedCalls: finding("repeatedCalls"),
    repeatedResults: finding("repeatedResults"),
    failedCalls: finding("failedCalls"),
    images: finding("images"),
    largestResults: largest.examples(),
    coldTurns: finding("coldTurns"),
    misses: missesOf(misses),
    compactions: { ...finding("compactions"), reread: finding("rereadCompacted") },
    unusedTools: finding("unusedTools"),
  };
}

function missesOf(misses: FindingSums["misses"]): readonly MissFinding[] {
  const found = [...misses].map(([cause, { tally, partlyRead }]) => ({ cause, partlyRead, ...tally.finding() }));
  return found.toSorted((a, b) => (b.usd ?? 0) - (a.usd ?? 0) || b.tokens - a.tokens);
}
