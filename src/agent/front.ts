import type { State } from "../log/state.ts";
import { stableKeys, userContextText } from "../prompt/context.ts";
import type { Assembly } from "../prompt/sections.ts";
import { attachedFront } from "./attach.ts";
import { factsBlock } from "./facts.ts";
import type { EpochBody } from "./reasoning.ts";
import type { TextCache } from "./texts.ts";

/** What a new epoch says in front of the conversation: what was observed, the facts and the texts from outside that are in force. */
export async function frontOf(
  state: State,
  assembly: Assembly,
  texts: TextCache,
): Promise<Pick<EpochBody, "userContext" | "facts" | "attached">> {
  const keys = assembly === "boundary" ? stableKeys : undefined;
  const attached = attachedFront(state);
  return {
    userContext: await texts.keep(userContextText(state.observed, keys)),
    ...(await factsBlock(state, texts)),
    ...(attached.length === 0 ? {} : { attached }),
  };
}
