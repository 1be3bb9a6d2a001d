import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { fileStore } from "../../src/adapters/store-file.ts";
import { makeFolder } from "../../src/adapters/store-folder.ts";
import { createSession } from "../../src/session/create-session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";

const folder = mkdtempSync(join(tmpdir(), "varve-verify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = join(import.meta.dirname, "../../src/cli/main.ts");

function verified(session: string): Promise<{ code: number | null; text: string }> {
  const env = { PATH: process.env.PATH, HOME: folder, VARVE_HOME: join(folder, "home") };
  const child = spawn(process.execPath, [program, "log", "--verify", session], { cwd: folder, env });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, text })));
}

test("law 3 · log --verify names texts beside the log that are gone or altered, and exits 1", async () => {
  const stores = fileStore({ root: join(folder, "home"), clock: systemClock });
  const work = join(folder, "work");
  mkdirSync(work);
  const model = scriptedModel([{ text: "word ".repeat(2_000) }]);
  const world = { stores, model, env: {} };
  const session = await createSession({ model: "claude-sonnet-5-5", endpoints: {}, cwd: work, world });
  await session.prompt("write");
  await session.close();
  expect(await verified(session.id)).toMatchObject({ code: 0 });
  const blobs = join(folder, "home", "sessions", session.id, "blobs");
  const paths = readdirSync(blobs, { recursive: true, encoding: "utf8" }).filter((name) => name.length > 64);
  expect(paths.length).toBeGreaterThan(1);
  writeFileSync(join(blobs, paths[0] ?? ""), "altered");
  rmSync(join(blobs, paths[1] ?? ""));
  const found = await verified(session.id);
  expect(found.code).toBe(1);
  expect(found.text).toContain("2 damaged places");
  expect(found.text.match(/missing or altered/g)).toHaveLength(2);
});

test.skipIf(!existsSync("/proc/self"))(
  "law 10 · a place where no folder can be made is a fault, not a loop",
  async () => {
    await expect(makeFolder("/proc/varve/sessions")).rejects.toThrow();
  },
);
