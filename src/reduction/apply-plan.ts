import type { Stub } from "./clear.ts";
import { droppedIds } from "./dropped-ids.ts";
import type { FoldBlock } from "./fold.ts";
import { type Clip, type Plan, partsOf, type Written } from "./plan-parts.ts";

/** How whoever keeps a prompt as a plain list (a proxy, a replay) makes what a plan asks for. */
export type PlanMakers<T> = {
  readonly clipped: (item: T, clip: Clip) => T;
  readonly cleared: (item: T, stub: Stub) => T;
  readonly folded: (block: FoldBlock) => T;
  readonly written: (item: T, written: Written) => T;
};

/** The items after a plan made of their segments, whose ids are places among them. What is left as it was stays the same object. */
export function applyPlan<T>(items: readonly T[], plan: Plan, makers: PlanMakers<T>): readonly T[] {
  if (plan.type === "nothing") return items;
  const { clips = [], stubs = [], drops = [], blocks = [] } = partsOf(plan);
  const written = plan.type === "break" ? (plan.written ?? []) : [];
  const made = new Map<number, (item: T) => T>([
    ...clips.map((clip) => [clip.segment, (item: T) => makers.clipped(item, clip)] as const),
    ...stubs.map((stub) => [stub.segment, (item: T) => makers.cleared(item, stub)] as const),
    ...written.map((one) => [one.segment, (item: T) => makers.written(item, one)] as const),
  ]);
  const gone = droppedIds(drops);
  const blocksAt = Map.groupBy(blocks, ({ before }) => before);
  const foldedAt = (place: number | null) => (blocksAt.get(place) ?? []).map(makers.folded);
  const left = items.flatMap((item, at): readonly T[] => {
    const kept = gone.has(at) ? [] : [made.get(at)?.(item) ?? item];
    return [...foldedAt(at), ...kept];
  });
  return [...left, ...foldedAt(null)];
}
