import { parseArgs } from "node:util";
import { candidatesOf } from "../src/reduction/candidates.ts";
import { tokensOf } from "../src/reduction/segment-tokens.ts";
import { counterOf } from "../src/replay/count.ts";
import type { Probe, RecordedCall } from "../src/replay/recording.ts";
import { type Line, lineOf, memoOf, segmentsOf } from "../src/replay/varve-lines.ts";
import { refused } from "./data-args.ts";
import { type ReplaySession, replayData } from "./replay-data.ts";

/**
 * How often results that were due to be cleared are asked for again, by what they would be cleared as: what `recallRisk` in
 * `reduction/clear-table.ts` is taken from. Of the even sessions, unless `--half` says otherwise. A result that a recall
 * would have brought back whole is counted each time.
 */
export async function runRisk(args: readonly string[]): Promise<object> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      half: { type: "string", default: "even" },
      json: { type: "boolean", default: false },
    },
  });
  const { data, half } = values;
  if (data === undefined) return refused("risk", "--data DIR is needed");
  const { sessions } = await replayData(data, await counterOf("chars4"));
  const looked = sessions.filter((one) => half === "all" || one.half === half);
  const kinds = Map.groupBy(looked.flatMap(dueOf), ({ kind }) => kind);
  return {
    half,
    sessions: looked.length,
    kinds: [...kinds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, due]) => {
        const asked = due.filter(({ needs }) => needs > 0).length;
        const needs = due.reduce((sum, one) => sum + one.needs, 0);
        const tokens = due.reduce((sum, { savedTokens }) => sum + savedTokens, 0);
        return {
          kind,
          due: due.length,
          asked,
          tokens,
          needs,
          needsPer1000Tokens: thousandths((needs / tokens) * 1_000),
        };
      }),
  };
}

/** A result that came to be due, by what it would be cleared as. */
type Due = { readonly kind: string; readonly savedTokens: number; needs: number };

function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function dueOf({ recording, probes }: ReplaySession): readonly Due[] {
  const needs = Map.groupBy(probes, ({ callId }) => callId);
  const due: Due[] = [];
  let lines: Line[] = [];
  let open = new Map<string, Due>();
  for (const { restart, before, answer } of recording.calls) {
    if (restart !== null) {
      lines = [];
      open = new Map();
    }
    for (const block of [...(restart?.kept ?? []), ...before]) lines.push(lineOf(block, block.text, terms));
    const pool = candidatesOf(
      segmentsOf(lines),
      memoOf(lines, tokensOf, () => false),
    ).filter((one) => one.dueSteps > 0);
    for (const { at, as, work, savedTokens } of pool) {
      const callId = lines[at]?.segment.callId;
      if (as === "input" || callId === undefined || open.has(callId)) continue;
      const one = { kind: as === "oldest" ? work : as, savedTokens, needs: 0 };
      open.set(callId, one);
      due.push(one);
    }
    const gone = new Set(pool.map(({ at }) => at));
    const shown = lines.filter((_, at) => !gone.has(at));
    for (const need of neededBy(answer, needs)) {
      if (shown.some(({ segment }) => segment.text?.includes(need.text))) continue;
      const one = open.get(need.source);
      if (one !== undefined) one.needs++;
    }
    for (const block of answer) lines.push(lineOf(block, block.text, terms));
  }
  return due;
}

function neededBy(answer: RecordedCall["answer"], needs: ReadonlyMap<string, readonly Probe[]>): readonly Probe[] {
  const calls = answer.filter(({ kind }) => kind === "tool-call");
  return calls.flatMap(({ callId }) => needs.get(callId ?? "") ?? []);
}

const terms = {
  headTokens: 0,
  windowTokens: 0,
  prices: { read: 0, write: 0, output: 0 },
  lifetimeMs: null,
  tokensOf: () => 0,
  handleOf: () => "",
} as const;
