import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

/** Names a living process beyond its number: numbers are used again, start times on one boot are not. */
export type ProcessMark = { readonly pid: number; readonly start: string | null; readonly place: string };

/** Where process numbers can be compared: one boot of one machine and one process namespace. */
export async function markOf(pid: number, procRoot: string): Promise<ProcessMark> {
  const boot = await readFile(`${procRoot}/sys/kernel/random/boot_id`, "utf8").then((text) => text.trim(), absent);
  const space = await readlink(`${procRoot}/self/ns/pid`).catch(absent);
  const place = boot === null || space === null ? `host ${hostname()}` : `boot ${boot} ${space}`;
  return { pid, start: await startOf(pid, procRoot), place };
}

/**
 * Whether the marked process lives, as seen from `here`: `unknown` where its number says nothing, because it belongs to
 * another machine or because the start time cannot be read.
 */
export async function lifeOf(
  mark: ProcessMark,
  here: ProcessMark,
  procRoot: string,
): Promise<"alive" | "dead" | "unknown"> {
  if (mark.place !== here.place) return "unknown";
  if (here.start !== null && mark.start !== null) {
    return (await startOf(mark.pid, procRoot)) === mark.start ? "alive" : "dead";
  }
  return exists(mark.pid) ? "unknown" : "dead";
}

/** Field 22 of the stat line; null for no such process and for one that has ended but was not yet waited for. */
async function startOf(pid: number, procRoot: string): Promise<string | null> {
  const stat = await readFile(`${procRoot}/${pid}/stat`, "utf8").catch(absent);
  // The name (field 2) stands in parentheses and may hold anything, so fields are counted from the last one.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields?.[0];
  return state === undefined || state === "Z" || state === "X" ? null : (fields?.[19] ?? null);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** No such file, or not ours to read: both mean that nothing is known. */
function absent(): null {
  return null;
}
