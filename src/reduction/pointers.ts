import { carriersAmong, type ShownResult } from "../digest/carriers.ts";
import { pointedText, showsLines } from "../digest/pointers.ts";
import type { Pointer } from "../log/block.ts";
import type { Segment } from "../prompt/segment.ts";
import type { Memo } from "./memo.ts";
import type { Written } from "./plan-parts.ts";

/**
 * What a break has to write anew so that every pointer leads to lines that the request shows (DESIGN 6): the newest result
 * that loses a carrier shows the lines itself, and older ones lead to it. `after`: a segment's text behind the break; null:
 * it goes.
 */
export function settledPointers(
  segments: readonly Segment[],
  memo: Pick<Memo, "handleOf" | "nameOf" | "pointersOf">,
  after: (segment: Segment) => string | null,
): readonly Written[] {
  const pointing = segments.filter((one) => memo.pointersOf?.(one) != null && after(one) === one.text);
  if (pointing.length === 0) return [];
  const shown = shownAfter(segments, memo, after);
  const written = new Map<string, Written>();
  for (const segment of pointing.toReversed()) {
    const pointers = memo.pointersOf?.(segment);
    const handle = memo.handleOf(segment.callId ?? "");
    if (pointers == null || handle === null) continue;
    const { full, points } = pointers;
    const carriers = [...written].map(([name, { text }]) => ({ name, text }));
    const left = points.flatMap((point) => ledTo(point, full, shown, carriers.toReversed()));
    if (left.length === points.length && left.every((point, at) => point === points[at])) continue;
    const name = memo.nameOf?.(segment) ?? "";
    const of = carriersAmong([...shown.values()]);
    const text = left.length === 0 ? full : pointedText(full, left, handle, of);
    written.set(name, { segment: segment.id, text, pointers: left.length === 0 ? null : { full, points: left } });
    const own = shown.get(name);
    if (own !== undefined) shown.set(name, { ...own, text });
  }
  return [...written.values()];
}

/** The same pointer while its carrier shows the lines, else one to a result that was just written out; none: to be written out. */
function ledTo(
  point: Pointer,
  full: string,
  shown: ReadonlyMap<string, ShownResult>,
  written: readonly { readonly name: string; readonly text: string }[],
): readonly Pointer[] {
  if (showsLines(shown.get(point.carrier)?.text ?? "", full, point)) return [point];
  const other = written.find(({ text }) => showsLines(text, full, point));
  return other === undefined ? [] : [{ ...point, carrier: other.name }];
}

function shownAfter(
  segments: readonly Segment[],
  memo: Pick<Memo, "handleOf" | "nameOf" | "pointersOf">,
  after: (segment: Segment) => string | null,
): Map<string, ShownResult> {
  const inputs = new Map(segments.flatMap(({ kind, callId, text }) => (kind === "tool-call" ? [[callId, text]] : [])));
  const shown = new Map<string, ShownResult>();
  for (const segment of segments) {
    const { kind, callId = "", tool = "tool" } = segment;
    const text = kind === "tool-result" ? after(segment) : null;
    const name = memo.nameOf?.(segment);
    if (text === null || name === undefined) continue;
    const isPointed = memo.pointersOf?.(segment) != null;
    const input = () => inputs.get(callId) ?? "";
    shown.set(name, { name, tool, input, handle: () => memo.handleOf(callId), text, isPointed });
  }
  return shown;
}

/**
 * The segments as they are without pointers, at the sizes they have with them: what is quoted of a result in a list or a
 * summary must not lead anywhere.
 */
export function withoutPointers(
  segments: readonly Segment[],
  memo: Memo,
): { readonly segments: readonly Segment[]; readonly memo: Memo } {
  const { pointersOf } = memo;
  if (pointersOf === undefined || !segments.some((segment) => pointersOf(segment) !== null)) return { segments, memo };
  const own = new Map(segments.map((segment) => [segment.id, segment]));
  const whole = segments.map((segment) => {
    const full = pointersOf(segment)?.full;
    return full === undefined ? segment : { ...segment, text: full };
  });
  const asSent = (segment: Segment) => {
    const one = own.get(segment.id);
    return one?.hash === segment.hash ? one : segment;
  };
  return { segments: whole, memo: { ...memo, tokensOf: (segment) => memo.tokensOf(asSent(segment)) } };
}
