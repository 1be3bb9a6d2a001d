import { userHome } from "../adapters/environment.ts";
import { acceptMemory, refuseMemory, type Waiting, waitingIn } from "../adapters/memory-inbox.ts";
import { type MemoryPlace, memoryPlaces } from "../adapters/memory-places.ts";
import { memoryReader, textOf } from "../adapters/memory-read.ts";
import { secretIn } from "../adapters/memory-tools.ts";
import { removeMemory, type Written, writeMemory } from "../adapters/memory-write.ts";
import { bounds } from "../kernel/bounds.ts";
import { type MemoryFile, memoryNamed } from "../memory/memory-file.ts";
import type { Mask } from "../secrets/mask.ts";
import { environmentMask } from "./environment-mask.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { type Home, openHome, viewHome } from "./home.ts";
import { type MemoryCommand, type MemoryFlags, memoryCommand, scopeOf } from "./memory-command.ts";
import { memoryJson, memoryLines } from "./memory-text.ts";
import { homeOf } from "./settings.ts";
import { endingInLine } from "./terminal.ts";

/** `varve memory`: what is remembered beyond a session, and what waits to be. */
export async function runMemory(action: string, args: readonly string[], flags: MemoryFlags): Promise<number> {
  const command = memoryCommand(action, args, flags);
  const open = command.type === "add" ? openHome : viewHome;
  const places = await placesIn(await open(homeOf(process.env), process.cwd()), flags);
  const mask = environmentMask("masked");
  process.stdout.write(endingInLine(await memoryOutput(command, { places, flags, mask })));
  return exitCodes.done;
}

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

async function placesIn({ root, cwd, project }: Home, flags: MemoryFlags): Promise<readonly MemoryPlace[]> {
  const scope = scopeOf(flags);
  const all = await memoryPlaces({ home: root, project, cwd, user: userHome() });
  return scope === null ? all : all.filter((place) => place.scope === scope);
}

async function named(name: string, places: readonly MemoryPlace[]): Promise<MemoryFile> {
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
async function waitingNamed(which: string, places: readonly MemoryPlace[]): Promise<readonly Waiting[]> {
  const waiting = await waitingIn(places);
  if (waiting.length === 0) throw new CommandError("nothing waits to be accepted");
  if (which === "all") return waiting;
  const byNumber = /^[1-9]\d{0,3}$/.test(which) ? waiting[Number(which) - 1] : undefined;
  const found = byNumber === undefined ? waiting.filter(({ id }) => which !== "" && id.startsWith(which)) : [byNumber];
  if (found.length === 1) return found;
  throw new CommandError(`${JSON.stringify(which.slice(0, 80))} is none of the ${waiting.length} that wait`);
}

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
