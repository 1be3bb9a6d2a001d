import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import brain from "../../src/cli/demo/brain-short.ts";
import { discount } from "../../src/cli/demo/tasks/discount.ts";
import { type FakeRunOptions, runBrain } from "./fake-agent.ts";
import { fakeTools } from "./fake-tools.ts";
import { filesBelow } from "./files-below.ts";

const tiny = join(import.meta.dirname, "../../examples/tiny");

/** `node check.mjs` for real, in a copy of the project with the files as they are now. */
function check(files: ReadonlyMap<string, string>): { readonly text: string; readonly isError: boolean } {
  const copy = mkdtempSync(join(tmpdir(), "varve-tiny-"));
  try {
    cpSync(tiny, copy, { recursive: true });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const run = spawnSync(process.execPath, ["check.mjs"], { cwd: copy, encoding: "utf8" });
    return { text: run.stdout + run.stderr, isError: run.status !== 0 };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function work(die: FakeRunOptions["die"] = () => "no") {
  const files = filesBelow(tiny);
  const tools = fakeTools(files, () => check(files));
  return { files, ...(await runBrain({ brain, tasks: [discount.message], runTool: tools.run, die })) };
}

test("the short brain turns the check green in about ten model calls", async () => {
  expect(check(filesBelow(tiny)).text).toContain("3 passed, 5 failed");
  const run = await work();
  expect(run.replies).toHaveLength(11);
  expect(run.redone).toBe(0);
  expect(run.finalText).toContain("8 passed, 0 failed");
});

test.each(["before", "after"] as const)("a crash just %s the effect, at any step, ends green", async (fate) => {
  for (let at = 1; at <= 10; at += 1) {
    const run = await work((step) => (step === at ? fate : "no"));
    expect(run.finalText, `step ${at}`).toContain("8 passed, 0 failed");
  }
});
