import { chain } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import type { Segment } from "./segment.ts";

/** The chain hash of each segment: it names the segment together with all that stands before it (DESIGN 4). */
export function chainHashes(segments: readonly Segment[], before: Hash | "" = ""): readonly Hash[] {
  let last = before;
  return segments.map((segment) => {
    const next = chain(last, segment.hash);
    last = next;
    return next;
  });
}
