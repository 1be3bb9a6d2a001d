import { bounds } from "../kernel/bounds.ts";

/** Characters of definitions of servers' tools that a window of that many tokens has room for, at about four to a token. */
export function toolRoom(windowTokens: number): number {
  return Math.floor((4 * windowTokens * bounds.serverToolsWindowPercentMax) / 100);
}
