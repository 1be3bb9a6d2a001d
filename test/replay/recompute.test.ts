import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runRecompute } from "../../bench/recompute.ts";
import { runReplay } from "../../bench/replay.ts";
import { replayData } from "../../bench/replay-data.ts";
import { chars4 } from "../../src/replay/count.ts";

const own = join(import.meta.dirname, "../../bench/data");
const data = mkdtempSync(join(tmpdir(), "varve-replay-"));
const trace = join(data, "trace.jsonl");
const report = join(data, "report.json");
const flags = ["--data", data, "--tokens", "chars4", "--lifetimes", "5m", "--trace", trace];

beforeAll(async () => {
  cpSync(join(own, "sessions"), join(data, "sessions"), { recursive: true });
  mkdirSync(join(data, "retention"));
  const { sessions } = await replayData(own, chars4);
  const rows = sessions.flatMap(({ session, probes }) =>
    probes.map(({ callId, kind, text, source }) => ({ session, call: callId, kind, text, src: source })),
  );
  writeFileSync(join(data, "retention/probes.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  writeFileSync(report, JSON.stringify(await runReplay([...flags, "--json"])));
});
afterAll(() => {
  rmSync(data, { recursive: true });
});

const again = async () => {
  const result: object & { readonly differences?: readonly string[] } = await runRecompute([
    ...flags,
    "--against",
    report,
  ]);
  process.exitCode = 0;
  return result.differences;
};

test("code that shares nothing with the replay computes the same figures from the trace, for every strategy", async () => {
  expect(await again()).toEqual([]);
});

test("calls that cannot fit whatever a strategy does are listed by session", () => {
  const { perSession }: { readonly perSession: readonly { readonly cannotFit: unknown }[] } = JSON.parse(
    readFileSync(report, "utf8"),
  );
  expect(perSession.map(({ cannotFit }) => cannotFit)).toEqual(perSession.map(() => ({ "200k": [], h32k: [] })));
});

test("a trace that shows less than was charged for is found out", async () => {
  const lines = readFileSync(trace, "utf8").split("\n");
  const line = lines.find((one) => one.includes('"strategy":"none"') && one.includes('"kind":"tool-result"'));
  if (line === undefined) throw new Error("no result in the trace");
  const changed = line.replace(/("kind":"tool-result","callId":"[^"]*","text":")/, "$1x");
  writeFileSync(trace, lines.with(lines.indexOf(line), changed).join("\n"));
  expect(await again()).toContainEqual(expect.stringContaining("is not the recorded one, and names no handle"));
});
