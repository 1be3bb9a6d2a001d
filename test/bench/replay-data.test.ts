import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { replayData } from "../../bench/replay-data.ts";
import { chars4 } from "../../src/replay/count.ts";

const own = join(import.meta.dirname, "../../bench/data/sessions");
const login = "claude-code/shop/login.jsonl";
const discount = "claude-code/shop/discount.jsonl";
const wishes = "codex/shop/wishes.jsonl";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function folderWith(rows: readonly object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "varve-replay-"));
  folders.push(folder);
  for (const session of [login, discount, wishes]) await cp(join(own, session), join(folder, "sessions", session));
  await mkdir(join(folder, "retention"));
  await writeFile(join(folder, "retention/probes.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  return folder;
}

const row = { session: login, call: "c", kind: "ident", text: "t", src: "s" };

test("a session without rows needs nothing, where others of its format have rows", async () => {
  const { sessions, leftOut } = await replayData(await folderWith([row]), chars4);
  expect(sessions.map(({ session, probes }) => [session, probes.length])).toEqual([
    [discount, 0],
    [login, 1],
  ]);
  expect(leftOut).toMatchObject([{ session: wishes, why: expect.stringContaining("no rows") }]);
});

test("without any row all sessions are replayed for their cost", async () => {
  const { sessions, leftOut } = await replayData(await folderWith([]), chars4);
  expect(sessions.map(({ session }) => session)).toEqual([discount, login, wishes]);
  expect(leftOut).toEqual([]);
});
