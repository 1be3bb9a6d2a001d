import { closeSync, openSync, writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { handleOf, hashOf } from "../src/kernel/hash.ts";
import { counterOf } from "../src/replay/count.ts";
import { type Replayed, replay } from "../src/replay/replay.ts";
import { netCost, type Prices, type SessionRun, strategyRow } from "../src/replay/report.ts";
import type { Strategy, Terms } from "../src/replay/strategy.ts";
import { traceLine } from "../src/replay/trace.ts";
import { refused } from "./data-args.ts";
import { type Lifetimes, type ReplayOptions, replayArgs } from "./replay-args.ts";
import { type ReplaySession, replayData } from "./replay-data.ts";
import { halfGaps } from "./replay-halves.ts";
import { replayStrategies } from "./replay-strategies.ts";
import { replayTable } from "./replay-table.ts";

/** Replays recorded sessions under each strategy and charges what it took away (METRICS 1). */
export async function runReplay(args: readonly string[]): Promise<object | string> {
  const parsed = replayArgs(
    args,
    replayStrategies.map(({ name }) => name),
  );
  if (parsed.type === "wrong") return refused("replay", parsed.why);
  const { options } = parsed;
  const folder = await stat(`${options.data}/sessions`).catch(() => null);
  if (folder === null || !folder.isDirectory())
    return refused("replay", `--data: ${options.data} holds no folder "sessions"`);
  const tokensOf = await counterOf(options.tokens);
  const data = await replayData(options.data, tokensOf);
  if (data.sessions.length === 0) return refused("replay", `--data: no session of ${options.data} can be replayed`);
  const chosen = replayStrategies.filter(({ name }) => options.strategies?.includes(name) ?? true);
  const runs = await runsOf(data.sessions, chosen, { options, tokensOf });
  const prices = pricesOf(options);
  const base = runs.get("none") ?? [];
  const result = {
    sessions: data.sessions.length,
    calls: base.reduce((sum, { replayed }) => sum + replayed.calls, 0),
    read: options.read,
    tokens: options.tokens,
    lifetimes: options.lifetimes,
    window: options.window,
    probes: data.probes,
    strategies: chosen.map(({ name, takesAway, note }) => ({
      ...strategyRow(name, runs.get(name) ?? [], base, prices),
      halves: halfGaps(runs.get(name) ?? [], base, prices),
      ...(takesAway === undefined ? {} : { takesAway }),
      ...(note === undefined ? {} : { note }),
    })),
    perSession: data.sessions.map((session, at) => sessionRow(session, at, runs, prices)),
    leftOut: data.leftOut,
  };
  return options.json ? result : replayTable(result);
}

type Setting = { readonly options: ReplayOptions; readonly tokensOf: (text: string) => number };
type Run = Setting & { readonly trace: number | null };

/** Append-only runs in any case: the others are measured against it. */
async function runsOf(
  sessions: readonly ReplaySession[],
  chosen: readonly Strategy[],
  setting: Setting,
): Promise<ReadonlyMap<string, readonly SessionRun[]>> {
  const trace = openTrace(setting.options.trace);
  // Counted before any strategy is timed, so that the first of them does not pay for all.
  for (const { recording } of sessions) {
    for (const { before, answer } of recording.calls)
      for (const { text } of [...before, ...answer]) setting.tokensOf(text);
  }
  const runs = new Map<string, readonly SessionRun[]>();
  for (const strategy of replayStrategies.filter((one) => one.name === "none" || chosen.includes(one))) {
    process.stderr.write(`replay: ${strategy.name}\n`);
    const run = { ...setting, trace: chosen.includes(strategy) ? trace : null };
    const done: SessionRun[] = [];
    for (const session of sessions) done.push(await sessionRun(session, strategy, run));
    runs.set(strategy.name, done);
  }
  if (trace !== null) closeSync(trace);
  return runs;
}

function openTrace(file: string | null): number | null {
  try {
    return file === null ? null : openSync(file, "w");
  } catch (error) {
    return refused("replay", `--trace: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function sessionRun(one: ReplaySession, strategy: Strategy, run: Run): Promise<SessionRun> {
  const { session, format, half, recording } = one;
  const smallWindow = recording.headTokens + smallTailTokens;
  const inWindow = (windowTokens: number, trace: number | null): Promise<Replayed> =>
    replay({
      recording,
      probes: one.probes,
      strategy,
      terms: termsOf(recording.headTokens, windowTokens, run),
      now: () => performance.now(),
      onCall: (prompt) => {
        if (trace !== null) writeSync(trace, `${traceLine(strategy.name, session, prompt)}\n`);
      },
    });
  const isSmall = run.options.window === "h32k";
  const [asked, other] = isSmall ? [smallWindow, windowTokens] : [windowTokens, smallWindow];
  const replayed = await inWindow(asked, run.trace);
  const second = strategy.knowsWindow ? await inWindow(other, null) : replayed;
  return { session, format, half, replayed, large: isSmall ? second : replayed, small: isSmall ? replayed : second };
}

const windowTokens = 200_000;
const smallTailTokens = 32_000;

function termsOf(headTokens: number, window: number, { options, tokensOf }: Run): Terms {
  return {
    headTokens,
    windowTokens: window,
    prices: pricesOf(options),
    lifetimeMs: lifetimesMs[options.lifetimes],
    tokensOf,
    handleOf: (text) => handleOf(hashOf(text)),
  };
}

const lifetimesMs: Readonly<Record<Lifetimes, number | null>> = { "5m": 300_000, "1h": 3_600_000, off: null };

/** In the price of a plain input token: writes by lifetime, output at 5 (METRICS 1). */
function pricesOf({ read, lifetimes }: ReplayOptions): Prices {
  return { read, write: lifetimes === "1h" ? 2 : 1.25, output: 5 };
}

/** `cannotFit`: calls whose new blocks alone are too large. `gaps`: calls that came when the cache had expired. `expiredTokens`: what append-only wrote again at them, and would read without lifetimes. */
function sessionRow(
  one: ReplaySession,
  at: number,
  runs: ReadonlyMap<string, readonly SessionRun[]>,
  prices: Prices,
): object {
  const base = runs.get("none")?.[at];
  const { session, format, half, recording } = one;
  return {
    session,
    format,
    half,
    calls: recording.calls.length,
    headTokens: recording.headTokens,
    probes: one.probes.length,
    unseen: base?.replayed.unseen,
    unplaced: base?.replayed.unplaced,
    gaps: base?.replayed.expiredCalls,
    restarts: recording.calls.filter(({ restart }) => restart !== null).length,
    readTokens: base?.replayed.readTokens,
    expiredTokens: base?.replayed.expiredTokens,
    promptTokens: base?.replayed.promptTokens,
    cannotFit: { "200k": base?.replayed.cannotFit.at200k, h32k: base?.replayed.cannotFit.atH32k },
    netCost: Object.fromEntries(
      [...runs].map(([name, own]) => [name, netCost(own.slice(at, at + 1), base === undefined ? [] : [base], prices)]),
    ),
  };
}
