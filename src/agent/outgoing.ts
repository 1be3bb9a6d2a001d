import { hashOf } from "../kernel/hash.ts";
import { lastCleared } from "../ledger/cleared.ts";
import type { EntryBody } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { WireRequest } from "../ports/model.ts";
import { chainHashes } from "../prompt/chain.ts";
import type { Doc } from "../prompt/doc.ts";
import type { Segment } from "../prompt/segment.ts";
import { wellformed } from "../prompt/wellformed.ts";
import type { MarkRequest } from "../provider/codec.ts";
import type { Lane } from "./lane.ts";
import { predictedCache } from "./meter.ts";
import type { Forecast } from "./situation.ts";

/** A request ready to leave: its intent entry and its bytes belong together. */
export type Outgoing = {
  readonly intent: Extract<EntryBody, { readonly type: "request-sent" }>;
  readonly wire: WireRequest;
};

/**
 * `forecast`: of these segments. A side request that rides the lane has its markers where the lane has them; one of its `own`
 * has none, for nobody will read what it leaves.
 */
export function outgoing(
  what: {
    readonly doc: Doc;
    readonly segments: readonly Segment[];
    readonly forecast: Pick<Forecast, "promptTokens" | "marginTokens">;
    readonly purpose: "step" | "side" | "own";
    readonly attempt: number;
  },
  lane: Lane,
): Outgoing {
  const { doc, segments, forecast, purpose, attempt } = what;
  const violation = wellformed(doc.pieces, doc.asksSummary === true ? "summary" : "answer");
  if (violation !== null) throw new Error(`the prompt is malformed after healing: ${violation}`);
  const codec = lane.config.codecFor(doc.model.wire);
  const global = doc.tools.length + doc.system.filter(({ scope }) => scope === "global").length;
  const isOwn = purpose === "own";
  const marks = isOwn
    ? []
    : codec.placeMarks(segments, {
        model: doc.model.model,
        previous: lane.state().sent?.marks ?? [],
        taken: 0,
        globalSegments: global,
        ...clearedIn(segments, lane.state()),
      });
  const cacheKey = codec.cacheKeyOfDoc(doc);
  const request = lane.fx.ids.request();
  lane.outgoing.set(request, segments);
  const intent = {
    type: "request-sent",
    request,
    purpose: isOwn ? "side" : purpose,
    attempt,
    segments: segments.length,
    chain: chainHashes(segments).at(-1) ?? hashOf(""),
    cacheKey,
    marks: marks.map(({ segment }) => segment),
    predicted: {
      promptTokens: forecast.promptTokens,
      marginTokens: forecast.marginTokens,
      ...(isOwn
        ? { cacheReadTokens: 0, cacheWriteTokens: 0 }
        : predictedCache(lane, { segments, doc }, marks, cacheKey)),
    },
  } as const;
  return { intent, wire: codec.encode(doc, marks) };
}

/** How far into the request the provider has cleared; nothing, where it has not, or a break made it another prompt. */
function clearedIn(segments: readonly Segment[], { epoch, newest }: State): Pick<MarkRequest, "cleared"> {
  const asked = epoch?.providerClearing;
  if (asked === undefined || newest?.cleared === undefined || newest.segments === 0) return {};
  return { cleared: lastCleared(segments, newest.cleared.results, asked.excludedTools) };
}
