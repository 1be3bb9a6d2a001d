import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { noUsage } from "../../src/kernel/usage.ts";
import { chars4 } from "../../src/replay/count.ts";
import type { Block, Probe, RecordedCall } from "../../src/replay/recording.ts";
import type { Decision, Moment, Strategy, Terms } from "../../src/replay/strategy.ts";

/** A result that came before a call, and what the call's answer then asked for. */
export type Made = {
  readonly said?: string;
  readonly results?: readonly { readonly callId: string; readonly text: string; readonly tool?: string }[];
  readonly thought?: string;
  readonly asks?: readonly { readonly callId: string; readonly tool?: string; readonly input?: string }[];
  /** Minutes after the call before; 1 where nothing is said. */
  readonly minutes?: number;
  readonly restart?: "compacted";
};

export function recorded(made: readonly Made[]): readonly RecordedCall[] {
  let id = 0;
  let at = 0;
  const block = (part: Omit<Block, "id">): Block => ({ id: id++, ...part });
  return made.map(({ said, results = [], thought, asks = [], minutes = 1, restart }, n) => {
    at += minutes * 60_000;
    const before = [
      ...results.map(({ callId, text, tool = "Bash" }) =>
        block({ role: "user", kind: "tool-result", callId, tool, text }),
      ),
      ...(said === undefined ? [] : [block({ role: "user", kind: "text", callId: null, tool: null, text: said })]),
    ];
    const answer = [
      ...(thought === undefined
        ? []
        : [block({ role: "assistant", kind: "reasoning", callId: null, tool: null, text: thought })]),
      ...asks.map(({ callId, tool = "Bash", input = '{"command": "make"}' }) =>
        block({ role: "assistant", kind: "tool-call", callId, tool, text: input }),
      ),
    ];
    return {
      n,
      at,
      model: "claude-opus-4-6",
      usage: { ...noUsage, uncached: 1 },
      restart: restart === undefined ? null : { why: restart, kept: [] },
      before,
      answer,
    };
  });
}

export function terms(more: Partial<Terms> = {}): Terms {
  return {
    headTokens: 5_000,
    windowTokens: 200_000,
    prices: { read: 0.1, write: 1.25, output: 5 },
    lifetimeMs: 300_000,
    tokensOf: chars4,
    handleOf: (text) => handleOf(hashOf(text)),
    ...more,
  };
}

/** What a strategy decides at each call, with nothing recalled. */
export async function decided(
  strategy: Strategy,
  calls: readonly RecordedCall[],
  given: { readonly terms?: Terms; readonly probes?: readonly Probe[] } = {},
): Promise<readonly Decision[]> {
  const step = strategy.open(given.terms ?? terms(), { session: "s", calls, probes: given.probes ?? [] });
  const decisions: Decision[] = [];
  let live: readonly Block[] = [];
  let before: number | null = null;
  for (const call of calls) {
    const seen = call.restart === null ? live : call.restart.kept;
    const blocks = [...seen, ...call.before];
    const moment: Moment = {
      n: call.n,
      blocks,
      unseenFrom: seen.length,
      restarted: call.restart !== null,
      idleMs: before === null || call.at === null ? null : call.at - before,
    };
    decisions.push(await step(moment));
    live = [...blocks, ...call.answer];
    before = call.at;
  }
  return decisions;
}

/** A session of one call after the other, each of which asks for one result. */
export function chainOf(results: readonly string[], tool = "Bash"): readonly Made[] {
  return [
    { said: "go on", asks: [{ callId: "c0", tool }] },
    ...results.map((text, at) => ({
      results: [{ callId: `c${at}`, text, tool }],
      asks: [{ callId: `c${at + 1}`, tool }],
    })),
  ];
}

/** Lines that differ, as an output has them. */
export function linesOf(count: number, name: string): string {
  return Array.from({ length: count }, (_, at) => `${name} line ${at} says something of its own`).join("\n");
}
