import { canonicalJson } from "../kernel/canonical.ts";
import { brand, type Hash } from "../kernel/ids.ts";
import type { EntryBody, EntryOf, PieceEdit } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { staticSections } from "../prompt/sections.ts";
import { breakEdits } from "./break-edits.ts";
import type { AgentConfig } from "./config.ts";
import { declaredNow } from "./declared.ts";
import { effortAgain } from "./effort.ts";
import { frontOf } from "./front.ts";
import { providerClearing } from "./provider-clearing.ts";
import type { EpochBody } from "./reasoning.ts";
import { requestModel } from "./request-model.ts";
import { sectionsNow } from "./sections-now.ts";
import type { TextCache } from "./texts.ts";

/** Opens an epoch: the newest head and user context are stored first, then named by the entry (frozen means stored). */
export async function openEpoch(
  effect: Pick<EpochBody, "reason" | "detail"> & { readonly sent: "stands" | "changed" },
  state: State,
  config: AgentConfig,
  texts: TextCache,
): Promise<readonly EntryBody[]> {
  const { reason, detail } = effect;
  const entry = await epochEntry(state, config, texts, { reason, detail, edits: [] });
  const body = { ...entry, ...breakEdits(state, entry, effect.sent) };
  return [body, ...effortAgain(state, entry.model)];
}

export async function epochEntry(
  state: State,
  config: AgentConfig,
  texts: TextCache,
  what: {
    readonly reason: EntryOf<"epoch-opened">["reason"];
    readonly detail: string;
    readonly edits: readonly PieceEdit[];
    readonly cost?: EpochBody["cost"];
  },
): Promise<EpochBody> {
  const model = requestModel(state);
  if (model === null) throw new Error("epochEntry: no model was chosen; open the session with one");
  const clearing = providerClearing(state, model, config);
  const tools = await declaredNow(state, model, config, texts);
  const system = [...staticSections, ...sectionsNow(state, config.assembly)];
  return {
    type: "epoch-opened",
    reason: what.reason,
    detail: what.detail,
    head: { tools: await blobOf(texts, canonicalJson(tools)), system: await blobOf(texts, canonicalJson(system)) },
    model,
    ...(await frontOf(state, config.assembly, texts)),
    edits: what.edits,
    cost: what.cost ?? { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
    ...(clearing === null ? {} : { providerClearing: clearing }),
  };
}

/**
 * A break that changes nothing in front of its cut: the head stays as it was opened, and the front as it was sent, whatever
 * would be said today.
 */
export function sameEpoch(
  { epoch, live }: State,
  what: Pick<EpochBody, "reason" | "detail" | "edits" | "cost" | "clearing">,
): EpochBody {
  if (epoch === null) throw new Error("sameEpoch: no epoch is open");
  const front = live.find((piece) => piece.role === "user" && piece.kind === "context")?.block;
  const userContext = front?.type === "text" ? front.text : "";
  const { head, model, providerClearing: asked } = epoch;
  const clearing = asked === undefined ? {} : { providerClearing: asked };
  return { type: "epoch-opened", ...what, head, model, userContext, ...clearing };
}

async function blobOf(texts: TextCache, text: string): Promise<Hash> {
  const kept = await texts.keep(text, -1);
  if (typeof kept === "string") throw new Error("a text with no room in place was kept in place");
  return brand(kept.blob);
}
