import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordOf, stringAt } from "../provider/lenient.ts";
import { type Node, type Nodes, openNodes, type Weight } from "./claude-code-nodes.ts";
import { type IdMap, openIdMap } from "./id-map.ts";
import { joinedRanges, type Range } from "./range.ts";
import { type Raw, wordOf } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

/** A line as a node of its lane's tree. Only what begins a turn or was answered by the model makes a way of its own. */
export type TreeLine = Omit<Node, "parent" | "items" | "keeps"> & {
  readonly uuid: string;
  /** As in the file: null begins a tree, an id that is nowhere belongs to a line that was taken out. */
  readonly parent: unknown;
};

/**
 * The lines of one lane as the tree they are. Parallel calls make twigs: the second call hangs on the first one's line, and
 * each result on its call's, so a line whose parent is not the newest is no sign of another way by itself. That is one only
 * where a turn begins and leaves behind turns or answers that are neither its ancestors nor parts of these: lines of the
 * same messages, and results of their calls.
 *
 *     ask ── A: call 1 ── A: call 2 ── result 2          twigs of one answer
 *                    └─── result 1 ── B: text            both results stay
 *     ask ── A: text ── ask again ── B: text
 *                  └─── ask otherwise                    another way: "ask again" and B are left
 */
export function openTree() {
  const nodes = openNodes();
  const index = openIdMap();
  let live: Live = { kept: new Set(), from: 0 };
  let isForked = false;
  let boundary: readonly Range[] | null = null;
  let awaitsSummary = false;

  const tip = () => nodes.size() - 1;
  const parentOf = (parent: unknown): number => {
    if (parent === null && nodes.size() > 0) return -1;
    return (typeof parent === "string" ? index.get(parent) : undefined) ?? tip();
  };
  const keepOnly = (kept: ReadonlySet<number>) => {
    live = { kept, from: nodes.size() };
  };
  const hasWeight = () => isAnyLive(live, nodes, 0, (number) => isWay.has(nodes.weight(number)));

  const compacted = (metadata: Raw): ItemBody => {
    const kept = keptBy(metadata, nodes, index);
    keepOnly(kept);
    isForked = false;
    awaitsSummary = true;
    boundary = rangesOf(nodes, kept);
    const trigger = stringAt(metadata, "trigger");
    const by = trigger === "auto" || trigger === "manual" ? trigger : null;
    return { type: "restarted", why: "compacted", by, keeps: boundary };
  };

  return {
    /** A compaction: all is gone but what its own record names. The line that is added next is its boundary. */
    compacted,

    /** Older versions write the summary alone. */
    summarised: (): readonly ItemBody[] => (awaitsSummary || !hasWeight() ? [] : [compacted({})]),

    add: ({ uuid, parent, ...line }: TreeLine, from: number, to: number): void => {
      const at = boundary === null ? parentOf(parent) : -1;
      if (line.weight === "opening") isForked ||= at !== tip() && boundary === null;
      if (isWay.has(line.weight)) isForked = awaitsSummary = false;
      index.set(uuid, nodes.size());
      nodes.add({ ...line, parent: at, items: [from, to - 1], keeps: boundary ?? [] });
      boundary = null;
    },

    /** What a line that begins a turn makes of the context; nothing where it goes on. */
    restart: (parent: unknown, turn: "message" | "clear"): readonly ItemBody[] => {
      const at = parentOf(parent);
      if (turn === "clear") {
        const had = hasWeight();
        keepOnly(new Set());
        return had ? [{ type: "restarted", why: "cleared", by: "manual", keeps: [] }] : [];
      }
      if ((at === tip() && !isForked) || !mayLeave(live, nodes, at)) return [];
      const way = wayTo(nodes, at);
      const isWeighty = (number: number) => isWay.has(nodes.weight(number));
      const fork = [...way].findLast((number) => number <= at && isWeighty(number)) ?? -1;
      if (!isAnyLive(live, nodes, fork + 1, (number) => !way.has(number) && isWeighty(number))) return [];
      keepOnly(way);
      return [{ type: "restarted", why: "rewound", by: "manual", keeps: rangesOf(nodes, way) }];
    },
  };
}

/** The nodes that stand in the context: what the last restart kept, and all that came behind it. */
type Live = { readonly kept: ReadonlySet<number>; readonly from: number };

function isAnyLive({ kept, from }: Live, nodes: Nodes, least: number, is: (number: number) => boolean): boolean {
  if (least < from) for (const number of kept) if (number >= least && is(number)) return true;
  for (let number = Math.max(from, least); number < nodes.size(); number += 1) if (is(number)) return true;
  return false;
}

/**
 * Whether a way to a node may leave something behind: a look at what is newer than the nearest turn or answer on it, so
 * that a long session whose turns begin at twigs is not walked through at each of them.
 */
function mayLeave(live: Live, nodes: Nodes, to: number): boolean {
  let nearest = to;
  while (nearest >= 0 && !isWay.has(nodes.weight(nearest))) nearest = nodes.parent(nearest);
  const isOfWay = (request: number | null): boolean => {
    if (request === null) return false;
    for (let at = nearest; at >= 0; at = nodes.parent(at)) if (nodes.request(at) === request) return true;
    return false;
  };
  return isAnyLive(live, nodes, nearest + 1, (at) => isWay.has(nodes.weight(at)) && !isOfWay(nodes.request(at)));
}

const isWay: ReadonlySet<Weight> = new Set(["turn", "answer"]);

/** The ancestors of a node with what belongs to them. */
function wayTo(nodes: Nodes, to: number): Set<number> {
  const ancestors = new Set<number>();
  for (let at = to; at >= 0 && !ancestors.has(at); at = nodes.parent(at)) ancestors.add(at);
  return withParts(nodes, ancestors, to);
}

/** With the lines of the same answers, the results of their calls, and what was said beside these before `to`. */
function withParts(nodes: Nodes, core: ReadonlySet<number>, to: number): Set<number> {
  const requests = new Set([...core].map((at) => nodes.request(at)).filter((request) => request !== null));
  const calls = new Set<number>();
  const all = new Set<number>();
  // Not by spreading: a long session has more lines than a call takes arguments.
  const first = [...core].reduce((least, at) => Math.min(least, at), nodes.size());
  for (let at = first; at < nodes.size(); at += 1) {
    const answers = nodes.answers(at);
    const request = nodes.request(at);
    const isBeside = !isWay.has(nodes.weight(at)) && answers.length === 0 && at <= to && all.has(nodes.parent(at));
    const isPart = request !== null && requests.has(request);
    if (!core.has(at) && !isBeside && !isPart && !answers.some((call) => calls.has(call))) continue;
    all.add(at);
    for (const call of nodes.calls(at)) calls.add(call);
  }
  return all;
}

/** What a compaction says that it kept: a stretch of the line, or lines by their ids. */
function keptBy(metadata: Raw, nodes: Nodes, index: IdMap): Set<number> {
  const segment = firstRecord(metadata, ["preservedSegment", "preserved_segment"]);
  const messages = firstRecord(metadata, ["preservedMessages", "preserved_messages"]);
  const core = new Set<number>();
  for (const uuid of listAt(messages, "uuids")) {
    const at = index.get(wordOf(uuid));
    if (at !== undefined) core.add(at);
  }
  const head = firstIndex(segment, ["headUuid", "head_uuid", "head"], index);
  let at = firstIndex(segment, ["tailUuid", "tail_uuid", "tail"], index);
  if (head !== undefined && at !== undefined) {
    for (; at > head; at = nodes.parent(at)) core.add(at);
    core.add(head);
  }
  const newest = [...core].reduce((most, one) => Math.max(most, one), -1);
  return withParts(nodes, core, newest);
}

function firstRecord(raw: Raw, keys: readonly string[]): Raw {
  return recordOf(keys.map((key) => raw[key]).find(isRecord));
}

function firstIndex(raw: Raw, keys: readonly string[], index: IdMap): number | undefined {
  return keys.map((key) => index.get(stringAt(raw, key))).find((at) => at !== undefined);
}

/** What a compaction on the way had kept is on it, too. */
function rangesOf(nodes: Nodes, numbers: ReadonlySet<number>): readonly Range[] {
  return joinedRanges([...numbers].flatMap((number) => [...nodes.keeps(number), nodes.items(number)]));
}
