import type { FoldBlock } from "./fold.ts";
import type { Clip, Plan } from "./plan.ts";

/** How whoever keeps a prompt as a plain list (a proxy, a replay) makes what a plan asks for. */
export type PlanMakers<T> = {
  readonly clipped: (item: T, clip: Clip) => T;
  readonly folded: (block: FoldBlock) => T;
};

/** The items after a plan made of their segments, whose ids are places among them. What is left as it was stays the same object. */
export function applyPlan<T>(items: readonly T[], plan: Plan, { clipped, folded }: PlanMakers<T>): readonly T[] {
  if (plan.type === "nothing") return items;
  const clips = new Map(plan.clips.map((clip) => [clip.segment, clip]));
  const fold = plan.type === "break" && plan.fold.type === "fold" ? plan.fold : null;
  const block = fold?.block ?? null;
  const isDropped = (at: number) => fold?.drops.some(([from, to]) => at >= from && at <= to) ?? false;
  const left = items.flatMap((item, at): readonly T[] => {
    const clip = clips.get(at);
    const kept = isDropped(at) ? [] : [clip === undefined ? item : clipped(item, clip)];
    return block !== null && block.before === at ? [folded(block), ...kept] : kept;
  });
  return block !== null && block.before === null ? [...left, folded(block)] : left;
}
