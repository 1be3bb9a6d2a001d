import type { RequestId } from "../kernel/ids.ts";
import type { EntryBody, Failure } from "../log/entry.ts";
import type { SummaryOutcome } from "../log/summary.ts";
import type { Received } from "../provider/codec.ts";
import { summedTokens } from "./compaction.ts";
import type { Lane } from "./lane.ts";
import { type Outgoing, outgoing } from "./outgoing.ts";
import type { Prompt } from "./prompt.ts";
import { keptSummary, providerVerdict } from "./provider-summary.ts";
import { shortened, shortForecast } from "./shortened.ts";
import type { Effect } from "./situation.ts";
import { limitLearned } from "./step.ts";
import { streamed } from "./streamed.ts";
import { askText, judged } from "./summary-ask.ts";
import { askingDoc } from "./summary-doc.ts";

/** A side request for a summary, ready to leave. */
export type SummaryRequest = Outgoing & {
  readonly id: RequestId;
  readonly asked: EntryBody;
  readonly prompt: Prompt;
  readonly asks: "provider" | "model";
  /** Of the work that it would stand for. */
  readonly replacedTokens: number;
};

/**
 * The lane's next request unchanged and one user message more, or a setting that asks its provider, so that all of it is
 * read from the cache (DESIGN 6).
 */
export function prepareSummary(
  { as, scope, why }: Extract<Effect, { readonly type: "summarize" }>,
  lane: Lane,
): SummaryRequest {
  const prompt = lane.prompt();
  const { wanted } = lane.state().summary;
  const text = as === "native" ? "" : askText({ as, scope }, lane);
  const base = as === "short" ? shortened(prompt, lane) : prompt.doc;
  const forecast = as === "short" ? shortForecast(prompt, base, lane) : prompt.forecast;
  const doc = askingDoc(base, as, text);
  const segments = lane.config.codecFor(doc.model.wire).segmentsOfDoc(doc);
  const made = outgoing({ doc, segments, forecast, purpose: "side", attempt: 1 }, lane);
  const id = made.intent.request;
  const asked = { type: "summary-asked", request: id, as, scope, why, text } as const;
  const replacedTokens = summedTokens(prompt, lane, wanted === null ? null : scope);
  return { ...made, id, prompt, asked, asks: as === "native" ? "provider" : "model", replacedTokens };
}

/** Sends it, and judges what came. */
export async function sendSummary(
  request: SummaryRequest,
  lane: Lane,
  signal: AbortSignal,
): Promise<readonly EntryBody[]> {
  const { id } = request;
  const { result } = await streamed(request.wire, lane, signal, () => {});
  if (signal.aborted) return [ended(id, "interrupted", "stopped by the user", nothingCame)];
  if (result.type === "failed") return failed(request, result.failure, lane);
  return [request.asks === "provider" ? await nativeEnd(request, result, lane) : await ownEnd(request, result, lane)];
}

async function ownEnd({ id, replacedTokens }: SummaryRequest, result: Received, lane: Lane): Promise<EntryBody> {
  const { usage, stop, blocks } = result;
  const text = saidIn(result);
  const calls = blocks.filter(({ type }) => type === "tool-call").length;
  const verdict = judged({ text, calls, stop }, replacedTokens);
  const [kept, detail] = verdict.outcome === "accepted" ? [verdict.text, ""] : [text, verdict.detail];
  return ended(id, verdict.outcome, detail, {
    ...nothingCame,
    text: await lane.texts.keep(kept),
    usage,
    ...clearedOf(result),
  });
}

async function nativeEnd({ id, replacedTokens }: SummaryRequest, result: Received, lane: Lane): Promise<EntryBody> {
  const { usage } = result;
  const verdict = providerVerdict(result, replacedTokens);
  if (verdict.outcome !== "accepted")
    return ended(id, verdict.outcome, verdict.detail, {
      ...nothingCame,
      text: await lane.texts.keep(saidIn(result)),
      usage,
    });
  const native = await keptSummary(verdict.block, lane);
  return ended(id, "accepted", "", { ...nothingCame, text: native.block.text, native, usage });
}

function saidIn({ blocks }: Received): string {
  const texts = blocks.flatMap((block) => (block.type === "text" && typeof block.text === "string" ? block.text : []));
  return texts.join("");
}

function clearedOf({ cleared }: Received): Pick<Received, "cleared"> {
  return cleared === undefined ? {} : { cleared };
}

function failed({ id, prompt, asks }: SummaryRequest, failure: Failure, lane: Lane): readonly EntryBody[] {
  const isUnsupported = asks === "provider" && refusals.has(failure.class);
  const outcome = isUnsupported ? "unsupported" : (outcomes[failure.class] ?? "failed");
  const entry = ended(id, outcome, failure.message, { ...nothingCame, retryAfterMs: failure.retryAfterMs });
  return outcome === "too-long" ? [entry, ...limitLearned(failure, prompt, lane.state())] : [entry];
}

const outcomes: { readonly [C in Failure["class"]]?: SummaryOutcome } = {
  overflow: "too-long",
  "rate-limited": "rate-limited",
  overloaded: "rate-limited",
};

/** Of what a step request would not have been refused for. */
const refusals: ReadonlySet<Failure["class"]> = new Set(["bad-request", "not-found"]);

type Came = Pick<
  Extract<EntryBody, { readonly type: "summary-ended" }>,
  "text" | "native" | "usage" | "retryAfterMs" | "cleared"
>;

const nothingCame: Came = { text: "", usage: null, retryAfterMs: null };

function ended(request: RequestId, outcome: SummaryOutcome, detail: string, came: Came): EntryBody {
  return { type: "summary-ended", request, outcome, detail, ...came };
}
