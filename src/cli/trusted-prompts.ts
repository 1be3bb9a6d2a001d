import { homedir } from "node:os";
import { findCommands, readCommands } from "../adapters/commands.ts";
import { skillFinder } from "../adapters/skills.ts";
import type { ToolLimits } from "../log/skill.ts";

/** A project's skill or command, as it was read once, with what it would run unasked. */
export type FreeingFile = { readonly path: string; readonly text: string; readonly freed: readonly string[] };

/** Skills and commands of the project that free something where the user calls them. */
export async function freeingPrompts(places: {
  readonly home: string;
  readonly cwd: string;
}): Promise<readonly FreeingFile[]> {
  const at = { ...places, user: homedir() };
  const { skills } = await skillFinder({ ...at, isApproved: async () => false })([]);
  const { commands } = await findCommands(at);
  const reads = await readCommands(commands);
  const read = reads.flatMap((one) => (one.type === "ok" ? [one.command] : []));
  return [...skills.map(({ skill }) => skill), ...read]
    .filter(({ scope }) => scope === "project")
    .map(({ file, text, limits }) => ({ path: file, text, freed: freedIn(limits) }))
    .filter(({ freed }) => freed.length > 0);
}

function freedIn({ allowed }: ToolLimits): readonly string[] {
  return (allowed ?? []).map((rule) => `allows ${rule}, where you call it`);
}
