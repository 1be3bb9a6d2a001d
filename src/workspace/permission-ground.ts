import type { Boundary } from "./boundary.ts";
import type { Rule } from "./rule.ts";

/** What decisions stand on: where the session works, and what people wrote about it. */
export type Ground = {
  readonly cwd: string;
  /** The user's home folder, for `~/` in rules. */
  readonly home: string;
  readonly boundary: Boundary;
  readonly rules: readonly Rule[];
  /** Why git must not run unasked in a folder: its settings there can start programs. null: they cannot. */
  readonly gitDoubt: (cwd: string) => Promise<string | null>;
};
