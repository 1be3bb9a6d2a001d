import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { TranscriptFile } from "../../src/adapters/transcript-files.ts";
import { varveEstimate } from "../../src/audit/varve-estimate.ts";
import { noProgress } from "../../src/cli/audit-progress.ts";
import { type ReplayLimits, replayNewest } from "../../src/cli/audit-varve.ts";
import { bounds } from "../../src/kernel/bounds.ts";

const folder = mkdtempSync(join(tmpdir(), "varve-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A pi session: calls that print a lot, each prompt what stood before it. */
function sessionFile(name: string, calls: number): TranscriptFile {
  const path = join(folder, `${name}.jsonl`);
  const at = (n: number) => new Date(Date.UTC(2026, 2, 4, 10, 0, n * 10)).toISOString();
  const output = Array.from({ length: 800 }, (_, n) => `${name} line ${n} of what a long build prints`).join("\n");
  const message = (n: number, value: unknown) => ({ type: "message", timestamp: at(n), message: value });
  const lines: unknown[] = [
    { type: "session", id: name, timestamp: at(0), cwd: "/home/dev/shop" },
    message(0, { role: "user", content: [{ type: "text", text: "build it" }] }),
  ];
  for (let n = 0; n < calls; n += 1) {
    const usage = { input: 100, output: 40, cacheRead: 5_000 + n * 10_000, cacheWrite: 10_000 };
    const call = { type: "toolCall", id: `${name}-${n}`, name: "bash", arguments: { command: `make ${n}` } };
    lines.push(message(2 * n + 1, { role: "assistant", model: "claude-sonnet-4-5", content: [call], usage }));
    const content = [{ type: "text", text: `${output} ${n}` }];
    lines.push(
      message(2 * n + 2, { role: "toolResult", toolCallId: call.id, toolName: "bash", content, isError: false }),
    );
  }
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return { path, root: folder, bytes: statSync(path).size, modifiedAtMs: 0, pieces: null };
}

const max: ReplayLimits = {
  sessions: bounds.auditReplaysMax,
  fileBytes: bounds.auditReplayFileBytesMax,
  bytes: bounds.auditReplayBytesMax,
  ms: bounds.auditReplayMsMax,
};

describe("what Varve would have changed", () => {
  const files = ["a", "b", "c"].map((name) => sessionFile(name, 8));
  const given = { signal: new AbortController().signal, progress: noProgress };

  test("is replayed: long outputs that nobody needed again cost less", async () => {
    const found = await replayNewest(files, given);
    expect(found).toMatchObject({ sessions: 3 });
    expect(found?.netCost).toBeLessThan(90);
    expect(found?.low).toBeLessThanOrEqual(found?.netCost ?? 0);
    expect(found?.high).toBeGreaterThanOrEqual(found?.netCost ?? 0);
  });

  test("a session that is too short, or has no usage, is not replayed", async () => {
    expect(await replayNewest([sessionFile("short", 2)], given)).toBeNull();
    expect(await replayNewest([], given)).toBeNull();
  });

  test("auditReplaysMax, auditReplayFileBytesMax, auditReplayBytesMax, auditReplayMsMax: it is bounded", async () => {
    const bytes = files[0]?.bytes ?? 0;
    const replayed = async (limits: Partial<ReplayLimits>) =>
      (await replayNewest(files, { ...given, limits: { ...max, ...limits } }))?.sessions ?? 0;
    expect(await replayed({ sessions: 2 })).toBe(2);
    expect(await replayed({ fileBytes: bytes - 1 })).toBe(0);
    expect(await replayed({ bytes: 2.5 * bytes })).toBe(2);
    expect(await replayed({ ms: -1 })).toBe(0);
  });

  test("nothing is said after an interrupt", async () => {
    expect(await replayNewest(files, { ...given, signal: AbortSignal.abort() })).toBeNull();
  });

  test("the range is what leaving out one session at a time shows; of few sessions the single ones are it", () => {
    expect(varveEstimate([])).toBeNull();
    expect(varveEstimate([{ plain: 100, varve: 120 }])).toMatchObject({
      netCost: 120,
      low: 120,
      high: 120,
      sessions: 1,
    });
    const two = [
      { plain: 100, varve: 50 },
      { plain: 300, varve: 270 },
    ];
    expect(varveEstimate(two)).toMatchObject({ netCost: 80, low: 50, high: 90 });
    const same = Array.from({ length: 5 }, () => ({ plain: 100, varve: 70 }));
    expect(varveEstimate(same)).toMatchObject({ netCost: 70, low: 70, high: 70 });
    const spread = varveEstimate([...two, ...same]);
    expect(spread?.low).toBeLessThan(spread?.netCost ?? 0);
    expect(spread?.high).toBeGreaterThan(spread?.netCost ?? 0);
  });
});
