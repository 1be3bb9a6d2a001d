import type { Effects } from "../agent/effects.ts";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import type { ProjectId } from "../kernel/ids.ts";
import type { Background } from "../ports/background.ts";
import type { Fs } from "../ports/fs.ts";
import type { Hooks } from "../ports/hooks.ts";
import type { Knowledge } from "../ports/knowledge.ts";
import type { Model } from "../ports/model.ts";
import type { Servers } from "../ports/servers.ts";
import type { BlobStore, Fence, LogStore, StreamId } from "../ports/store.ts";
import type { Clock, Ids } from "../ports/world.ts";
import type { BudgetFile } from "./context-budget.ts";
import { observe } from "./observe.ts";
import { projectFacts } from "./project-facts.ts";

/** The agent's bundle of effects over real adapters, for one lane's stream under one lease. */
export function laneEffects(world: {
  readonly log: LogStore;
  readonly blobs: BlobStore;
  readonly stream: StreamId;
  readonly fence: Fence;
  readonly model: Model;
  readonly fs: Fs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly cwd: string;
  readonly shell: string;
  readonly ask: Effects["ask"];
  readonly background: Background;
  readonly project: ProjectId | null;
  readonly budget: BudgetFile;
  readonly knowledge: Knowledge | null;
  readonly hooks: Hooks | null;
  readonly servers: Servers | null;
  /** Hears each note once. */
  readonly onNote: (text: string) => void;
}): Effects {
  const { log, blobs, stream, fence, fs, clock, cwd, shell, background, project, budget, onNote } = world;
  const { model, ids, ask, knowledge, hooks, servers } = world;
  const noted = new Set<string>();
  const facts = projectFacts(log, project);
  return {
    append: (expectedSeq, entries) => log.append({ stream, expectedSeq, fence, entries }),
    putBlob: (text) => blobs.put(stream, text),
    getBlob: async (hash) => {
      const bytes = await blobs.get(stream, hash);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    },
    model,
    runTool: (call, context, signal) => call.run(context, signal),
    ask,
    taskEnded: (task) => background.ended(task),
    stopTasks: () => background.stopAll(),
    observe: async () => [...(await observe({ cwd, shell, clock })), await budget.look()],
    knowledge,
    hooks,
    servers,
    note(text) {
      if (noted.has(text) || noted.size >= bounds.notesMax) return;
      noted.add(text);
      onNote(text);
    },
    projectFacts: facts.read,
    changeProjectFacts: facts.change,
    fileHash: async (path) => {
      const found = await fs.locate(path);
      if (found.type !== "found" || found.kind !== "file") return null;
      const read = await fs.read(found.path, bounds.captureBytesMax);
      return read.type === "read" ? hashOf(read.bytes) : null;
    },
    fileText: async (path, bytesMax) => {
      const found = await fs.locate(path);
      if (found.type !== "found" || found.kind !== "file") return null;
      const read = await fs.read(found.path, bytesMax + 1);
      return read.type === "read" && read.bytes.length <= bytesMax ? textIn(read.bytes) : null;
    },
    clock,
    ids,
  };
}

function textIn(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
