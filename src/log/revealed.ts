import type { CallId, Hash } from "../kernel/ids.ts";
import { own } from "../kernel/own.ts";
import type { Text } from "./block.ts";

/** A server's tool whose definition the model was shown: the catalogue names it, a search brings it. */
export type RevealedTool = {
  /** As the model calls it: `mcp__server__tool`, made legal. */
  readonly name: string;
  /** The server's alias, and its own name of the tool. */
  readonly server: string;
  readonly tool: string;
  /** As it was shown: canonical JSON of a `ToolDeclaration` (prompt/doc.ts). */
  readonly declaration: Text;
  /** Of what the server said of it, so that another definition under the same name is noticed. */
  readonly definition: Hash;
};

/** Stands behind the result of the call that found them, and shows them there; null: they are for the next epoch, unasked. */
export type RevealedEntry = {
  readonly type: "tools-revealed";
  readonly callId: CallId | null;
  readonly tools: readonly RevealedTool[];
};

/** By name. They stay through breaks, forks and restarts: a new epoch declares those in use. */
export type Revealed = Readonly<Record<string, RevealedTool & { readonly usedTurn: number }>>;

export function withRevealed(before: Revealed, tools: readonly RevealedTool[], turn: number): Revealed {
  return { ...before, ...Object.fromEntries(tools.map((tool) => [tool.name, { ...tool, usedTurn: turn }])) };
}

export function withToolUsed(before: Revealed, name: string, turn: number): Revealed {
  const one = own(before, name);
  return one === undefined || one.usedTurn === turn ? before : { ...before, [name]: { ...one, usedTurn: turn } };
}
