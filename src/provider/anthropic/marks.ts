import { itemsAt, type JsonNode, memberOf, stringMember } from "../../kernel/json-spans.ts";
import { isHead, type Segment, type SegmentKind } from "../../prompt/segment.ts";
import { bodyOf } from "../body.ts";
import type { Mark, MarkRequest } from "../codec.ts";
import { cutAnthropic } from "./cut.ts";

/** Most markers of one request, and how far back the service looks from each, itself included (PROTOCOLS A.2). */
const marksMax = 4;
const lookBack = 20;

/**
 * Where our markers go. In the order in which they are kept when there are fewer than four slots:
 *  1. the tail: the last block that may carry one;
 *  2. the last marked position of the request before (`previous`), so that what was written then is found however many
 *     blocks came since; with a single slot the tail itself stays within reach of it instead;
 *  3. what the service has cleared by itself: with its next cut all behind it is written again. It then takes the place of 2,
 *     which lies behind that cut, and which the tail finds where it does not; only beyond the tail's reach both are marked;
 *  4. the last system block: the end of the head;
 *  5. the end of the part that all sessions share (`globalSegments`, else the last tool);
 *  6. if a slot is still free, steps of at most 19 blocks from the previous position towards the tail.
 * The same list and the same `previous` give the same marks. A head's marks do not move while the head stands, but for one thing:
 * that of the shared part gives way while 2 and 3 are both needed.
 */
export function placeMarks(
  segments: readonly Segment[],
  { previous, taken, globalSegments, cleared = -1 }: MarkRequest,
): readonly Mark[] {
  const slots = Math.max(0, marksMax - taken);
  const headEnd = segments.findLastIndex((segment, index) => isHead(segment) && index < firstMessage(segments));
  const shared = globalSegments === undefined ? segments.findLastIndex((s) => s.role === "tools") : globalSegments - 1;
  const tail = legalAtOrBefore(segments, segments.length - 1);
  const before = Math.max(-1, ...previous.filter((index) => index <= tail && isLegal(segments[index])));
  const cut = legalAtOrBefore(segments, cleared);
  const isFound = cut >= 0 && slots > 1 && tail - before < lookBack;
  const wanted = [
    slots === 1 ? withinReach(segments, before, tail) : tail,
    isFound ? -1 : before,
    cut,
    legalAtOrBefore(segments, headEnd),
    legalAtOrBefore(segments, Math.min(shared, headEnd)),
    ...steps(segments, before, tail),
  ];
  const kept = [...new Set(wanted.filter((index) => index >= 0))].slice(0, slots);
  return kept.sort((a, b) => a - b).map((segment) => ({ segment, ttl: "5m" }));
}

/**
 * The markers to send when a body has its own and we add some (CASES C-033), at most four. Kept first to last: the last
 * one in a message, the last on a tool, the last on a system block, then the later before the earlier. A marker on a tool
 * that is no longer the last (one was added behind it) moves to the last, one on a block that cannot carry it to the
 * nearest earlier one that can (C-035). One in front of a longer-lived one lives as long: the service refuses the other
 * order. `automatic` is the lifetime of the marker at the top of the request (`automaticOf`), which is the last block's
 * and uses a slot.
 */
export function limitMarks(
  segments: readonly Segment[],
  existing: readonly Mark[],
  ours: readonly Mark[],
  automatic: Mark["ttl"] | null = null,
): readonly Mark[] {
  const lastTool = segments.findLastIndex(
    (segment, index) => segment.role === "tools" && index < firstMessage(segments),
  );
  const lastMarkedTool = Math.max(-1, ...existing.map((mark) => mark.segment).filter((index) => index <= lastTool));
  const moved = [...existing.map((m) => (m.segment === lastMarkedTool ? { ...m, segment: lastTool } : m)), ...ours];
  const legal = moved.map((mark) => ({ ...mark, segment: legalAtOrBefore(segments, mark.segment) }));
  const tail = automatic === null ? -1 : legalAtOrBefore(segments, segments.length - 1);
  const bySegment = new Map(legal.toReversed().map((mark) => [mark.segment, mark]));
  const latest = [...bySegment.values()]
    .filter(({ segment }) => segment >= 0 && segment !== tail)
    .sort((a, b) => b.segment - a.segment);
  const inMessages = latest.find((mark) => mark.segment >= firstMessage(segments));
  const onTool = latest.find((mark) => mark.segment <= lastTool);
  const onSystem = latest.find((mark) => mark.segment > lastTool && mark.segment < firstMessage(segments));
  const order = [inMessages, onTool, onSystem, ...latest].filter((mark) => mark !== undefined);
  const kept = [...new Set(order)].slice(0, automatic === null ? marksMax : marksMax - 1);
  return longestFirst(
    kept.sort((a, b) => a.segment - b.segment),
    automatic,
  );
}

function longestFirst(marks: readonly Mark[], automatic: Mark["ttl"] | null): readonly Mark[] {
  const lastLong = automatic === "1h" ? marks.length : marks.findLastIndex(({ ttl }) => ttl === "1h");
  return marks.map((mark, index) => (index < lastLong ? { ...mark, ttl: "1h" } : mark));
}

/** The markers a body carries; `taken` counts the automatic one at the top of the request, which uses a slot too. */
export function marksOf(bytes: Uint8Array): { readonly marks: readonly Mark[]; readonly taken: number } {
  const markers = markersIn(bytes, bodyOf(bytes).root);
  const marks = cutAnthropic(bytes).flatMap((segment) => {
    const own = markers.filter(({ at }) => segment.span[0] <= at && at < segment.span[1]).map(({ ttl }) => ttl);
    const ttl = own.find((one) => one === "1h") ?? own[0];
    return ttl === undefined ? [] : [{ segment: segment.id, ttl }];
  });
  // A result and a text inside it may both carry one: two slots, though one block.
  return { marks, taken: markers.length + (automaticOf(bytes) === null ? 0 : 1) };
}

/** The lifetime of the automatic marker at the top of a request; null: it has none. */
export function automaticOf(bytes: Uint8Array): Mark["ttl"] | null {
  const marker = memberOf(bodyOf(bytes).root, "cache_control");
  return marker?.type === "object" ? ttlOf(bytes, marker) : null;
}

const markable: ReadonlySet<SegmentKind> = new Set([
  "tool",
  "system",
  "text",
  "tool-call",
  "tool-result",
  "image",
  "document",
]);

/** Never on empty text, reasoning, a tool that is only referred to, or a block we do not know (CASES C-035, PROTOCOLS A.7). */
function isLegal(segment: Segment | undefined): boolean {
  if (segment === undefined || !markable.has(segment.kind)) return false;
  if (segment.kind === "tool") return segment.role === "tools";
  return (segment.kind !== "text" && segment.kind !== "system") || segment.text?.trim() !== "";
}

function legalAtOrBefore(segments: readonly Segment[], index: number): number {
  return segments.findLastIndex((segment, at) => at <= index && isLegal(segment));
}

/** Index of the first block of a message: tools and system stand before it, revealed tools and system messages behind. */
function firstMessage(segments: readonly Segment[]): number {
  const index = segments.findIndex((segment) => !isHead(segment));
  return index < 0 ? segments.length : index;
}

function withinReach(segments: readonly Segment[], before: number, tail: number): number {
  if (before < 0 || tail - before < lookBack) return tail;
  return legalAtOrBefore(segments, before + lookBack - 1);
}

function steps(segments: readonly Segment[], before: number, tail: number): readonly number[] {
  const found: number[] = [];
  let at = before;
  while (at >= 0 && tail - at >= lookBack) {
    const next = legalAtOrBefore(segments, at + lookBack - 1);
    if (next <= at) break;
    found.push(next);
    at = next;
  }
  return found;
}

/** Markers of blocks, also of those inside a result; not keys of that name inside a call's input or a tool's schema. */
function markersIn(bytes: Uint8Array, root: JsonNode): readonly { readonly at: number; readonly ttl: Mark["ttl"] }[] {
  const blocks = [
    ...itemsAt(memberOf(root, "tools")),
    ...itemsAt(memberOf(root, "system")),
    ...itemsAt(memberOf(root, "messages")).flatMap((message) => itemsAt(memberOf(message, "content"))),
  ];
  return blocks
    .flatMap((block) => [block, ...itemsAt(memberOf(block, "content"))])
    .flatMap((block) => {
      const marker = memberOf(block, "cache_control");
      if (marker?.type !== "object") return [];
      return [{ at: marker.span[0], ttl: ttlOf(bytes, marker) }];
    });
}

function ttlOf(bytes: Uint8Array, marker: JsonNode): Mark["ttl"] {
  return stringMember(bytes, marker, "ttl") === "1h" ? "1h" : "5m";
}
