import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import {
  breakerClosed,
  ladderEnded,
  noSummary,
  type SummaryOutcome,
  type SummaryState,
  summaryAsked,
  summaryEnded,
  summaryLost,
  summaryRefused,
  summaryUsed,
  summaryWanted,
} from "../../src/log/summary.ts";

const request = brand<"RequestId">("r1");
const asked = (state: SummaryState) =>
  summaryAsked(state, { type: "summary-asked", request, as: "ride", scope: { kind: "all" }, why: "", text: "?" });
const ended = (state: SummaryState, outcome: SummaryOutcome, of = request) =>
  summaryEnded(state, {
    type: "summary-ended",
    request: of,
    outcome,
    detail: "",
    text: "said",
    usage: null,
    retryAfterMs: null,
    at: 5,
  });

/** When the newest try ended stays known. */
const tried = { ...noSummary, endedAt: 5 };

test("an accepted summary waits to be used, and closes the breaker when it is", () => {
  const made = ended(asked({ ...noSummary, failedInARow: 2 }), "accepted");
  expect(made).toMatchObject({ asked: null, made: "said", tries: [{ as: "ride", outcome: "accepted", at: 5 }] });
  expect(summaryUsed(made)).toEqual(tried);
});

test("a compaction without a summary counts for the breaker, whether it folded or was refused; one that asked for none does not", () => {
  const failed = ended(asked(noSummary), "junk");
  expect(summaryUsed(failed).failedInARow).toBe(1);
  let state = noSummary;
  for (let n = 1; n <= bounds.summaryFailuresMax; n++) {
    state = summaryRefused(ended(asked(state), "accepted"));
    expect(state).toEqual({ ...tried, failedInARow: n });
  }
  expect(summaryUsed(noSummary)).toEqual(noSummary);
  expect(summaryRefused(noSummary)).toEqual(noSummary);
  expect(breakerClosed(state)).toEqual(tried);
  expect(breakerClosed(noSummary)).toBe(noSummary);
});

test("what was broken off is a try of its turn and no more: what was asked for by hand goes with it", () => {
  const wanted = { ...noSummary, wanted: { scope: { kind: "all" }, focus: "" } } as const;
  const stopped = ended(asked(wanted), "interrupted");
  expect(stopped).toMatchObject({ asked: null, wanted: null, tries: [{ as: "ride", outcome: "interrupted" }] });
  expect(ladderEnded(stopped)).toEqual(tried);
  expect(ladderEnded(noSummary)).toBe(noSummary);
});

test("by hand it begins afresh, whatever a ladder before it tried or made, and with the breaker closed", () => {
  const request = { type: "compaction-asked", scope: { kind: "from", piece: "4.0" }, focus: "routes" } as const;
  const wanted = { scope: request.scope, focus: "routes" };
  for (const outcome of ["empty", "accepted", "interrupted"] as const) {
    const before = { ...ended(asked(noSummary), outcome), failedInARow: bounds.summaryFailuresMax };
    expect(summaryWanted(before, request)).toEqual({ ...tried, wanted });
  }
  // Nobody waits for the answer to another question.
  expect(ended(summaryWanted(asked(noSummary), request), "accepted")).toEqual({ ...noSummary, wanted });
});

test("an end of another request, or of none, changes nothing; a death is an end without an answer", () => {
  const state = asked(noSummary);
  expect(ended(state, "accepted", brand("r9"))).toBe(state);
  expect(ended(noSummary, "accepted")).toBe(noSummary);
  expect(summaryLost(state, brand("r9"), 7)).toBe(state);
  expect(summaryLost(state, request, 7)).toMatchObject({ asked: null, tries: [{ outcome: "failed", at: 7 }] });
});
