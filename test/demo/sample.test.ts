import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import brain from "../../src/cli/demo/brain.ts";
import { shopTasks } from "../../src/cli/demo/tasks/shop.ts";
import { runBrain } from "./fake-agent.ts";
import { fakeTools } from "./fake-tools.ts";
import { shellOver, shop, shopFiles } from "./shop.ts";

const root = join(import.meta.dirname, "../..");

type Counts = { readonly numPassedTests: number; readonly numFailedTests: number };

/** The sample's own tests, run as its users would, in a copy whose packages are the repository's. */
function runSample(files: ReadonlyMap<string, string> | null): Counts {
  const copy = mkdtempSync(join(tmpdir(), "varve-sample-"));
  try {
    cpSync(shop, copy, { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    for (const [path, text] of files ?? []) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    spawnSync(process.execPath, [vitest, "run", "--reporter=json", "--outputFile=report.json"], { cwd: copy });
    const report: Counts = JSON.parse(readFileSync(join(copy, "report.json"), "utf8"));
    return { numPassedTests: report.numPassedTests, numFailedTests: report.numFailedTests };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

test("the sample's tests fail before the work, because pages are missing, and pass after it", async () => {
  const before = runSample(null);
  expect(before.numFailedTests).toBeGreaterThan(30);
  expect(before.numPassedTests).toBeGreaterThan(30);
  const files = shopFiles();
  const tools = fakeTools(files, shellOver(files));
  await runBrain({ brain, tasks: shopTasks.map((task) => task.message), runTool: tools.run });
  const after = runSample(files);
  expect(after.numFailedTests).toBe(0);
  expect(after.numPassedTests).toBeGreaterThan(before.numPassedTests + before.numFailedTests);
});
