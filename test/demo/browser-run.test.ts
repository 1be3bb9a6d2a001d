import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, browserHere, browserMissing } from "../../src/cli/demo/browser-server.ts";
import { modelFor } from "../../src/cli/demo/demo.ts";
import type { Performed } from "../../src/cli/demo/perform.ts";
import { played } from "../../src/cli/demo/played.ts";
import { type DemoReport, reportOf } from "../../src/cli/demo/report.ts";
import { browserSample } from "../../src/cli/demo/sample.ts";
import { UsageError } from "../../src/cli/exit.ts";

test("where there is no browser, one sentence says what to install", () => {
  expect(() => browserHere("/nowhere")).toThrow(new UsageError(browserMissing));
  expect(browserMissing).toContain("apt-get install chromium");
});

const browser = here();
if (browser === null) console.warn(`SKIPPED: no browser here; the demo with one is not played. ${browserMissing}`);

const window = 80_000;
const folder = mkdtempSync(join(tmpdir(), "varve-browser-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** M-92, with Playwright's own server. The unmanaged run beside it, as long again, is part of the command. */
describe.skipIf(browser === null)("the demo with a browser", () => {
  let managed: Performed;
  let report: DemoReport;

  beforeAll(async () => {
    const sample = browserSample();
    if (sample === null || browser === null) throw new Error("the packages of the sample are not installed");
    const [work, home, output] = ["work", "home", "out"].map((name) => join(folder, name));
    if (work === undefined || home === undefined || output === undefined) throw new Error("three folders");
    await sample.copyTo(work);
    mkdirSync(home);
    const before = await sample.test(work);
    const model = modelFor("anthropic", window);
    const common = { sample, browser, output, model, windowTokens: window, work, home } as const;
    managed = await played({ ...common, reductions: "on", onLine: () => {}, url: null });
    const after = await sample.test(work);
    // What it says of an unmanaged run is not looked at here.
    report = reportOf(managed.run, managed.run, {
      wire: "anthropic",
      sample: sample.name,
      window,
      redone: managed.redone,
      turns: managed.turns,
      sampleTests: { before, after },
      log: "",
    });
    const { total, steps, redone } = report;
    console.log(`browser (simulated): ${JSON.stringify({ total, steps, redone })}`);
  }, 300_000);

  test("the page is made and seen to work: the sample's tests fail before and pass after, all that was looked for was there", () => {
    expect(managed.turn).toMatchObject({ reason: "done" });
    expect(managed.turn.text).toContain("3 of 3 things looked for were there");
    expect(report.turns.map(({ task }) => task)).toEqual(["page", "visit"]);
    expect(report.sampleTests.before.failed).toBeGreaterThan(20);
    expect(report.sampleTests.after.failed).toBe(0);
  });

  test("M-92 · tool returns, history and all of the last request are within what was published, and none was too long", () => {
    expect(report.total.toolReturns).toBeLessThanOrEqual(9_800);
    expect(report.total.history).toBeLessThanOrEqual(14_600);
    expect(report.total.tokens).toBeLessThanOrEqual(33_600);
    expect(report.overflows).toBe(0);
    expect(report.peakTokens).toBeLessThanOrEqual(window);
  });

  test("the only misses are the start and declared breaks, and both sides say so", () => {
    for (const miss of report.misses) expect(miss.cause).toBe(miss.recorded);
    for (const miss of report.misses.slice(1)) expect(miss.break).toBe("cleared");
  });
});

function here(): Browser | null {
  try {
    return browserHere();
  } catch {
    return null;
  }
}
