import { setTimeout as later } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import type { ProjectId } from "../kernel/ids.ts";
import type { Knowledge, LookAt, Told } from "../ports/knowledge.ts";
import type { MemoryFilesMode } from "../workspace/guards.ts";
import { managedInstructions } from "./instructions.ts";
import { instructionLook } from "./instructions-told.ts";
import { memoryLook } from "./memories.ts";
import type { Serving } from "./serving.ts";
import { skillFinder } from "./skills.ts";
import { skillsTold } from "./skills-told.ts";
import { styleLook } from "./styles.ts";

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
  /** MCP servers, which say of themselves what they can; null: none. */
  readonly serving?: Pick<Serving, "look"> | null;
  /** Whether memory files are read. */
  readonly memoryFiles: MemoryFilesMode;
  /** How to write, by name; left out: as the session has it. */
  readonly style?: string | undefined;
  /** Whether the user approved what a project's file allows: its very text, at its place. Left out: nothing was approved. */
  readonly isTrusted?: ((file: { readonly path: string; readonly text: string }) => Promise<boolean>) | undefined;
};

/** One sort of it, named for the user. */
export type KnowledgeSource = { readonly name: string; readonly look: (at: LookAt) => Promise<Told> };

export function knowledgeOf(place: KnowledgePlace): Knowledge {
  const { cwd, user, home, isTrusted: isApproved = async () => false } = place;
  const skills = skillFinder({ cwd, user, home, isApproved });
  const sources = [...sourcesAt(place), { name: "skills", look: skillsTold(skills, place.windowTokens) }];
  return { skills, look: (at) => lookInAll(sources, at) };
}

/** A session that had servers once hears that they are gone. */
const noServers: Told = { attachments: [], covers: ["server"], notes: [] };

/** Each part looks by itself; one that fails or hangs costs its own texts and is named. */
export async function lookInAll(sources: readonly KnowledgeSource[], at: LookAt): Promise<Told> {
  const told = await Promise.all(sources.map((source) => looked(source, at)));
  return {
    attachments: told.flatMap(({ attachments }) => attachments),
    covers: told.flatMap(({ covers }) => covers),
    kept: told.flatMap(({ kept = [] }) => kept),
    ended: told.flatMap(({ ended = [] }) => ended),
    notes: told.flatMap(({ notes }) => notes),
  };
}

/** In the order in which they are told. */
function sourcesAt(place: KnowledgePlace): readonly KnowledgeSource[] {
  const { cwd, user, home, windowTokens, style, serving = null } = place;
  const managed = user === null ? null : managedInstructions();
  return [
    { name: "instructions", look: instructionLook({ cwd, userHome: user, home, managed }, windowTokens) },
    { name: "MCP servers", look: async (at) => (await serving?.look(at, windowTokens())) ?? noServers },
    { name: "the output style", look: styleLook(style, { cwd, user, home }) },
    ...(place.memoryFiles === "off" ? [] : [{ name: "memory", look: memoryLook(place) }]),
  ];
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
