import { open } from "node:fs/promises";
import type { AppendResult, Fence, LeaseResult } from "../ports/store.ts";
import { locked } from "./file-lock.ts";
import { faultText, nullIfAbsent } from "./store-fault.ts";
import { newerFence, takeLease } from "./store-file-lease.ts";
import { lastLine } from "./store-file-list.ts";
import type { StreamPaths } from "./store-file-path.ts";

type Write = () => Promise<AppendResult>;

/** What keeps two processes from writing one log at once: a lease for lanes, a lock for the one append of a project. */
export function fileGuard(system: { readonly procRoot: string; readonly now: () => number }) {
  const lease = (at: StreamPaths, owner: string): Promise<LeaseResult> =>
    takeLease({ prefix: at.lease, ...system }, owner, () => newestFence(at.log));

  const underLease = async (at: StreamPaths, fence: Fence | null, write: Write): Promise<AppendResult> => {
    if (fence === null) return { type: "refused", why: "a lane is written under a lease only" };
    let newer: Fence | null;
    try {
      newer = await newerFence(at.lease, fence);
    } catch (error) {
      return { type: "refused", why: faultText(error, at.lease) };
    }
    return newer === null ? write() : { type: "fenced", fence: newer };
  };

  /** Held for one append, and waited for. */
  const underLock = async (at: StreamPaths, _fence: Fence | null, write: Write): Promise<AppendResult> => {
    const names = { work: "another append", place: "the project" };
    const held = await locked({ prefix: at.lease, ...system }, names, write);
    return held.type === "done" ? held.value : held;
  };
  return { lease, underLease, underLock };
}

/** The fence of the newest line, for when the lease files are gone (a folder copied by hand). */
async function newestFence(path: string): Promise<number> {
  const file = await open(path, "r").catch(nullIfAbsent);
  if (file === null) return 0;
  try {
    return (await lastLine(file, (await file.stat()).size))?.fence ?? 0;
  } finally {
    await file.close();
  }
}
