import type { FoldBlock } from "../reduction/fold.ts";
import type { Shown } from "./strategy.ts";
import type { Line } from "./varve-lines.ts";

type Handles = Shown["handles"];

/**
 * What the handles in a session's folded blocks bring back. One handle may stand for several results with equal texts: each of
 * them is brought back by it.
 */
export function newCovers(): { readonly handlesOf: (block: FoldBlock, folded: readonly Line[]) => Handles } {
  const covers = new Map<string, Handles[number]>();
  const add = (handle: string, callIds: readonly string[]) => {
    const unique = [...new Set(callIds)];
    covers.set(`${handle} ${unique.length === 1 ? unique[0] : ""}`, { handle, callIds: unique });
  };
  const namedIn = (text: string) => [...covers.values()].filter(({ handle }) => text.includes(handle));
  return {
    /** Each call of the list by its own handle where its line is shown, and all of them by the list's. */
    handlesOf: ({ text, original }, folded) => {
      for (const line of folded) if (line.original !== null) add(line.original.handle, [line.original.callId]);
      const listed = namedIn(original.text).flatMap(({ callIds }) => callIds);
      add(original.handle, listed);
      return namedIn(text);
    },
  };
}
