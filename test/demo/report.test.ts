import { expect, test } from "vitest";
import { reportOf } from "../../src/cli/demo/report.ts";
import { reportText } from "../../src/cli/demo/report-text.ts";
import { newRecord, type SimRecord } from "../../src/testing/simulate/records.ts";

const model = "claude-sonnet-5-5";

function record(n: number, more: Partial<SimRecord>): SimRecord {
  const blank = newRecord({
    n,
    at: Date.UTC(2026, 10, 1),
    wire: "anthropic",
    path: "/v1/messages",
    purpose: null,
    model,
    body: "",
    fault: null,
  });
  return { ...blank, status: 200, ...more };
}

const segment = (kind: "system" | "text" | "result", path: string, tokens: number) =>
  ({ kind, role: kind === "system" ? "system" : "user", path, hash: "", tokens, mark: null }) as const;

const first = record(1, {
  promptTokens: 1_000,
  write5mTokens: 900,
  outputTokens: 10,
  missCause: "cold-start",
  missTokens: 1_000,
});
const second = record(2, {
  promptTokens: 2_000,
  readTokens: 900,
  write5mTokens: 1_000,
  outputTokens: 20,
  segments: [
    segment("system", "system.0", 100),
    segment("text", "messages.0.content.0", 300),
    segment("result", "messages.2.content.0", 600),
  ],
});
const refused = record(3, { status: 400, promptTokens: 90_000, overflow: true });
const counts = { before: { passed: 1, failed: 2 }, after: { passed: 3, failed: 0 } };
const rest = {
  wire: "anthropic",
  sample: "shop",
  window: 80_000,
  redone: 0,
  turns: [{ task: "login", steps: 2 }],
  sampleTests: counts,
  log: "/tmp/main.jsonl",
} as const;
const lines = [
  { line: "clear", times: 2, tokensKeptOut: 1_500, savedUsd: 0.03, spentUsd: 0.04, worthUsd: -0.01 },
  { line: "compact", times: 0, tokensKeptOut: 0, savedUsd: null, spentUsd: null, worthUsd: null },
] as const;
const run = (...records: readonly SimRecord[]) => ({ model, records, rows: [], lines });

test("steps are answered requests; a refused one counts as an overflow and in the peak only", () => {
  const report = reportOf(run(first, second, refused), run(first), rest);
  expect(report).toMatchObject({ steps: 2, overflows: 1, peakTokens: 90_000, cacheReadShare: 0.3 });
});

test("the parts of the last request are scaled to the size the simulator reports", () => {
  const report = reportOf(run(first, second), run(first), rest);
  expect(report.total).toEqual({ tokens: 2_000, toolReturns: 1_200, history: 600 });
});

test("a miss that only one side saw is shown as such, never left out", () => {
  const report = reportOf(run(first, second), run(first), rest);
  expect(report.misses).toMatchObject([{ cause: "none", recorded: "cold-start", tokens: 1_000 }]);
  expect(reportText(report)).toContain("none (the simulator says cold-start)");
});

test("requests of the comparison run that would not have fitted the window are counted", () => {
  const large = record(2, { promptTokens: 80_001 });
  expect(reportOf(run(first), run(first, large), rest).unmanaged).toEqual({
    steps: 2,
    totalTokens: 80_001,
    overflows: 1,
  });
});

test("what each line of defence did is in both reports, a loss and an unknown worth as such, beside the two runs' difference", () => {
  const report = reportOf(run(first), run(first, second), { ...rest, redone: 3 });
  expect(report.lines).toEqual(lines);
  const text = reportText(report);
  expect(text).toMatch(/clear +2 +1,500 +\$0\.0300 +\$0\.0400 +-\$0\.0100/);
  expect(text).toMatch(/compact +0 +0 +unknown +unknown +unknown/);
  // The second request: 100 x 2, 900 x 0.1, 1,000 x 2.5, 20 x 10 per million.
  expect(text).toContain("the difference of the two runs ($0.0030)");
  expect(text).toContain("3 looks made again");
});

test("an unknown price is unknown, not zero", () => {
  const report = reportOf({ ...run(first), model: "nobody-knows" }, run(first), rest);
  expect(report.cost).toMatchObject({ varve: null, unit: "unknown" });
  expect(reportText(report)).toContain("unknown");
});
