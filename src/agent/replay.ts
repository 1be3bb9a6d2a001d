import type { Wire } from "../kernel/usage.ts";
import type { Entry, EntryOf } from "../log/entry.ts";
import { reduce } from "../log/reduce.ts";
import { emptyState, type State } from "../log/state.ts";
import type { Doc } from "../prompt/doc.ts";
import { docOf, type Head } from "../prompt/render.ts";
import type { Segment } from "../prompt/segment.ts";
import type { Codec } from "../provider/codec.ts";
import type { Effects } from "./effects.ts";
import { blobsWanted, headOf } from "./head.ts";
import { rollingDoc } from "./rolling-request.ts";
import { askingDoc } from "./summary-doc.ts";
import { textCache } from "./texts.ts";

/** A request as it was sent, rendered again from the log by the same code. */
export type Replayed = { readonly doc: Doc; readonly segments: readonly Segment[]; readonly before: State };

export type ReplayTools = {
  readonly codecFor: (wire: Wire) => Codec;
  readonly getBlob: Effects["getBlob"];
};

/**
 * Walks a log and renders each step request as the state before its entry says. `visit` also hears every other entry,
 * with null. `now` is the request the lane would send next. Nothing is kept of what was visited, so a long log costs one live window.
 */
export async function replay(
  entries: AsyncIterable<Entry>,
  tools: ReplayTools,
  visit: (entry: Entry, request: Replayed | null, before: State) => void,
): Promise<{ readonly state: State; readonly now: Replayed | null }> {
  const texts = textCache({ getBlob: tools.getBlob, putBlob: async () => readOnly() });
  let state = emptyState;
  let head: { readonly of: string; readonly loaded: Head | null } | null = null;
  for await (const entry of entries) {
    visit(entry, entry.type === "request-sent" ? await sentAs(entry, state) : null, state);
    state = reduce(state, entry);
    if (entry.type === "epoch-opened") texts.prune(blobsWanted(state));
  }
  return { state, now: await rendered(state) };

  /** A summary is asked for behind the step request that would come next. */
  async function sentAs(sent: EntryOf<"request-sent">, before: State): Promise<Replayed | null> {
    const step = await rendered(before);
    const asked = askedBy(sent, before);
    if (step === null || asked === null) return step;
    const text = (await texts.read(asked.text)) ?? "";
    const doc = asked.as === "rolling" ? rollingDoc(step.doc, text) : askingDoc(step.doc, asked.as, text);
    return { ...step, doc, segments: tools.codecFor(doc.model.wire).segmentsOfDoc(doc) };
  }

  async function rendered(before: State): Promise<Replayed | null> {
    if (before.epoch === null || before.started === null) return null;
    await texts.load(blobsWanted(before));
    const { tools: named, system } = before.epoch.head;
    if (head?.of !== `${named} ${system}`) head = { of: `${named} ${system}`, loaded: await headOf(before, texts) };
    // Damaged blobs: what that request was cannot be shown any more, the others can.
    if (head.loaded === null) return null;
    const doc = docOf(before, head.loaded, texts);
    return { doc, segments: tools.codecFor(doc.model.wire).segmentsOfDoc(doc), before };
  }
}

/** What a side request asks for; null: it is a step. */
function askedBy({ purpose, request }: EntryOf<"request-sent">, { summary, rolling }: State) {
  if (purpose === "step") return null;
  return rolling.asked?.request === request ? ({ as: "rolling", text: rolling.asked.text } as const) : summary.asked;
}

function readOnly(): never {
  throw new Error("replaying a log writes nothing");
}
