import { estimate } from "../budget/count.ts";
import type { Item } from "../import/transcript.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import { plainRules } from "../replay/plain.ts";
import { computeProbes } from "../replay/probes.ts";
import { record } from "../replay/record.ts";
import type { Recording } from "../replay/recording.ts";
import { type Replayed, replay } from "../replay/replay.ts";
import { costOf } from "../replay/report.ts";
import type { Strategy } from "../replay/strategy.ts";
import { varveStrategies } from "../replay/varve.ts";
import type { VarveEstimate } from "./report.ts";

/** What one session's main line cost in a replay, append-only and with Varve, in plain input tokens. */
export type VarveTrial = { readonly plain: number; readonly varve: number };

/** null: a session without reported prompts, or too short to say anything. */
export async function varveTrial(session: string, items: Iterable<Item>): Promise<VarveTrial | null> {
  const tokensOf = counted();
  const recorded = record({ session, items, tokensOf });
  if (recorded.type === "no-usage" || recorded.recording.calls.length < callsMin) return null;
  const run = (strategy: Strategy) => costIn(recorded.recording, strategy, tokensOf);
  return {
    plain: await run(strategyNamed(plainRules, "none")),
    varve: await run(strategyNamed(varveStrategies, "varve")),
  };
}

/**
 * Costs of all sessions over costs of all, and how far that would go with other sessions of the kind: twice the spread
 * that leaving out one at a time shows. Of fewer than three sessions the single ones are the range.
 */
export function varveEstimate(trials: readonly VarveTrial[]): VarveEstimate | null {
  if (trials.length === 0) return null;
  const netCost = ratio(trials);
  const single = trials.map((trial) => ratio([trial]));
  const without = trials.map((_trial, at) => ratio(trials.toSpliced(at, 1)));
  const mean = without.reduce((sum, one) => sum + one, 0) / without.length;
  const squares = without.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const spread = 2 * Math.sqrt(((trials.length - 1) / trials.length) * squares);
  const isFew = trials.length < sessionsMin;
  return {
    netCost: tenth(netCost),
    low: tenth(isFew ? Math.min(...single) : Math.max(0, netCost - spread)),
    high: tenth(isFew ? Math.max(...single) : netCost + spread),
    sessions: trials.length,
    note: isFew ? `${few} ${how}` : how,
  };
}

const callsMin = 5;
const sessionsMin = 3;
const few = "So few sessions say little about others.";
const how =
  "This replays the newest sessions with what Varve does to a prompt (first forms, clearing, collapsing, folding): the recorded calls stay as they are, and what was taken away and needed later is paid for. Cache reads count 0.1, writes 1.25, answers 5 times an input token, and the cache lives five minutes; tokens are estimated.";

const terms = {
  windowTokens: 200_000,
  prices: { read: 0.1, write: 1.25, output: 5 },
  lifetimeMs: 5 * 60_000,
  handleOf: (text: string) => handleOf(hashOf(text)),
} as const;

async function costIn(recording: Recording, strategy: Strategy, tokensOf: (text: string) => number): Promise<number> {
  const replayed: Replayed = await replay({
    recording,
    probes: computeProbes(recording),
    strategy,
    terms: { ...terms, headTokens: recording.headTokens, tokensOf },
    // Nobody reads how long the steps took.
    now: () => 0,
    onCall: () => undefined,
  });
  return costOf(replayed, terms.prices);
}

/** A replay asks for the same texts at every call. */
function counted(): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const found = known.get(text) ?? estimate(text);
    known.set(text, found);
    return found;
  };
}

function strategyNamed(strategies: readonly Strategy[], name: string): Strategy {
  const found = strategies.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no strategy "${name}"`);
  return found;
}

function ratio(trials: readonly VarveTrial[]): number {
  const [plain, varve] = [
    trials.reduce((sum, one) => sum + one.plain, 0),
    trials.reduce((sum, one) => sum + one.varve, 0),
  ];
  return plain === 0 ? 100 : (varve / plain) * 100;
}

function tenth(percent: number): number {
  return Math.round(percent * 10) / 10;
}
