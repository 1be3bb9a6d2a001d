import { holds, memoryName, memoryNamed, noteOf } from "../memory/memory-file.ts";
import type { Memory, MemoryKept, MemoryNote } from "../ports/memory.ts";
import { createMask, type Mask } from "../secrets/mask.ts";
import { proposeMemory } from "./memory-inbox.ts";
import { type MemoryHome, type MemoryPlace, memoryPlaces } from "./memory-places.ts";
import { memoryReader } from "./memory-read.ts";
import { writeMemory } from "./memory-write.ts";

/** `mask`: what counts as a secret beside what merely looks like one. `mode`: whether the user is to accept what is kept. */
export type MemoryKeeping = {
  readonly home: MemoryHome;
  readonly mask: Mask;
  readonly mode: "review" | "keep";
};

/** Memory as the model's tools use it. */
export function memoryTools({ home, mask, mode }: MemoryKeeping): Memory {
  const read = memoryReader();
  const all = async (places: readonly MemoryPlace[]) => (await read(places)).folders.flatMap(({ files }) => files);
  return {
    async keep(note) {
      const places = await memoryPlaces(home);
      const place = places.find(({ scope }) => scope === note.scope);
      if (place === undefined)
        return { type: "refused", why: "this session belongs to no project: keep it for the user" };
      const fault = secretIn(note, mask);
      if (fault !== null) return { type: "refused", why: fault };
      const known = (await all(places)).find(({ body }) => holds(body, note.text));
      if (known !== undefined) return { type: "refused", why: `${memoryName(known)} says it already` };
      return await kept(place, note, mode);
    },
    async read(name) {
      const found = memoryNamed(await all(await memoryPlaces(home)), name);
      if (found.type === "unknown") return found;
      const { memory } = found;
      return { type: "found", name: memoryName(memory), text: `${memory.path}\n\n${memory.body}` };
    },
  };
}

async function kept(place: MemoryPlace, { text, topic }: MemoryNote, mode: "review" | "keep"): Promise<MemoryKept> {
  const note = noteOf(text);
  if (note.type === "bad") return { type: "refused", why: note.why };
  const written =
    mode === "keep"
      ? await writeMemory(place, { text: note.text, topic, type: null })
      : await proposeMemory(place, { id: note.id, text: note.text, topic });
  if (written.type === "refused") return written;
  return mode === "keep" ? { type: "kept", name: written.name } : { type: "waiting", id: written.name };
}

/** Why it is not kept; null: no secret is in it. What looks like a token counts, whatever the settings say of masking. */
export function secretIn({ text, topic }: Pick<MemoryNote, "text" | "topic">, mask: Mask): string | null {
  const all = `${topic ?? ""}\n${text}`;
  const isPlain = mask.text(all) === all && shapes.text(all) === all;
  return isPlain ? null : "the text holds a secret, or what looks like one; say where it is kept instead";
}

const shapes = createMask({ values: [], shapes: "masked" });
