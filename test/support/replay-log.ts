import type { Hash } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Entry } from "../../src/log/entry.ts";
import { reduce } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import type { WireRequest } from "../../src/ports/model.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { parseHead } from "../../src/prompt/head.ts";
import { docOf, type Texts } from "../../src/prompt/render.ts";
import { lawCodec } from "./play-log.ts";

/** A step request as the log alone says it. */
export type SentAgain = {
  readonly seq: number;
  readonly epoch: number;
  readonly doc: Doc;
  readonly request: WireRequest;
};

export type Render = (state: State, texts: Texts, blobs: ReadonlyMap<Hash, string>) => Doc;

/** Every step request of a log, rendered from nothing but its entries and blobs. */
export function requestsOf(
  wire: Wire,
  log: { readonly entries: readonly Entry[]; readonly texts: ReadonlyMap<Hash, string> },
  render: Render = storedForms,
): readonly SentAgain[] {
  const codec = lawCodec(wire);
  const sent: SentAgain[] = [];
  let state = emptyState;
  for (const entry of log.entries) {
    if (entry.type === "request-sent" && state.epoch !== null) {
      const doc = render(state, log.texts, log.texts);
      const global = doc.tools.length + doc.system.filter(({ scope }) => scope === "global").length;
      const marks = codec.placeMarks(codec.segmentsOfDoc(doc), {
        model: doc.model.model,
        previous: state.sent?.marks ?? [],
        taken: 0,
        globalSegments: global,
      });
      sent.push({ seq: entry.seq, epoch: state.epoch.number, doc, request: codec.encode(doc, marks) });
    }
    state = reduce(state, entry);
  }
  return sent;
}

/** The product's own way: stored pieces put together. */
export const storedForms: Render = (state, texts, blobs) => {
  const head = state.epoch?.head;
  if (head === undefined) throw new Error("no epoch is open");
  const text = (hash: Hash) => blobs.get(hash) ?? null;
  return docOf(state, parseHead({ tools: text(head.tools), system: text(head.system) }), texts);
};

/** Through JSON and back: what a log on disk would give, with no object shared with the writer. */
export function reread(entries: readonly Entry[]): readonly Entry[] {
  const parsed: readonly Entry[] = JSON.parse(JSON.stringify(entries));
  return parsed;
}

export function keyOf(request: WireRequest): string {
  return lawCodec(request.wire).cacheKeyOf(new TextEncoder().encode(request.body), request.model);
}
