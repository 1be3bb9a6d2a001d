import type { Text } from "../log/block.ts";
import type { State } from "../log/state.ts";
import { stableKeys, userContextText } from "../prompt/context.ts";
import type { Assembly } from "../prompt/sections.ts";
import { factsBlock } from "./facts.ts";
import type { TextCache } from "./texts.ts";

/** What a new epoch says in front of the conversation: what was observed, and the facts in force. */
export async function frontOf(
  state: State,
  assembly: Assembly,
  texts: TextCache,
): Promise<{ readonly userContext: Text; readonly facts?: Text }> {
  const keys = assembly === "boundary" ? stableKeys : undefined;
  return { userContext: await texts.keep(userContextText(state.observed, keys)), ...(await factsBlock(state, texts)) };
}
