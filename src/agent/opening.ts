import type { Hash } from "../kernel/ids.ts";
import type { State } from "../log/state.ts";
import { chainHashes } from "../prompt/chain.ts";
import { docOf, type Head } from "../prompt/render.ts";
import type { AgentConfig } from "./config.ts";
import type { Effects } from "./effects.ts";
import { blobsWanted, headOf } from "./head.ts";
import { type TextCache, textCache } from "./texts.ts";
import type { Opened } from "./writer.ts";

/** What reading the log found wrong. */
export type Found = { readonly damaged: boolean; readonly sentUnsure?: boolean };

/** What the log found on opening means for what was sent: does it still stand, and if not, is damage the cause? */
export async function openedFrom(state: State, found: Found, config: AgentConfig, fx: Effects): Promise<Opened> {
  const texts = textCache(fx);
  const wanted = blobsWanted(state);
  await texts.load(wanted);
  const head = await headOf(state, texts);
  const rendererChanged = head !== null && (found.sentUnsure === true || isRendererChanged(state, head, texts, config));
  // A stored text that is gone or altered changes what is sent as a lost line does.
  const damaged = found.damaged || wanted.some((hash) => texts.get(hash) === undefined);
  return { state, head, rendererChanged, damaged, texts };
}

/** Would this version send other bytes for what was sent? Then the next request is a break that says so (DESIGN 2). */
function isRendererChanged(state: State, head: Head, texts: TextCache, config: AgentConfig): boolean {
  const { sent, epoch } = state;
  if (sent === null || epoch === null) return false;
  const segments = config.codecFor(epoch.model.wire).segmentsOfDoc(docOf(state, head, texts));
  const last: Hash | undefined = chainHashes(segments.slice(0, sent.segments)).at(-1);
  return last !== sent.chain;
}
