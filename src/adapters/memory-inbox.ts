import { readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import { firstLine } from "../memory/memory-file.ts";
import { parseFrontmatter } from "../workspace/frontmatter.ts";
import { explain } from "./fs-error.ts";
import { locate } from "./fs-locate.ts";
import { writeFile } from "./fs-write.ts";
import type { MemoryPlace } from "./memory-places.ts";
import { textOf } from "./memory-read.ts";
import { inFolder, refused, unlinkIfThere, type Written, writeMemory } from "./memory-write.ts";
import { isAbsent } from "./store-fault.ts";
import { makeFolder } from "./store-folder.ts";

/**
 * What the model wants kept, until the user answers: one file each, which an editor may change before it is accepted.
 *
 *     memory/inbox/<id>.md  refused/<id>.md
 */
export type Waiting = {
  readonly id: string;
  readonly place: MemoryPlace;
  readonly path: string;
  readonly topic: string | null;
  readonly text: string;
  readonly atMs: number;
};

export async function proposeMemory(
  place: MemoryPlace,
  { id, text, topic }: { readonly id: string; readonly text: string; readonly topic: string | null },
): Promise<Written> {
  return await inFolder(place, async (folder) => {
    const inbox = join(folder, "inbox");
    const path = join(inbox, `${id}.md`);
    if ((await locate(join(inbox, "refused", `${id}.md`))).type === "found")
      return refused("the user has refused these very words");
    const names = await idsIn(inbox);
    if (names.includes(id)) return { type: "written", name: id, path, isNew: false };
    if (names.length >= bounds.memoryInboxMax)
      return refused(`${names.length} notes wait for the user's answer, and that is the most there may be`);
    const fields = topic === null ? [] : ["---", `topic: ${JSON.stringify(topic)}`, "---", ""];
    const bytes = new TextEncoder().encode([...fields, text, ""].join("\n"));
    await makeFolder(inbox);
    const written = await writeFile(path, bytes);
    if (written.type === "failed") return refused(`${path} cannot be written: ${written.why}`);
    return { type: "written", name: id, path, isNew: true };
  });
}

/** The oldest first. What cannot be read is left out: it is the user's folder, and `varve memory path` says where. */
export async function waitingIn(places: readonly MemoryPlace[]): Promise<readonly Waiting[]> {
  const all = await Promise.all(places.map(waitingAt));
  return all.flat().sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
}

async function waitingAt(place: MemoryPlace): Promise<readonly Waiting[]> {
  const found = await locate(join(place.folder, "inbox"));
  if (found.type !== "found") return [];
  const ids = (await idsIn(found.path)).slice(0, 2 * bounds.memoryInboxMax);
  const read = ids.map(async (id): Promise<readonly Waiting[]> => {
    const path = join(found.path, `${id}.md`);
    const file = await textOf(path, bounds.memoryBytesMax);
    if (file.type === "unread") return [];
    const front = await parseFrontmatter(file.text);
    const topic = front.type === "ok" ? front.fields.get("topic")?.value : undefined;
    const atMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    const text = front.body.trim();
    return [{ id, place, path, topic: typeof topic === "string" ? topic : null, text, atMs }];
  });
  return (await Promise.all(read)).flat();
}

/** The memory first: what a crash leaves in the inbox is accepted again, and the same words are put in once. */
export async function acceptMemory({ place, path, topic }: Waiting, text: string): Promise<Written> {
  const written = await writeMemory(place, { text, topic, type: null });
  if (written.type === "refused") return written;
  return await inFolder(place, async () => {
    await unlinkIfThere(path);
    return written;
  });
}

export async function refuseMemory({ place, path, id, text }: Waiting): Promise<Written> {
  return await inFolder(place, async (folder) => {
    const inbox = join(folder, "inbox", "refused");
    try {
      await makeFolder(inbox);
      await rename(path, join(inbox, `${id}.md`));
    } catch (error) {
      return refused(`${path} cannot be moved: ${explain(error)}`);
    }
    await forgetOldest(inbox);
    return { type: "written", name: firstLine(text), path, isNew: false };
  });
}

async function forgetOldest(folder: string): Promise<void> {
  const ids = await idsIn(folder);
  if (ids.length <= bounds.memoryRefusedMax) return;
  const dated = ids.map(async (id) => ({ id, at: (await stat(join(folder, `${id}.md`))).mtimeMs }));
  const oldest = (await Promise.all(dated)).sort((a, b) => a.at - b.at).slice(0, ids.length - bounds.memoryRefusedMax);
  for (const { id } of oldest) await unlinkIfThere(join(folder, `${id}.md`));
}

async function idsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown): readonly string[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  return names.flatMap((name) => /^(m[0-9a-f]{9})\.md$/.exec(name)?.[1] ?? []);
}
