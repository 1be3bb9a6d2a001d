import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wires } from "../src/kernel/usage.ts";
import { refused } from "./data-args.ts";
import { type NativeRun, playNative, type Way } from "./native-play.ts";
import { shown, table } from "./results-tables.ts";

const nothingElse = { clearing: "off", collapsing: "off", pointers: "off" } as const;

/** Who takes away what, and what the row is called. */
const ways: Readonly<Record<string, Way>> = {
  ours: {},
  "provider clears": { clearing: "provider" },
  "provider sums up": { summaries: "provider" },
  "provider does both": { clearing: "provider", collapsing: "off", summaries: "provider" },
  "provider sums up, nothing else": { ...nothingElse, summaries: "provider" },
  "model sums up, nothing else": { ...nothingElse, summaries: "model" },
  "fold, nothing else": { ...nothingElse, summaries: "off" },
  nothing: "off",
};

type NativeArgs = Omit<NativeRun, "folder">;
type Row = Awaited<ReturnType<typeof playNative>> & { readonly way: string };

/**
 * `bench native [--tasks N] [--window TOKENS] [--wire WIRE] [--json]`: one session of so many tasks, once each way, with a
 * brain that reads again what its request does not show. Everything is simulated: the services' rules are our simulator's.
 */
export async function runNative(args: readonly string[]): Promise<object | string> {
  const given = nativeArgs(args);
  const folder = await mkdtemp(join(tmpdir(), "varve-native-"));
  try {
    const rows: Row[] = [];
    for (const [way, reductions] of Object.entries(ways)) {
      const start = performance.now();
      rows.push({ way, ...(await playNative({ ...given, folder: join(folder, String(rows.length)) }, reductions)) });
      process.stderr.write(`native: ${way}, ${Math.round((performance.now() - start) / 1_000)} s\n`);
    }
    const result = { simulated: true, ...given, rows };
    return args.includes("--json") ? result : nativeTables(given, rows);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function nativeTables({ tasks, windowTokens, wire }: NativeArgs, rows: readonly Row[]): string {
  return [
    `Simulated: ${tasks} tasks in a window of ${windowTokens} tokens, wire ${wire}.`,
    table(
      columns.map(([name]) => name),
      rows.map((row) => columns.map(([, of]) => of(row))),
    ),
    '"nothing" has no window: results whole, nothing ever taken away. Requests are all that were sent, those for summaries too.',
  ].join("\n\n");
}

const columns: readonly (readonly [name: string, of: (row: Row) => string])[] = [
  ["way", ({ way }) => way],
  ["tasks done", ({ done }) => shown(done)],
  ["requests", ({ requests }) => shown(requests)],
  ["files read", ({ reads }) => shown(reads)],
  ["of these again", ({ again }) => shown(again)],
  ["keys given up", ({ givenUp }) => shown(givenUp)],
  ["largest prompt", ({ peakTokens }) => shown(peakTokens)],
  ["refused", ({ refused: times }) => shown(times)],
  ["overflows", ({ overflows }) => shown(overflows)],
  ["cost, $", ({ usd }) => shown(usd)],
  ["read from the cache", ({ cacheReadShare }) => shown(cacheReadShare)],
  ["misses", ({ misses }) => causesIn(misses)],
  ["tokens missed", ({ missTokens }) => shown(missTokens)],
  ["above margin", ({ aboveMargin }) => shown(aboveMargin)],
];

function causesIn(misses: Row["misses"]): string {
  return Object.entries(misses)
    .filter(([cause]) => cause !== "cold-start")
    .map(([cause, times]) => `${cause} ${times}`)
    .join(", ");
}

function nativeArgs(args: readonly string[]): NativeArgs {
  const rest = args.filter((arg) => arg !== "--json");
  let given: NativeArgs = { tasks: 40, windowTokens: 60_000, wire: "anthropic" };
  for (let at = 0; at < rest.length; at += 2) {
    const [name = "", value = ""] = rest.slice(at, at + 2);
    const wire = wires.find((one) => one === value);
    if (name === "--tasks" && Number(value) >= 2) given = { ...given, tasks: Number(value) };
    else if (name === "--window" && Number(value) >= 20_000) given = { ...given, windowTokens: Number(value) };
    else if (name === "--wire" && wire !== undefined) given = { ...given, wire };
    else refused("native", `expected --tasks N, --window TOKENS from 20000 on, --wire WIRE; got "${name} ${value}"`);
  }
  return given;
}
