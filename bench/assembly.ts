import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playAssembly } from "./assembly-play.ts";
import { refused } from "./data-args.ts";
import { shown, table } from "./results-tables.ts";

type Row = Awaited<ReturnType<typeof playAssembly>>;

/**
 * `bench assembly [--history TOKENS] [--json]`: `/commit` behind a long history in both assembly modes, what it cost by the
 * ledger, and what the turn behind it did. Everything is simulated.
 */
export async function runAssembly(args: readonly string[]): Promise<object | string> {
  const historyTokens = historyIn(args);
  const folder = await mkdtemp(join(tmpdir(), "varve-assembly-"));
  try {
    const rows = [
      await playAssembly({ historyTokens, folder: join(folder, "append") }, "append"),
      await playAssembly({ historyTokens, folder: join(folder, "boundary") }, "boundary"),
    ];
    return args.includes("--json") ? { simulated: true, historyTokens, rows } : tables(historyTokens, rows);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function tables(historyTokens: number, rows: readonly Row[]): string {
  return [
    `Simulated: /commit behind a history of about ${shown(historyTokens)} tokens, no reductions, one window for both.`,
    table(
      columns.map(([name]) => name),
      rows.map((row) => columns.map(([, of]) => of(row))),
    ),
    "append: the text of /commit joins the conversation. boundary: it stands in a section of the system prompt while its turn lasts; to come and to leave are breaks.",
  ].join("\n\n");
}

const columns: readonly (readonly [name: string, of: (row: Row) => string])[] = [
  ["assembly", ({ assembly }) => assembly],
  ["history", (row) => shown(row.historyTokens)],
  ["/commit, requests", ({ commit }) => shown(commit.requests)],
  ["/commit, $", ({ commit }) => shown(commit.usd)],
  ["read from the cache", ({ commit }) => shown(commit.cacheReadTokens)],
  ["written to it", ({ commit }) => shown(commit.cacheWriteTokens)],
  ["breaks", ({ commit }) => commit.breaks.join(", ") || "none"],
  ["next turn, $", ({ next }) => shown(next.usd)],
  ["its breaks", ({ next }) => next.breaks.join(", ") || "none"],
];

function historyIn(args: readonly string[]): number {
  const rest = args.filter((arg) => arg !== "--json");
  const [name, value = ""] = rest;
  if (name === undefined) return 150_000;
  const tokens = Number(value);
  if (name !== "--history" || rest.length !== 2 || !(tokens >= 7_000 && tokens <= 400_000))
    return refused("assembly", `expected --history TOKENS (7000 to 400000) and --json; got "${rest.join(" ")}"`);
  return tokens;
}
