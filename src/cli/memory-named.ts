import { type Waiting, waitingIn } from "../adapters/memory-inbox.ts";
import type { MemoryPlace } from "../adapters/memory-places.ts";
import { memoryReader } from "../adapters/memory-read.ts";
import { type MemoryFile, memoryNamed } from "../memory/memory-file.ts";
import { CommandError } from "./exit.ts";

/** The memory that is meant. */
export async function named(name: string, places: readonly MemoryPlace[]): Promise<MemoryFile> {
  const { folders } = await memoryReader()(places);
  const found = memoryNamed(
    folders.flatMap(({ files }) => files),
    name,
  );
  if (found.type === "found") return found.memory;
  const like = found.names.length === 0 ? "none are kept" : `there are ${found.names.join(", ")}`;
  throw new CommandError(`no memory is meant by ${JSON.stringify(name.slice(0, 80))} alone: ${like}`);
}

/** By its number in the list, by its id or a beginning of it that only one has, or all of them. */
export async function waitingNamed(which: string, places: readonly MemoryPlace[]): Promise<readonly Waiting[]> {
  const waiting = await waitingIn(places);
  if (waiting.length === 0) throw new CommandError("nothing waits to be accepted");
  if (which === "all") return waiting;
  const byNumber = /^[1-9]\d{0,3}$/.test(which) ? waiting[Number(which) - 1] : undefined;
  const found = byNumber === undefined ? waiting.filter(({ id }) => which !== "" && id.startsWith(which)) : [byNumber];
  if (found.length === 1) return found;
  throw new CommandError(`${JSON.stringify(which.slice(0, 80))} is none of the ${waiting.length} that wait`);
}
