import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createSession } from "../../src/session/create-session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";

const cwd = mkdtempSync(join(tmpdir(), "varve-library-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const open = (changes: { readonly cwd?: string; readonly stepsMax?: number } = {}) =>
  createSession({
    model: "claude-sonnet-5-5",
    endpoints: {},
    cwd,
    userFolder: null,
    home: join(cwd, ".home"),
    world: { model: scriptedModel([]), env: {} },
    ...changes,
  });

test("a workspace that is no folder is refused before anything is written", async () => {
  writeFileSync(join(cwd, "file"), "x");
  for (const wrong of ["relative", join(cwd, "absent"), join(cwd, "file"), ""])
    await expect(open({ cwd: wrong }), wrong).rejects.toThrow("expected the absolute path of a folder");
});

test("an async listener that rejects is dropped like one that throws", async () => {
  const session = await open();
  let heard = 0;
  session.listen(async () => {
    heard += 1;
    throw new Error("the screen broke");
  });
  expect(await session.prompt("go")).toMatchObject({ reason: "done" });
  const before = heard;
  expect(await session.prompt("go on")).toMatchObject({ reason: "done" });
  expect(heard).toBe(before);
  await session.close();
});

test("law 10 · a limit of no steps, or one that is no number, is refused: a turn could neither start nor end", async () => {
  for (const stepsMax of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    await expect(open({ stepsMax }), String(stepsMax)).rejects.toThrow("stepsMax: expected a whole number");
  const session = await open({ stepsMax: 1 });
  expect(await session.prompt("go")).toMatchObject({ reason: "done" });
  await session.close();
});
