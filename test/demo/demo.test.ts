import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { DemoReport } from "../../src/cli/demo/report.ts";
import { wires } from "../../src/kernel/usage.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "varve-demo-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function demo(...args: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  return spawnSync(process.execPath, [join(root, "src/cli/main.ts"), "demo", "--short", ...args], {
    env,
    encoding: "utf8",
  });
}

describe.each(wires)("the short demo on the %s wire", (wire) => {
  const run = demo("--json", "--wire", wire, "--work", join(folder, wire), "--home", join(folder, `${wire}-home`));
  // The proof is the type's own home: the command prints a DemoReport.
  const report: DemoReport = JSON.parse(run.stdout === "" ? "{}" : run.stdout);

  test("ends green and prints one JSON object and nothing else on stdout", () => {
    expect(run.status, run.stderr).toBe(0);
    expect(run.stdout.trim().split("\n")).toHaveLength(1);
    expect(report.simulated).toBe(true);
    expect(report.sampleTests).toEqual({ before: { passed: 3, failed: 5 }, after: { passed: 8, failed: 0 } });
  });

  test("its parts agree with one another", () => {
    expect(report).toMatchObject({ wire, steps: 11, overflows: 0, redone: 0, window: 80_000 });
    expect(report.peakTokens).toBeGreaterThanOrEqual(report.total.tokens);
    expect(report.total.toolReturns + report.total.history).toBeLessThan(report.total.tokens);
    expect(report.cacheReadShare).toBeGreaterThan(0.5);
    expect(report.cost.unit).toBe("usd");
    expect(report.unmanaged.steps).toBe(11);
    expect(report.turns).toEqual([{ task: "discount", steps: 11 }]);
    expect(existsSync(report.log)).toBe(true);
  });

  test("every miss has the cause that the simulator recorded", () => {
    expect(report.misses.length).toBeGreaterThan(0);
    for (const miss of report.misses) expect(miss.cause).toBe(miss.recorded);
  });

  test("each line of defence has its row, and is worth what it saved less what it spent", () => {
    const names = ["first-forms", "pointers", "clear", "collapse", "compact"];
    expect(report.lines.map(({ line }) => line)).toEqual(names);
    for (const { times, tokensKeptOut, savedUsd, spentUsd, worthUsd } of report.lines) {
      expect(worthUsd).toBeCloseTo((savedUsd ?? 0) - (spentUsd ?? 0), 9);
      if (times === 0) expect([tokensKeptOut, savedUsd, spentUsd]).toEqual([0, 0, 0]);
    }
  });

  test("the work is done in the folder that was named", () => {
    expect(readFileSync(join(folder, wire, "src/cart.mjs"), "utf8")).toContain("discount(sum)");
  });
});

test("the report for people says that it is simulated and names the log", () => {
  const run = demo();
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).toContain("Simulated");
  expect(run.stdout).toContain("8 passed and 0 failed after");
  expect(run.stdout).toMatch(
    /times +tokens kept out +saved +spent +worth\nfirst forms .*\npointers .*\nclear .*\ncollapse .*\ncompact /,
  );
  expect(run.stdout).toContain("need not add up");
  expect(run.stdout).toMatch(/The session's log: .*main\.jsonl/);
});

test("a folder that is not empty is refused, and nothing in it is touched", () => {
  writeFileSync(join(folder, "keep.txt"), "mine");
  const run = demo("--work", folder);
  expect(run.status).toBe(2);
  expect(run.stderr).toContain("is not empty");
  expect(readFileSync(join(folder, "keep.txt"), "utf8")).toBe("mine");
});
