import { bounds } from "../kernel/bounds.ts";
import type { LookAt, Told } from "../ports/knowledge.ts";
import { instructionsTold } from "../workspace/instructions-told.ts";
import { type InstructionPlaces, instructionsAt } from "./instructions.ts";

/**
 * Instructions and rules, for the conversation: all of them at a message, behind a result those that its files bring. What an
 * older file brought stands already; so the newest are enough.
 */
export function instructionLook(places: InstructionPlaces, windowTokens: () => number): (at: LookAt) => Promise<Told> {
  const find = instructionsAt(places);
  const looked = new Set<string>();
  return async (at) => {
    const all = at.message === null ? at.touched.filter((path) => !looked.has(path)) : at.touched;
    const touched = all.slice(-bounds.filesWatchedMax);
    if (at.message === null && touched.length === 0) return { attachments: [], covers: [], notes: [] };
    for (const path of touched) looked.add(path);
    const standing = at.held.flatMap(({ kind, name }) => (kind === "instructions" || kind === "rule" ? [name] : []));
    return instructionsTold(await find({ touched, standing }), at, windowTokens());
  };
}
