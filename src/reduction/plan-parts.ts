import type { Pointing } from "../digest/pointers.ts";
import type { Handle } from "../kernel/ids.ts";
import type { Clearing, Stub } from "./clear.ts";
import type { Collapsed } from "./collapse.ts";
import type { DroppedRanges } from "./dropped-ids.ts";
import type { Fold, FoldBlock } from "./fold.ts";

/** A result cut to `text`; its original stays under `handle`. */
export type Clip = { readonly segment: number; readonly text: string; readonly handle: Handle };

/** What is to be done before the next request; whoever asked applies it in its own terms (log entries, spliced bytes). */
export type Plan =
  | { readonly type: "nothing" }
  /** Shorter first forms for results that were never sent: their free moment has not passed, so this is no break. */
  | { readonly type: "forms"; readonly clips: readonly Clip[] }
  | (Break & Change);

/** `written`: what has to be written anew because of what else goes, so that every pointer still leads to its lines. */
type Break = { readonly type: "break"; readonly written?: readonly Written[] };
type Change =
  | ({ readonly reason: "cleared" } & Clearing)
  | ({ readonly reason: "collapsed" } & Collapsed)
  | { readonly reason: "compacted"; readonly fold: Fold; readonly clips: readonly Clip[] }
  | {
      readonly reason: "window-slid";
      readonly fold: Fold;
      readonly clips: readonly Clip[];
      readonly stubs: readonly Stub[];
    };

/** A result with the lines written out that its pointers led to, or led elsewhere; `pointers` are those that are left. */
export type Written = {
  readonly segment: number;
  readonly text: string;
  readonly pointers: Pointing | null;
};

type PlanParts = {
  readonly clips?: readonly Clip[];
  readonly stubs?: readonly Stub[];
  readonly drops?: DroppedRanges;
  readonly blocks?: readonly FoldBlock[];
};

/** What any of them does, by what it does it to. */
export function partsOf(plan: Exclude<Plan, { readonly type: "nothing" }>): PlanParts {
  if (plan.type === "forms" || !("fold" in plan)) return plan;
  const { clips, fold } = plan;
  const cut = { clips, ...("stubs" in plan ? { stubs: plan.stubs } : {}) };
  if (fold.type === "nothing") return cut;
  return { ...cut, drops: fold.drops, blocks: fold.block === null ? [] : [fold.block] };
}
