import { bounds } from "../kernel/bounds.ts";
import type { Found, Named } from "../ports/index-port.ts";
import type { Archive, Archived } from "./index-archive.ts";

/** An original by its handle or a beginning of it, or what that might have meant. */
export async function findIn(archive: Archive, handle: string): Promise<Found> {
  const all = await archive.all();
  const exact = all.filter((one) => one.handle === handle);
  const found =
    exact.length > 0 || handle.length < bounds.handleCharsMin
      ? exact
      : all.filter((one) => one.handle.startsWith(handle));
  const [only] = found;
  if (only === undefined) return { type: "unknown", like: mostLike(handle, all) };
  if (found.length > 1) return { type: "several", handles: found.map(named) };
  const text = await archive.read(only);
  return text === null ? { type: "lost", ...named(only) } : { type: "found", ...named(only), text };
}

export function named({ handle, tool, title }: Archived): Named {
  return { handle, tool, title };
}

const likeMax = 5;
/** Handles with more letters wrong than this have nothing to do with each other. */
const changesMax = 4;

/** Those a slip or two away, nearest first; where there is none, the newest. */
function mostLike(handle: string, all: readonly Archived[]): readonly Named[] {
  const originals = all.filter(({ kind }) => kind === "original");
  const near = originals
    .map((one) => ({
      one,
      changes: changesBetween(handle, one.handle.slice(0, Math.max(handle.length, bounds.handleCharsMin))),
    }))
    .filter(({ changes }) => changes <= changesMax)
    .sort((a, b) => a.changes - b.changes)
    .map(({ one }) => one);
  return (near.length > 0 ? near : originals.slice(-likeMax).reverse()).slice(0, likeMax).map(named);
}

/** Letters to change, add or leave out to make one of the other. */
function changesBetween(a: string, b: string): number {
  const [from, to] = [a.slice(0, 64), b.slice(0, 64)];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
