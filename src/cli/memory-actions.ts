import { acceptMemory, refuseMemory, waitingIn } from "../adapters/memory-inbox.ts";
import type { MemoryPlace } from "../adapters/memory-places.ts";
import { memoryReader, textOf } from "../adapters/memory-read.ts";
import { secretIn } from "../adapters/memory-tools.ts";
import { removeMemory, type Written, writeMemory } from "../adapters/memory-write.ts";
import { bounds } from "../kernel/bounds.ts";
import type { MemoryFile } from "../memory/memory-file.ts";
import type { Mask } from "../secrets/mask.ts";
import { CommandError, UsageError } from "./exit.ts";
import { type MemoryCommand, type MemoryFlags, scopeOf } from "./memory-command.ts";
import { named, waitingNamed } from "./memory-named.ts";
import { memoryJson, memoryLines } from "./memory-text.ts";

/** Carries it out; what is printed. */
export async function memoryOutput(command: MemoryCommand, on: On): Promise<string> {
  // Correlated union: the row of `command.type` takes exactly this command.
  const run = actions[command.type] as (command: MemoryCommand, on: On) => Promise<string>;
  return await run(command, on);
}

type On = { readonly places: readonly MemoryPlace[]; readonly flags: MemoryFlags; readonly mask: Mask };
type Action<T extends MemoryCommand["type"]> = (
  command: Extract<MemoryCommand, { readonly type: T }>,
  on: On,
) => Promise<string>;

const actions: { readonly [T in MemoryCommand["type"]]: Action<T> } = {
  async list(_, { places, flags }) {
    const listed = { ...(await memoryReader()(places)), waiting: await waitingIn(places) };
    return flags.json === true ? memoryJson(listed) : memoryLines(listed, Date.now());
  },
  async path(_, { places, flags }) {
    return flags.json === true
      ? JSON.stringify({ folders: places.map(({ scope, folder }) => ({ scope, folder })) })
      : places.map(({ folder }) => folder).join("\n");
  },
  async show({ name }, { places, flags }) {
    const memory = await named(name, places);
    const file = await textOf(memory.path, bounds.memoryBytesMax);
    if (file.type === "unread") throw new CommandError(`${memory.path} cannot be read: ${file.why}`);
    return flags.json === true ? JSON.stringify({ ...shownOf(memory), text: file.text }) : file.text;
  },
  async add({ text, topic, about }, { places, flags, mask }) {
    refuseSecret({ text, topic }, mask);
    const place = placeFor(places, scopeOf(flags) ?? "project");
    const written = done(await writeMemory(place, { text, topic, type: about }));
    return said(flags, written.isNew ? `kept in ${written.name}` : `${written.name} says it already`);
  },
  async remove({ name }, { places, flags }) {
    const memory = await named(name, places);
    if (memory.scope === "claude") throw new CommandError(`${memory.path} is Claude Code's: remove it there`);
    const removed = done(await removeMemory(placeFor(places, memory.scope), memory.file));
    return said(flags, `${removed.name} removed`);
  },
  async accept({ which, text }, { places, flags, mask }) {
    const lines: string[] = [];
    for (const one of await waitingNamed(which, places)) {
      const words = text ?? one.text;
      refuseSecret({ text: words, topic: one.topic }, mask);
      const written = done(await acceptMemory(one, words));
      lines.push(`${one.id} kept in ${written.name}`);
    }
    return said(flags, ...lines);
  },
  async refuse({ which }, { places, flags }) {
    const waiting = await waitingNamed(which, places);
    for (const one of waiting) done(await refuseMemory(one));
    return said(flags, ...waiting.map(({ id }) => `${id} refused; these words will not be proposed again`));
  },
};

function placeFor(places: readonly MemoryPlace[], scope: MemoryPlace["scope"]): MemoryPlace {
  const place = places.find((one) => one.scope === scope);
  if (place === undefined) throw new UsageError("this folder belongs to no project: use --user");
  return place;
}

/** A memory goes into prompts again and again. */
function refuseSecret(note: { readonly text: string; readonly topic: string | null }, mask: Mask): void {
  const fault = secretIn(note, mask);
  if (fault !== null) throw new CommandError(`not kept: ${fault}`);
}

function done(written: Written): Extract<Written, { readonly type: "written" }> {
  if (written.type === "refused") throw new CommandError(written.why);
  return written;
}

function shownOf({ path, scope, name, type }: MemoryFile) {
  return { path, scope, title: name, type };
}

function said({ json }: MemoryFlags, ...lines: readonly string[]): string {
  return json === true ? JSON.stringify({ done: lines.join("\n") }) : lines.join("\n");
}
