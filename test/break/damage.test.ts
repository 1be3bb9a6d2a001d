import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { fileStore } from "../../src/adapters/store-file.ts";
import { laneReport } from "../../src/agent/context-of.ts";
import { brand } from "../../src/kernel/ids.ts";
import { decodeLine, encodeLine } from "../../src/log/codec.ts";
import { type Entry, type EntryBody, logFormat } from "../../src/log/entry.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, testWorld } from "../support/world.ts";

const response = (id: string): EntryBody => ({
  type: "response-received",
  request: brand("r1"),
  wire: "chat",
  model: "m",
  messageId: "x",
  blocks: [
    { type: "tool-call", callId: brand("call_1"), tool: "Read", input: "{}", wire: `{"id":"${id}","type":"function"}` },
  ],
  stop: "tool-use",
  usage: null,
  firstTokenMs: null,
  report: null,
});
const decoded = (body: EntryBody) => decodeLine(encodeLine({ seq: 1, at: 1, fence: 1, prev: "", body })).type;

test("law 4 · a line whose bytes for the provider are another call's, or no JSON, is no entry", () => {
  expect(decoded(response("call_1"))).toBe("ok");
  expect(decoded(response("call_9"))).toBe("bad");
  const text = { type: "text", text: "hi" } as const;
  expect(decoded({ ...response("call_1"), blocks: [{ ...text, wire: '"hi"' }] } as EntryBody)).toBe("ok");
  expect(decoded({ ...response("call_1"), blocks: [{ ...text, wire: '"hi' }] } as EntryBody)).toBe("bad");
});

async function* from(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

test("what fills the window can be shown of a log that lost any of its lines, and of one without its head", async () => {
  const model = scriptedModel([
    { text: "I look.", calls: [{ id: "a", tool: "look", input: {} }] },
    { text: "Seen.", promptTokens: 5_000, cachedTokens: 4_000 },
  ]);
  const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "seen ".repeat(300))] });
  const session = await world.open();
  await session.prompt("first");
  await session.prompt("second");
  const entries = await world.entries();
  const report = async (kept: readonly Entry[], getBlob: (hash: never) => Promise<string | null>) =>
    await laneReport(from(kept), { codecFor, getBlob }, { prices: {}, windowFor: () => null, now: 0 });
  const blobs = async (hash: never) => await world.fx.getBlob(hash);
  for (const left of entries.slice(1))
    await report(
      entries.filter((entry) => entry !== left),
      blobs,
    );
  expect((await report(entries, blobs)).view).not.toBeNull();
  expect((await report(entries, async () => null)).view).toBeNull();
});

test("a session is listed although its first message stands behind half a megabyte of junk", async () => {
  const root = mkdtempSync(join(tmpdir(), "varve-list-"));
  try {
    const folder = join(root, "sessions", "20261129-100000-junk0001");
    mkdirSync(folder, { recursive: true });
    const body = {
      type: "session-started",
      format: logFormat,
      session: brand<"SessionId">("20261129-100000-junk0001"),
    };
    const rest = { lane: brand<"LaneId">("main"), project: brand<"ProjectId">("p1234567"), cwd: "/w", version: "0" };
    const first = encodeLine({ seq: 1, at: 1, fence: 1, prev: "", body: { ...body, ...rest } as EntryBody });
    writeFileSync(join(folder, "main.jsonl"), `${first}\n${"a".repeat(2_000_000)}\n`);
    const found = await fileStore({ root, clock: systemClock }).log.list({ project: brand("p1234567"), limit: 9 });
    expect(found.map(({ session, title }) => [session, title])).toEqual([["20261129-100000-junk0001", ""]]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
