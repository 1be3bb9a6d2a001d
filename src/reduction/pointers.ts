import { carriersAmong, type ShownResult } from "../digest/carriers.ts";
import { pointedText, showsLines } from "../digest/pointers.ts";
import type { Handle } from "../kernel/ids.ts";
import type { Pointer } from "../log/block.ts";
import type { Segment } from "../prompt/segment.ts";
import type { Memo } from "./memo.ts";
import type { Written } from "./plan-parts.ts";

/**
 * What a break has to write anew so that every pointer leads to lines that the request shows (DESIGN 6): the newest result
 * that loses a carrier shows the lines itself, and older ones lead to it. `after`: a segment's text behind the break; null:
 * it goes.
 */
export function settledPointers(segments: readonly Segment[], memo: Known, after: After): readonly Written[] {
  const pointing = segments.flatMap((segment): readonly Settling[] => {
    const pointers = memo.pointersOf?.(segment) ?? null;
    const handle = memo.handleOf(segment.callId ?? "");
    const name = memo.nameOf?.(segment);
    if (pointers === null || handle === null || name === undefined || after(segment) !== segment.text) return [];
    return [{ segment, name, handle, full: pointers.full, points: pointers.points, left: pointers.points }];
  });
  if (pointing.length === 0) return [];
  const shown = shownAfter(segments, memo, after);
  const settled = ledElsewhere(pointing, shown, memo);
  const changed = new Set(settled.flatMap(({ name, points, left }) => (points === left ? [] : [name])));
  // Lines of a carrier that was written out have other numbers.
  const touched = settled.filter(({ name, left }) => changed.has(name) || left.some((one) => changed.has(one.carrier)));
  const carriers = carriersAmong([...shown.values()]);
  return touched.map(({ segment, handle, full, left }) => {
    if (left.length === 0) return { segment: segment.id, text: full, pointers: null };
    return { segment: segment.id, text: pointedText(full, left, handle, carriers), pointers: { full, points: left } };
  });
}

type Known = Pick<Memo, "handleOf" | "isUnsent" | "nameOf" | "pointersOf">;
type After = (segment: Segment) => string | null;

/** `left`: its pointers behind the break, the same list where nothing changes. */
type Settling = {
  readonly segment: Segment;
  readonly name: string;
  readonly handle: Handle;
  readonly full: string;
  readonly points: readonly Pointer[];
  readonly left: readonly Pointer[];
};

/** Newest first. What is written out takes its place in `shown`. */
function ledElsewhere(
  pointing: readonly Settling[],
  shown: Map<string, ShownResult>,
  memo: Known,
): readonly Settling[] {
  const written: string[] = [];
  return pointing.toReversed().map((one) => {
    const { segment, name, handle, full, points } = one;
    const left = points.flatMap((point) => ledTo(point, full, shown, written));
    if (left.length === points.length && left.every((point, at) => point === points[at])) return one;
    const own = shown.get(name);
    const text = pointedText(full, left, handle, carriersAmong([...shown.values()]));
    if (own !== undefined) shown.set(name, { ...own, text });
    // What was not sent yet may still get another form.
    if (!memo.isUnsent(segment.id)) written.push(name);
    return { ...one, left };
  });
}

/** The same pointer while its carrier shows the lines, else one to a result that was just written out; none: to be written out. */
function ledTo(
  point: Pointer,
  full: string,
  shown: ReadonlyMap<string, ShownResult>,
  written: readonly string[],
): readonly Pointer[] {
  const shows = (name: string) => showsLines(shown.get(name)?.text ?? "", full, point);
  if (shows(point.carrier)) return [point];
  const carrier = written.find(shows);
  return carrier === undefined ? [] : [{ ...point, carrier }];
}

function shownAfter(segments: readonly Segment[], memo: Known, after: After): Map<string, ShownResult> {
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
