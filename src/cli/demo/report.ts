import type { LineOfDefence } from "../../audit/defence-line.ts";
import { costOf, type Money, priceOf } from "../../budget/prices.ts";
import type { Usage, Wire } from "../../kernel/usage.ts";
import type { LedgerRow } from "../../ledger/row.ts";
import type { SimRecord } from "../../testing/simulate/records.ts";
import { type EstimateReport, estimateReportOf } from "./estimate.ts";
import type { Counts } from "./sample.ts";

/** One run of a brain: what the simulator saw of it, and what our own ledger says. */
export type Run = {
  readonly model: string;
  readonly records: readonly SimRecord[];
  readonly rows: readonly LedgerRow[];
  readonly lines: readonly LineOfDefence[];
};

/** The object that `varve demo --json` prints. Every number in it comes from the simulator. */
export type DemoReport = {
  readonly simulated: true;
  readonly wire: Wire;
  readonly sample: string;
  readonly steps: number;
  readonly peakTokens: number;
  readonly window: number;
  readonly overflows: number;
  /** Cached input tokens of all input tokens, 0-1. */
  readonly cacheReadShare: number;
  /** Looks at what had been seen before and was no longer in the prompt. */
  readonly redone: number;
  readonly cost: { readonly none: number | null; readonly varve: number | null; readonly unit: Money["type"] };
  /** What each line of defence did, and its worth at our dated prices; they need not add up to `none` less `varve`. */
  readonly lines: readonly LineOfDefence[];
  readonly misses: readonly DemoMiss[];
  /** The same work with every reduction off: results whole, nothing folded. */
  readonly unmanaged: { readonly steps: number; readonly totalTokens: number; readonly overflows: number };
  /** The last request: all of it, its tool results, and the rest of its messages. */
  readonly total: { readonly tokens: number; readonly toolReturns: number; readonly history: number };
  /** The user's messages of the session, in order, and the model calls each took. */
  readonly turns: readonly DemoTurn[];
  readonly estimate: EstimateReport;
  readonly sampleTests: { readonly before: Counts; readonly after: Counts };
  readonly log: string;
};

export type DemoTurn = { readonly task: string; readonly steps: number };

/** `cause` is ours, `recorded` the simulator's. A break that we declared is named beside them: no provider can see it. */
export type DemoMiss = {
  readonly step: number;
  readonly cause: string;
  readonly recorded: string;
  readonly break: string | null;
  readonly tokens: number;
  readonly money: number | null;
};

export function reportOf(
  managed: Run,
  unmanaged: Run,
  rest: Pick<DemoReport, "wire" | "sample" | "window" | "redone" | "turns" | "sampleTests" | "log">,
): DemoReport {
  const answered = managed.records.filter(isAnswered);
  const input = sum(answered, (record) => record.promptTokens);
  const last = answered.at(-1);
  const varve = costOfRun(managed);
  return {
    simulated: true,
    wire: rest.wire,
    sample: rest.sample,
    steps: answered.length,
    peakTokens: Math.max(0, ...managed.records.map((record) => record.promptTokens)),
    window: rest.window,
    overflows: managed.records.filter((record) => record.overflow).length,
    cacheReadShare: input === 0 ? 0 : Number((sum(answered, (record) => record.readTokens) / input).toFixed(4)),
    redone: rest.redone,
    cost: { none: amountOf(costOfRun(unmanaged)), varve: amountOf(varve), unit: varve.type },
    lines: managed.lines,
    misses: missesOf(managed),
    unmanaged: {
      steps: unmanaged.records.filter(isAnswered).length,
      totalTokens: unmanaged.records.filter(isAnswered).at(-1)?.promptTokens ?? 0,
      overflows: unmanaged.records.filter((record) => record.promptTokens > rest.window).length,
    },
    total: last === undefined ? { tokens: 0, toolReturns: 0, history: 0 } : partsOf(last),
    turns: rest.turns,
    estimate: estimateReportOf(managed.rows),
    sampleTests: rest.sampleTests,
    log: rest.log,
  };
}

/** Rows and records stand in the order of sending, one each per attempt. */
function missesOf({ rows, records }: Run): readonly DemoMiss[] {
  return records.flatMap((record, at): readonly DemoMiss[] => {
    const row = rows[at];
    const miss = row === undefined || typeof row.miss === "string" ? null : row.miss;
    if (miss === null && record.missCause === null) return [];
    return [
      {
        step: row?.step ?? 0,
        cause: miss?.mechanism ?? "none",
        recorded: record.missCause ?? "none",
        break: miss?.cause.startsWith("break:") ? miss.cause.slice("break:".length) : null,
        tokens: miss?.tokens ?? record.missTokens,
        money: miss === null ? null : amountOf(miss.cost),
      },
    ];
  });
}

/** What the simulated provider would bill, at our dated prices. */
function costOfRun({ model, records }: Run): Money {
  const costs = records.filter(isAnswered).map((record) => {
    const usage = usageOf(record);
    return costOf(usage, priceOf(model, record.at, record.promptTokens));
  });
  const unknown = costs.find((cost) => cost.type !== "usd");
  if (unknown !== undefined) return unknown;
  return { type: "usd", usd: costs.reduce((total, cost) => total + (cost.type === "usd" ? cost.usd : 0), 0) };
}

function usageOf(record: SimRecord): Usage {
  const { readTokens, write5mTokens, write1hTokens, writeOtherTokens } = record;
  return {
    uncached: record.promptTokens - readTokens - write5mTokens - write1hTokens - writeOtherTokens,
    cacheRead: readTokens,
    cacheWrite5m: write5mTokens,
    cacheWrite1h: write1hTokens,
    cacheWriteOther: writeOtherTokens,
    output: record.outputTokens,
    reasoning: 0,
  };
}

/**
 * The simulator counts segments before the model's rate; the parts are scaled so that they add up to its prompt. Definitions of
 * tools that a search brought are tools, wherever they stand.
 */
function partsOf(record: SimRecord): DemoReport["total"] {
  const whole = sum(record.segments, (segment) => segment.tokens);
  const scale = whole === 0 ? 0 : record.promptTokens / whole;
  const messages = record.segments.filter(
    ({ role, path, bare }) => role !== "tools" && !path.startsWith("system") && bare === undefined,
  );
  const results = messages.filter((segment) => segment.kind === "result");
  const toolReturns = Math.round(sum(results, (segment) => segment.tokens) * scale);
  const history = Math.round(sum(messages, (segment) => segment.tokens) * scale) - toolReturns;
  return { tokens: record.promptTokens, toolReturns, history };
}

function isAnswered(record: SimRecord): boolean {
  return record.status === 200;
}

function amountOf(money: Money): number | null {
  if (money.type === "unknown") return null;
  return money.type === "usd" ? Number(money.usd.toFixed(6)) : money.tokens;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
