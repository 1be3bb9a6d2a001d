import { isRecord } from "../kernel/canonical.ts";
import { listAt, recordOf, stringAt } from "../provider/lenient.ts";
import { joinedRanges, type Range } from "./range.ts";
import type { Raw } from "./record.ts";
import type { ItemBody } from "./transcript.ts";

/** A line as a node of its lane's tree. Only what begins a turn or was answered by the model makes a way of its own. */
export type TreeLine = {
  readonly uuid: string;
  /** As in the file: null begins a tree, an id that is nowhere belongs to a line that was taken out. */
  readonly parent: unknown;
  /** `opening`: what stands in front of a turn, as reminders do; the other way may begin with it. */
  readonly weight: "turn" | "answer" | "opening" | "aside";
  readonly request: string | null;
  readonly calls: readonly string[];
  readonly answers: readonly string[];
};

type Node = Omit<TreeLine, "uuid" | "parent"> & {
  readonly parent: number;
  readonly items: Range;
  /** Of a compaction: what it kept of the lines before it. */
  readonly keeps: readonly Range[];
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
  const nodes: Node[] = [];
  const index = new Map<string, number>();
  /** Numbers of the nodes that stand in the context. */
  let live = new Set<number>();
  let isForked = false;
  let boundary: readonly Range[] | null = null;
  let awaitsSummary = false;

  const tip = () => nodes.length - 1;
  const parentOf = (parent: unknown): number => {
    if (parent === null && nodes.length > 0) return -1;
    return (typeof parent === "string" ? index.get(parent) : undefined) ?? tip();
  };
  const isWeighty = (number: number) => isWay.has(nodes[number]?.weight ?? "aside");

  const compacted = (metadata: Raw): ItemBody => {
    live = keptBy(metadata, nodes, index);
    isForked = false;
    awaitsSummary = true;
    boundary = rangesOf(nodes, live);
    const trigger = stringAt(metadata, "trigger");
    const by = trigger === "auto" || trigger === "manual" ? trigger : null;
    return { type: "restarted", why: "compacted", by, keeps: boundary };
  };

  return {
    /** A compaction: all is gone but what its own record names. The line that is added next is its boundary. */
    compacted,

    /** Older versions write the summary alone. */
    summarised: (): readonly ItemBody[] => (awaitsSummary || ![...live].some(isWeighty) ? [] : [compacted({})]),

    add: ({ uuid, parent, ...line }: TreeLine, from: number, to: number): void => {
      const at = boundary === null ? parentOf(parent) : -1;
      if (line.weight === "opening") isForked ||= at !== tip() && boundary === null;
      if (isWay.has(line.weight)) isForked = awaitsSummary = false;
      live.add(nodes.length);
      index.set(uuid, nodes.length);
      const [calls, answers] = [compact(line.calls), compact(line.answers)];
      nodes.push({ ...line, calls, answers, parent: at, items: [from, to - 1], keeps: boundary ?? nothing });
      boundary = null;
    },

    /** What a line that begins a turn makes of the context; nothing where it goes on. */
    restart: (parent: unknown, turn: "message" | "clear"): readonly ItemBody[] => {
      const at = parentOf(parent);
      if (turn === "clear") {
        const had = [...live].some(isWeighty);
        live = new Set();
        return had ? [{ type: "restarted", why: "cleared", by: "manual", keeps: [] }] : [];
      }
      if (at === tip() && !isForked) return [];
      const way = wayTo(nodes, at);
      const fork = [...way].findLast((number) => number <= at && isWeighty(number)) ?? -1;
      if (![...live].some((number) => number > fork && !way.has(number) && isWeighty(number))) return [];
      live = way;
      return [{ type: "restarted", why: "rewound", by: "manual", keeps: rangesOf(nodes, way) }];
    },
  };
}

/** A list that was grown holds room for more; a file may have a million of them. */
function compact(list: readonly string[]): readonly string[] {
  return list.length === 0 ? nothing : [...list];
}

const nothing: readonly never[] = [];

const isWay: ReadonlySet<TreeLine["weight"]> = new Set(["turn", "answer"]);

/** The ancestors of a node with what belongs to them. */
function wayTo(nodes: readonly Node[], to: number): Set<number> {
  const ancestors = new Set<number>();
  for (let at = to; at >= 0 && !ancestors.has(at); at = nodes[at]?.parent ?? -1) ancestors.add(at);
  return withParts(nodes, ancestors, to);
}

/** With the lines of the same answers, the results of their calls, and what was said beside these before `to`. */
function withParts(nodes: readonly Node[], core: ReadonlySet<number>, to: number): Set<number> {
  const requests = new Set([...core].flatMap((at) => nodes[at]?.request ?? []));
  const calls = new Set<string>();
  const all = new Set<number>();
  // Not by spreading: a long session has more lines than a call takes arguments.
  const first = [...core].reduce((least, at) => Math.min(least, at), nodes.length);
  for (let at = first; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (node === undefined) continue;
    const isBeside = !isWay.has(node.weight) && node.answers.length === 0 && at <= to && all.has(node.parent);
    const isPart = node.request !== null && requests.has(node.request);
    if (!core.has(at) && !isBeside && !isPart && !node.answers.some((call) => calls.has(call))) continue;
    all.add(at);
    for (const call of node.calls) calls.add(call);
  }
  return all;
}

/** What a compaction says that it kept: a stretch of the line, or lines by their ids. */
function keptBy(metadata: Raw, nodes: readonly Node[], index: ReadonlyMap<string, number>): Set<number> {
  const segment = firstRecord(metadata, ["preservedSegment", "preserved_segment"]);
  const messages = firstRecord(metadata, ["preservedMessages", "preserved_messages"]);
  const core = new Set<number>();
  for (const uuid of [...listAt(messages, "uuids")]) {
    const at = index.get(String(uuid));
    if (at !== undefined) core.add(at);
  }
  const head = firstIndex(segment, ["headUuid", "head_uuid", "head"], index);
  let at = firstIndex(segment, ["tailUuid", "tail_uuid", "tail"], index);
  if (head !== undefined && at !== undefined) {
    for (; at > head; at = nodes[at]?.parent ?? -1) core.add(at);
    core.add(head);
  }
  const newest = [...core].reduce((most, one) => Math.max(most, one), -1);
  return withParts(nodes, core, newest);
}

function firstRecord(raw: Raw, keys: readonly string[]): Raw {
  return recordOf(keys.map((key) => raw[key]).find(isRecord));
}

function firstIndex(raw: Raw, keys: readonly string[], index: ReadonlyMap<string, number>): number | undefined {
  return keys.map((key) => index.get(stringAt(raw, key))).find((at) => at !== undefined);
}

/** What a compaction on the way had kept is on it, too. */
function rangesOf(nodes: readonly Node[], numbers: ReadonlySet<number>): readonly Range[] {
  return joinedRanges(
    [...numbers].flatMap((number) => {
      const node = nodes[number];
      return node === undefined ? [] : [...node.keeps, node.items];
    }),
  );
}
