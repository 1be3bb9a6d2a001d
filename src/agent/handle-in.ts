import type { Handle } from "../kernel/ids.ts";
import { madeOnce } from "../kernel/once.ts";
import type { Original, State } from "../log/state.ts";

/** The newest, since an id that is used again stands for the newest call; which is near the end of a long list. */
export function handleIn({ originals }: State, callId: string): Handle | null {
  const inTail = originals.tail.findLast((one) => one.callId === callId);
  if (inTail !== undefined) return inTail.handle;
  for (let at = originals.full.length - 1; at >= 0; at--) {
    const part = originals.full[at] ?? [];
    const handle = handlesIn(part, () => new Map(part.map((one) => [one.callId, one.handle]))).get(callId);
    if (handle !== undefined) return handle;
  }
  return null;
}

/** Full parts of the list never change. */
const handlesIn = madeOnce<readonly Original[], ReadonlyMap<string | null, Handle>>();
