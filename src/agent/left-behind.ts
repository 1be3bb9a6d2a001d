import { estimate } from "../budget/count.ts";
import type { Attached } from "../log/attached.ts";
import type { EntryOf } from "../log/entry.ts";
import { reduce } from "../log/reduce.ts";
import type { State } from "../log/state.ts";
import type { Effects } from "./effects.ts";

/** A text from outside that an epoch did not take along, such as a finished skill's; what came of it stays (M-73). */
export type LeftBehind = { readonly kind: string; readonly name: string; readonly tokens: number };

export function leftBy(before: State, opened: EntryOf<"epoch-opened">): readonly Attached[] {
  const after = reduce(before, opened).attached;
  return Object.entries(before.attached).flatMap(([key, one]) => (after[key] === undefined ? [one] : []));
}

export async function weighedLeft(
  left: readonly Attached[],
  getBlob: Effects["getBlob"],
): Promise<readonly LeftBehind[]> {
  const weighed = left.map(async ({ kind, name, text }) => {
    const read = typeof text === "string" ? text : await getBlob(text.blob);
    return { kind, name, tokens: estimate(read ?? "") };
  });
  return await Promise.all(weighed);
}
