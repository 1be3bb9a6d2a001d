import type { LookAt, Told } from "../ports/knowledge.ts";
import { instructionsTold } from "../workspace/instructions-told.ts";
import { type InstructionPlaces, instructionsAt } from "./instructions.ts";

/** Instructions and rules, for the conversation. */
export function instructionLook(places: InstructionPlaces, windowTokens: () => number): (at: LookAt) => Promise<Told> {
  const find = instructionsAt(places);
  return async (at) => {
    const standing = at.held.flatMap(({ kind, name }) => (kind === "instructions" || kind === "rule" ? [name] : []));
    return instructionsTold(await find({ touched: at.touched, standing }), at, windowTokens());
  };
}
