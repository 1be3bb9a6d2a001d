import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Spoken } from "../../bench/data/spoken.ts";
import { claudeCode, codex, pi } from "../../bench/data/transcripts.ts";
import { ownData } from "../../bench/data-args.ts";
import { replayData } from "../../bench/replay-data.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { noUsage, promptTokensOf } from "../../src/kernel/usage.ts";

describe("the data of the repository's own", () => {
  test("stay small", async () => {
    const entries = await readdir(ownData, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_500_000);
  });

  test("every session is read, in the format whose shape it has, and its calls and tokens are those of the index", async () => {
    const { sessions, leftOut } = await replayData(ownData, (text) => text.length);
    expect(leftOut).toEqual([]);
    const lines = (await readFile(join(ownData, "sessions", "index.jsonl"), "utf8")).trim().split("\n");
    const index = lines.map((line) => {
      const parsed = parseJson(line);
      return parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    });
    const sum = (row: Record<string, unknown>) =>
      Number(row.input_tokens) + Number(row.cache_read_tokens) + Number(row.cache_write_tokens);
    expect(
      sessions.map(({ session, format, recording: { calls } }) => [
        session,
        format,
        calls.length,
        calls.reduce((total, { usage }) => total + promptTokensOf(usage), 0),
      ]),
    ).toEqual(index.map((row) => [row.file, row.format, row.usage_records, sum(row)]));
  });

  test("name no folder of the machine they were made on", async () => {
    for (const name of ["tool-outputs/outputs.jsonl", "sessions/index.jsonl"])
      expect(await readFile(join(ownData, name), "utf8")).not.toMatch(/\/(?:work|root)\//);
  });
});

describe("a session written in the shape of another program's file", () => {
  const usage = { ...noUsage, uncached: 5, cacheRead: 90, cacheWrite5m: 5, output: 7 };
  const spoken: readonly Spoken[] = [
    { at: 1_000, type: "user", text: "do it", injected: false },
    {
      at: 2_000,
      type: "answer",
      id: "m1",
      model: "sim",
      usage,
      blocks: [
        { type: "text", text: "I look" },
        { type: "call", callId: "c1", tool: "Read", input: '{"path":"a.ts"}' },
      ],
    },
    { at: 3_000, type: "result", callId: "c1", tool: "Read", text: "1\tx", failed: false },
  ];
  const about = { session: "s", cwd: "/home/dev/a" };

  test("Claude Code: a line for each block, the message's id and usage in each", () => {
    const lines = claudeCode(spoken, about).map((line) => JSON.stringify(line));
    expect(lines).toHaveLength(4);
    expect(
      lines.filter((line) => line.includes('"id":"m1"') && line.includes('"cache_read_input_tokens":90')),
    ).toHaveLength(2);
    expect(lines[2]).toContain('"input":{"file_path":"a.ts"}');
    expect(lines[3]).toContain('"tool_use_id":"c1"');
  });

  test("Codex: cached tokens are part of the input, and the totals add up", () => {
    const lines = codex([...spoken, ...spoken.slice(1)], about).map((line) => JSON.stringify(line));
    const counts = lines.filter((line) => line.includes("token_count"));
    expect(counts).toHaveLength(2);
    expect(counts[1]).toContain('"total_token_usage":{"input_tokens":200,"cached_input_tokens":180,"output_tokens":14');
  });

  test("pi: usage in parts that do not overlap", () => {
    const lines = pi(spoken, about).map((line) => JSON.stringify(line));
    expect(lines[2]).toContain('"usage":{"input":5,"output":7,"cacheRead":90,"cacheWrite":5}');
    expect(lines[2]).toContain('"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a.ts"}');
  });
});
