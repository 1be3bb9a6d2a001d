import { growing } from "../kernel/growing.ts";
import { chain } from "../kernel/hash.ts";
import type { Hash } from "../kernel/ids.ts";
import type { Segment } from "./segment.ts";

/** The chain hash of each segment: it names the segment together with all that stands before it (DESIGN 4). */
export function chainHashes(segments: readonly Segment[], before: Hash | "" = ""): readonly Hash[] {
  return chained(segments, before);
}

const chained = growing<Segment, Hash, Hash | "", { last: Hash | "" }>({
  start: (before) => ({ last: before }),
  make: (part, state) =>
    part.map(({ hash }) => {
      const next = chain(state.last, hash);
      state.last = next;
      return next;
    }),
});
