import { setTimeout as later } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import type { ProjectId } from "../kernel/ids.ts";
import type { Knowledge, LookAt, Told } from "../ports/knowledge.ts";
import type { MemoryFilesMode } from "../workspace/guards.ts";
import { managedInstructions } from "./instructions.ts";
import { instructionLook } from "./instructions-told.ts";

/** Where project and user keep things for the agent. */
export type KnowledgePlace = {
  /** The workspace, absolute. */
  readonly cwd: string;
  /** Folder of the user's own files (`.claude`, `.varve` in it); null: none is looked at. */
  readonly user: string | null;
  /** Holds sessions and projects (`~/.varve`). */
  readonly home: string;
  readonly project: ProjectId | null;
  /** Of the model in use, for what depends on the room there is. */
  readonly windowTokens: () => number;
  /** Whether memory files are read. */
  readonly memoryFiles: MemoryFilesMode;
};

/** One sort of it, named for the user. */
export type KnowledgeSource = { readonly name: string; readonly look: (at: LookAt) => Promise<Told> };

/** Each part looks by itself; one that fails or hangs costs its own texts and is named. */
export function knowledgeOf(place: KnowledgePlace): Knowledge {
  const sources = sourcesAt(place);
  return {
    async look(at) {
      const told = await Promise.all(sources.map((source) => looked(source, at)));
      return {
        attachments: told.flatMap(({ attachments }) => attachments),
        covers: told.flatMap(({ covers }) => covers),
        ended: told.flatMap(({ ended = [] }) => ended),
        notes: told.flatMap(({ notes }) => notes),
      };
    },
  };
}

/** In the order in which they are told. */
function sourcesAt({ cwd, user, home, windowTokens }: KnowledgePlace): readonly KnowledgeSource[] {
  const managed = user === null ? null : managedInstructions();
  return [{ name: "instructions", look: instructionLook({ cwd, userHome: user, home, managed }, windowTokens) }];
}

async function looked({ name, look }: KnowledgeSource, at: LookAt): Promise<Told> {
  const none = (why: string): Told => ({ attachments: [], covers: [], notes: [`${name} could not be read: ${why}`] });
  const ended = new AbortController();
  const late = async () => {
    await later(bounds.lookMsMax, null, { ref: false, signal: ended.signal }).catch(() => null);
    return none(`no answer within ${bounds.lookMsMax / 1000} seconds`);
  };
  try {
    return await Promise.race([look(at), late()]);
  } catch (error) {
    return none(error instanceof Error ? error.message : String(error));
  } finally {
    ended.abort();
  }
}
