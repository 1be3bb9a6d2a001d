import { canonicalJson } from "../kernel/canonical.ts";
import { brand, type Hash } from "../kernel/ids.ts";
import type { EntryBody, EntryOf, PieceEdit } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { userContextText } from "../prompt/context.ts";
import type { SystemSection, ToolDeclaration } from "../prompt/doc.ts";
import { parseHead } from "../prompt/head.ts";
import { blobsOf, type Head } from "../prompt/render.ts";
import { dynamicSections, staticSections } from "../prompt/sections.ts";
import type { Effect } from "./decide.ts";
import type { TextCache } from "./texts.ts";

/** Opens an epoch: the newest head and user context are stored first, then named by the entry (frozen means stored). */
export async function openEpoch(
  effect: Extract<Effect, { readonly type: "open-epoch" }>,
  state: State,
  tools: readonly ToolDeclaration[],
  texts: TextCache,
): Promise<readonly EntryBody[]> {
  const edits = effect.reason === "start" ? [] : withoutReasoning(state);
  return [await epochEntry(state, tools, texts, { reason: effect.reason, detail: effect.detail, edits, lost: 0 })];
}

export async function epochEntry(
  state: State,
  tools: readonly ToolDeclaration[],
  texts: TextCache,
  what: {
    readonly reason: EntryOf<"epoch-opened">["reason"];
    readonly detail: string;
    readonly edits: readonly PieceEdit[];
    readonly lost: number;
    readonly rewritten?: number;
  },
): Promise<EntryBody> {
  const { model } = state;
  if (model === null) throw new Error("epochEntry: no model was chosen; open the session with one");
  const system: readonly SystemSection[] = [...staticSections, ...dynamicSections({ mode: state.mode })];
  return {
    type: "epoch-opened",
    reason: what.reason,
    detail: what.detail,
    head: { tools: await blobOf(texts, canonicalJson(tools)), system: await blobOf(texts, canonicalJson(system)) },
    model,
    userContext: await texts.keep(userContextText(state.observed)),
    edits: what.edits,
    cost: { tokensRewritten: what.rewritten ?? 0, reasoningTokensLost: what.lost, usd: null },
  };
}

/** The head an epoch was opened with, whatever this version would say today. */
export async function loadHead(epoch: NonNullable<State["epoch"]>, texts: TextCache): Promise<Head> {
  const read = async (hash: Hash) => await texts.read({ blob: hash, chars: 0 });
  return parseHead({ tools: await read(epoch.head.tools), system: await read(epoch.head.system) });
}

export function blobsWanted(state: State): readonly Hash[] {
  const head = state.epoch === null ? [] : [state.epoch.head.tools, state.epoch.head.system];
  return [...blobsOf(state), ...head];
}

/** Behind a changed head no earlier reasoning is valid; it is left out whole (DESIGN 4). */
function withoutReasoning(state: State): readonly PieceEdit[] {
  const reasoning = state.live.filter((piece) => piece.role === "assistant" && piece.block.type === "reasoning");
  return reasoning.map(({ id }) => ({ type: "dropped", from: id, to: id }));
}

async function blobOf(texts: TextCache, text: string): Promise<Hash> {
  const kept = await texts.keep(text, -1);
  if (typeof kept === "string") throw new Error("a text with no room in place was kept in place");
  return brand(kept.blob);
}
