import { join } from "node:path";
import type { LookAt, Told } from "../ports/knowledge.ts";
import { locate } from "./fs-locate.ts";
import { type MemoryHome, memoryPlaces } from "./memory-places.ts";
import { memoryReader } from "./memory-read.ts";

/** Looks at the memory folders for a message. Where there are none, a few looks at the disk are all it costs. */
export function memoryLook(home: MemoryHome): (at: LookAt) => Promise<Told> {
  const read = memoryReader();
  return async ({ message, held }) => {
    if (message === null) return { attachments: [], covers: [], notes: [] };
    const places = await memoryPlaces(home);
    const found = await Promise.all(places.map(({ folder }) => locate(folder)));
    const docs = await docsIn(home.cwd);
    const isHeld = held.some(({ kind }) => kind === "memory" || kind === "memory-index");
    if (docs.length === 0 && !isHeld && found.every(({ type }) => type === "absent"))
      return { attachments: [], covers: ["memory-index"], notes: [] };
    const { memoryTold } = await import("./memory-told.ts");
    return memoryTold(await read(places), docs, { message, held });
  };
}

/** Written on request and read by range; that they are there is all that is said (M-67). */
async function docsIn(cwd: string): Promise<readonly string[]> {
  const names = ["docs/project-context.md", "docs/decisions.md"];
  const found = await Promise.all(names.map((name) => locate(join(cwd, name))));
  return names.filter((_, at) => {
    const one = found[at];
    return one?.type === "found" && one.kind === "file";
  });
}
