import type { Stub } from "./clear.ts";
import { droppedIds } from "./dropped-ids.ts";
import type { FoldBlock } from "./fold.ts";
import type { Clip, Plan } from "./plan.ts";

/** How whoever keeps a prompt as a plain list (a proxy, a replay) makes what a plan asks for. */
export type PlanMakers<T> = {
  readonly clipped: (item: T, clip: Clip) => T;
  readonly cleared: (item: T, stub: Stub) => T;
  readonly folded: (block: FoldBlock) => T;
};

type Change = {
  readonly clips?: readonly Clip[];
  readonly stubs?: readonly Stub[];
  readonly drops?: readonly (readonly [from: number, to: number])[];
  readonly blocks?: readonly FoldBlock[];
};

/** The items after a plan made of their segments, whose ids are places among them. What is left as it was stays the same object. */
export function applyPlan<T>(items: readonly T[], plan: Plan, makers: PlanMakers<T>): readonly T[] {
  if (plan.type === "nothing") return items;
  const { clips = [], stubs = [], drops = [], blocks = [] } = changeOf(plan);
  const made = new Map<number, (item: T) => T>([
    ...clips.map((clip) => [clip.segment, (item: T) => makers.clipped(item, clip)] as const),
    ...stubs.map((stub) => [stub.segment, (item: T) => makers.cleared(item, stub)] as const),
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

function changeOf(plan: Exclude<Plan, { readonly type: "nothing" }>): Change {
  if (plan.type === "forms" || plan.reason !== "compacted") return plan;
  const { clips, fold } = plan;
  if (fold.type === "nothing") return { clips };
  return { clips, drops: fold.drops, blocks: fold.block === null ? [] : [fold.block] };
}
