import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import type { RequestId } from "../kernel/ids.ts";
import type { EntryBody } from "../log/entry.ts";
import { roundsPerSummary } from "../memory/window.ts";
import type { Received } from "../provider/codec.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { judgeSummary, type SummaryVerdict } from "../reduction/summary-verdict.ts";
import { countedShare } from "./counted-share.ts";
import type { Lane } from "./lane.ts";
import { isSliding } from "./memory-now.ts";
import { type Outgoing, outgoing } from "./outgoing.ts";
import { askOf, type RollingWork, rollingDoc, rollingWork } from "./rolling-request.ts";
import { streamed } from "./streamed.ts";
import { windowSizeNow } from "./window-size.ts";

/**
 * The rolling summary of a sliding window (M-63), made beside the turns: neither a request nor the end of a turn waits for it.
 * Intent, request and end are entries like any other's, and what is made is shown from the next break on.
 */
export type Rolling = {
  /** Called when a step was sent: begins, where enough was said since the newest summary. */
  look(): void;
  /** Waits a moment for what is under way, then stops it. */
  close(): Promise<void>;
};

export function createRolling(lane: Lane): Rolling {
  let job: { readonly done: Promise<void>; readonly controller: AbortController } | null = null;
  return {
    look() {
      if (job !== null || !isDue(lane)) return;
      const controller = new AbortController();
      // A log that cannot be written, or a fault of ours: the turn goes on without it, and the user knows.
      const done = sumUp(lane, controller.signal)
        .catch((error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          lane.fx.note(`the rolling summary of the window could not be made: ${why}`);
        })
        .finally(() => {
          job = null;
        });
      job = { done, controller };
    },
    async close() {
      const mine = job;
      if (mine === null) return;
      const timer = new AbortController();
      await Promise.race([mine.done, lane.fx.clock.sleep(bounds.rollingCloseMsMax, timer.signal)]);
      timer.abort();
      mine.controller.abort();
      await mine.done;
    },
  };
}

/** Asked for each step, so that what is cheap to know comes first. */
function isDue(lane: Lane): boolean {
  const { turn, epoch, rolling } = lane.state();
  if (turn === null || epoch === null || lane.config.reductions.summaries === "off") return false;
  // Nothing is under way: the end of that one could not be stored.
  if (rolling.asked !== null) return true;
  const finished = rolling.rounds - 1 - rolling.triedAt;
  if (finished <= bounds.rollingLines || !isSliding(lane)) return false;
  return finished >= roundsPerSummary(windowSizeNow(lane.prompt(), lane).size);
}

/** One request, and where its answer is of no use, a stricter one. */
async function sumUp(lane: Lane, signal: AbortSignal): Promise<void> {
  const { asked: lost } = lane.state().rolling;
  if (lost !== null) {
    await lane.record([{ type: "outcome-unknown", what: "request", request: lost.request }]);
    if (!isDue(lane)) return;
  }
  const work = rollingWork(lane);
  if (work === null) return;
  for (let tries = 0; tries < bounds.rollingTriesMax; tries++) {
    const request = await requestOf(work, tries > 0, lane);
    await lane.record([request.asked, request.intent]);
    const { entries, outcome } = await sent(request, work, lane, signal);
    await lane.record(entries);
    if (!worthAnother.has(outcome) || signal.aborted) return;
  }
}

type Outcome = SummaryVerdict["outcome"];

const worthAnother: ReadonlySet<Outcome> = new Set(["empty", "tool-call", "junk", "truncated", "larger"]);

type RollingRequest = Outgoing & { readonly id: RequestId; readonly asked: EntryBody };

async function requestOf(work: RollingWork, strict: boolean, lane: Lane): Promise<RollingRequest> {
  const text = askOf(work, strict);
  const kept = await lane.texts.keep(text);
  const prompt = lane.prompt();
  const doc = rollingDoc(prompt.doc, text);
  const segments = lane.config.codecFor(doc.model.wire).segmentsOfDoc(doc);
  const counted = segments.reduce((sum, segment) => sum + tokensOf(segment), 0);
  const promptTokens = Math.ceil(counted / countedShare(prompt, lane.state()));
  const forecast = { promptTokens, marginTokens: 0 };
  const made = outgoing({ doc, segments, forecast, purpose: "own", attempt: 1 }, lane);
  const id = made.intent.request;
  const why = `${work.rounds.filter(({ by }) => by === "user").length} rounds since the last one`;
  const scope = { kind: "upto", piece: work.upto } as const;
  const asked = { type: "summary-asked", request: id, as: "rolling", scope, why, text: kept } as const;
  return { ...made, id, asked };
}

async function sent(
  { id, wire }: RollingRequest,
  work: RollingWork,
  lane: Lane,
  signal: AbortSignal,
): Promise<{ readonly entries: readonly EntryBody[]; readonly outcome: Outcome }> {
  const { result } = await streamed(wire, lane, signal, () => {});
  const end = { type: "summary-ended", request: id, usage: null, retryAfterMs: null, detail: "", text: "" } as const;
  if (signal.aborted)
    return { outcome: "interrupted", entries: [{ ...end, outcome: "interrupted", detail: "the session was closed" }] };
  if (result.type === "failed") {
    const { message: detail, retryAfterMs } = result.failure;
    return { outcome: "failed", entries: [{ ...end, outcome: "failed", detail, retryAfterMs }] };
  }
  const { usage } = result;
  const verdict = verdictOf(result, work);
  const { outcome } = verdict;
  if (verdict.outcome !== "accepted") {
    const text = await lane.texts.keep(saidIn(result));
    return { outcome, entries: [{ ...end, outcome: verdict.outcome, detail: verdict.detail, text, usage }] };
  }
  const text = await lane.texts.keep(verdict.text);
  const made: EntryBody = { type: "summary-made", request: id, upto: work.upto, text };
  return { outcome, entries: [made, { ...end, outcome, text, usage }] };
}

/** As any summary is judged (law 8), and by its cap, which the prompt relies on. */
function verdictOf(result: Received, { tokensMax, tokens }: RollingWork): SummaryVerdict {
  const calls = result.blocks.filter(({ type }) => type === "tool-call").length;
  const limits = { tokensMax, replacedTokens: tokens };
  const verdict = judgeSummary({ text: saidIn(result), calls, stop: result.stop }, limits);
  if (verdict.outcome !== "accepted") return verdict;
  const size = estimate(verdict.text);
  return size <= tokensMax ? verdict : { outcome: "larger", detail: `${size} tokens, and ${tokensMax} are its cap` };
}

function saidIn({ blocks }: Received): string {
  const texts = blocks.flatMap((block) => (block.type === "text" && typeof block.text === "string" ? block.text : []));
  return texts.join("");
}
