import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelFor } from "../../src/cli/demo/demo.ts";
import { type Performed, perform } from "../../src/cli/demo/perform.ts";
import { type DemoReport, reportOf } from "../../src/cli/demo/report.ts";
import { type Counts, shopSample } from "../../src/cli/demo/sample.ts";
import { spawnSimulator } from "../../src/testing/simulate/spawn.ts";

/** Small enough that the session is folded several times; the command's own window never is. */
const window = 60_000;
const folder = mkdtempSync(join(tmpdir(), "varve-long-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let played: Performed;
let report: DemoReport;
let after: Counts;

/** The managed half of the long demo, once for all tests here: real tools, the sample's own tests, minutes of work. */
beforeAll(async () => {
  const sample = shopSample();
  if (sample === null) throw new Error("the packages of the sample are not installed");
  const [work, home] = [join(folder, "work"), join(folder, "home")];
  await sample.copyTo(work);
  mkdirSync(home);
  const simulator = await spawnSimulator(["--brain", sample.brain, "--window", String(window)]);
  try {
    const model = modelFor("anthropic", window);
    const common = { work, home, url: simulator.url, model, windowTokens: window, tasks: sample.tasks } as const;
    played = await perform({ ...common, reductions: "on", onLine: () => {} });
  } finally {
    await simulator.stop();
  }
  after = await sample.test(work);
  report = reportOf(played.run, played.run, {
    wire: "anthropic",
    sample: sample.name,
    window,
    redone: played.redone,
    turns: played.turns,
    sampleTests: { before: after, after },
    log: "",
  });
}, 15 * 60_000);

describe("the long demo in a window that it does not fit", () => {
  test("every task is done and the sample's tests are green", () => {
    expect(played.turn).toMatchObject({ reason: "done" });
    expect(played.turns.map(({ task }) => task)).toEqual(["login", "wishes", "prices", "hunt"]);
    expect(after.failed).toBe(0);
    expect(after.passed).toBeGreaterThan(80);
  });

  test("more than 120 model calls, no prompt above the window, some of it folded and looked at again", () => {
    expect(report.steps).toBeGreaterThanOrEqual(120);
    expect(report.overflows).toBe(0);
    expect(report.peakTokens).toBeLessThanOrEqual(window);
    expect(report.redone).toBeGreaterThan(0);
  });

  test("the report says what each line of defence did and what it was worth", () => {
    console.log(`lines (simulated): ${JSON.stringify(report.lines)}`);
    const byName = new Map(report.lines.map((one) => [one.line, one]));
    for (const line of ["first-forms", "clear"] as const) {
      expect(byName.get(line)?.times).toBeGreaterThan(0);
      expect(byName.get(line)?.tokensKeptOut).toBeGreaterThan(0);
      expect(byName.get(line)?.savedUsd).toBeGreaterThan(0);
    }
  });

  test("METRICS 5 · predicted tokens against the simulator's own tokenizer: added, after breaks, never above the margin", () => {
    const { added, afterBreak, aboveMargin } = report.estimate;
    console.log(`estimate (simulated): ${JSON.stringify(report.estimate)}`);
    expect(added?.p50).toBeLessThanOrEqual(0.1);
    expect(added?.p95).toBeLessThanOrEqual(0.3);
    expect(afterBreak?.p95).toBeLessThanOrEqual(0.05);
    expect(aboveMargin).toBe(0);
  });

  test("the only misses are the start and declared breaks, and both sides say so", () => {
    for (const miss of report.misses) expect(miss.cause).toBe(miss.recorded);
    const [first, ...others] = report.misses.map((miss) => miss.break ?? miss.cause);
    expect(first).toBe("cold-start");
    expect(others.length).toBeGreaterThan(0);
    for (const cause of others) expect(["cleared", "collapsed", "compacted"]).toContain(cause);
  });
});
