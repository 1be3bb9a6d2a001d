import type { Segment } from "../../prompt/segment.ts";
import type { Mark, MarkRequest } from "../codec.ts";
import { capabilitiesOf } from "./capabilities.ts";

/** Explicit breakpoints of one request besides the implicit one, of which the service writes the latest (PROTOCOLS B.2). */
const explicitMax = 3;

/**
 * The end of the head and the end of the part that all sessions share. The service itself puts one at the end of every
 * request and finds it again however much came since, so the tail needs none of ours; and the head's stand still while the
 * head stands. Older models cache by themselves and get none.
 */
export function placeMarks(
  segments: readonly Segment[],
  { model, taken, globalSegments }: MarkRequest,
): readonly Mark[] {
  if (!capabilitiesOf(model).breakpoints) return [];
  const firstMessage = segments.findIndex(({ kind }) => kind !== "tool" && kind !== "system");
  const headEnd = (firstMessage < 0 ? segments.length : firstMessage) - 1;
  const wanted = [headEnd, Math.min((globalSegments ?? 0) - 1, headEnd)].map((index) =>
    legalAtOrBefore(segments, index),
  );
  const kept = [...new Set(wanted.filter((index) => index >= 0))].slice(0, Math.max(0, explicitMax - taken));
  return kept.sort((a, b) => a - b).map((segment) => ({ segment, ttl: "5m" }));
}

/** Tools cannot carry one here, and an empty text says nothing. */
function legalAtOrBefore(segments: readonly Segment[], index: number): number {
  return segments.findLastIndex(({ kind, text }, at) => at <= index && kind === "system" && text?.trim() !== "");
}
