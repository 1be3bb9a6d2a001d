import type { Hash } from "../kernel/ids.ts";

/** Whose instructions they are: the machine's owner's, the user's, the project's, or the user's own for this project. */
export type InstructionOrigin = "managed" | "user" | "project" | "local";

/** One file of instructions as it is on disk now. */
export type Instruction = {
  readonly kind: "instructions" | "rule";
  /** Absolute path; of the list of rules on demand, its title. */
  readonly name: string;
  readonly origin: InstructionOrigin;
  /** What brought it in beside its place, in words: a file that imports it, the files it is for; null: its place alone. */
  readonly because: string | null;
  /** What it says, without comments: its beginning, where the file is longer than `bounds.instructionCharsMax`. */
  readonly text: string;
  /** Of all it says. */
  readonly hash: Hash;
  /** Of all it says, by the estimate. */
  readonly tokens: number;
};

/** `touched`: files the session read or wrote; `standing`: names of what it was given before, which goes on to apply. Absolute. */
export type InstructionsAsked = { readonly touched: readonly string[]; readonly standing: readonly string[] };

/** Farthest first: the machine's, the user's, then from the project's root down. `notes` are for the user. */
export type InstructionsFound = { readonly files: readonly Instruction[]; readonly notes: readonly string[] };
