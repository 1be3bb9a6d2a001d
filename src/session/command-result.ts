import type { Refused } from "../agent/refused.ts";
import type { TurnResult } from "../agent/session.ts";
import type { LaneId } from "../kernel/ids.ts";
import type { Spent } from "./spent.ts";

/** What became of a line that was typed. */
export type CommandResult =
  /** It was text, or a command that the model carried out. */
  | { readonly type: "turn"; readonly turn: TurnResult }
  /** A local command's answer: nothing was sent. */
  | { readonly type: "told"; readonly text: string }
  /** There is no such command. `why` names those that were likely meant. */
  | { readonly type: "unknown"; readonly why: string }
  /** A command that ran in a lane of its own; its result stands in this one's conversation from here on. */
  | { readonly type: "lane"; readonly lane: LaneId; readonly turn: TurnResult; readonly spent: Spent }
  | Refused;

/** What a session can be told by name. */
export type Commands = {
  /** A line as a person types it: a command where it is one, else a message like any other. `//name` is the text `/name`. */
  command(line: string): Promise<CommandResult>;
};
