import type { AuditReport, Category, Part, Series, SeriesPoint, SessionAudit, Sums } from "../../src/audit/report.ts";
import { noUsage } from "../../src/kernel/usage.ts";

/** Reports made by hand, as the audit makes them, for pictures. */

const none = { count: 0, tokens: 0, paidTokens: 0, usd: null, examples: [] };

export const noFindings: SessionAudit["findings"] = {
  rereadsUnchanged: none,
  rereadsChanged: none,
  repeatedCalls: none,
  repeatedResults: none,
  failedCalls: none,
  images: none,
  largestResults: [],
  coldTurns: none,
  misses: [],
  compactions: { ...none, reread: none },
  unusedTools: none,
};

export function sums(calls: number, usd: number | null, promptTokens: number): Sums {
  return {
    calls,
    callsUnknown: 0,
    callsCopied: 0,
    usage: noUsage,
    promptTokens,
    estimatedPromptTokens: 0,
    usageKnown: "all",
    usageNote: "",
    money: {
      usd,
      promptUsd: usd,
      outputUsd: 0,
      uncachedUsd: null,
      pricedShare: usd === null ? 0 : 100,
      unpricedModels: [],
    },
  };
}

export const seriesParts: readonly {
  readonly category: Category;
  readonly tool: string | null;
  readonly label: string;
}[] = [
  { category: "unlogged-head", tool: null, label: "system prompt and tools (not logged)" },
  { category: "typed", tool: null, label: "typed by you" },
  { category: "injected", tool: null, label: "injected by the program" },
  { category: "assistant", tool: null, label: "assistant text" },
  { category: "reasoning", tool: null, label: "reasoning" },
  { category: "calls", tool: null, label: "tool calls" },
  ...["Bash", "Read", "Grep", "mcp__browser__browser_take_snapshot_of_page", "WebFetch", "Glob"].map((tool) => ({
    category: "results" as const,
    tool,
    label: `${tool} results`,
  })),
  { category: "summaries", tool: null, label: "summaries" },
];

export type Made = {
  readonly calls: number;
  readonly windowTokens?: number | null;
  readonly compactAt?: readonly number[];
  readonly coldAt?: readonly number[];
  readonly missedAt?: readonly number[];
  readonly scale?: number;
  readonly from?: "reported" | "estimated";
  readonly usd?: number | null;
  readonly names?: Partial<Pick<SessionAudit, "cwd" | "session" | "models" | "format">>;
  readonly at?: number | null;
};

/** Grows by the same steps, begins anew where it is told to. */
export function madeSession(made: Made): SessionAudit {
  const { calls, usd = 12.34, from = "reported", at = Date.UTC(2026, 2, 2, 14, 5) } = made;
  const points = pointsOf(made);
  const parts = partsOf(points, usd);
  const series: Series = { lane: "main", windowTokens: made.windowTokens ?? null, parts: seriesParts, points };
  const promptTokens = points.reduce((sum, point) => sum + point.promptTokens, 0);
  const cold = made.coldAt ?? [];
  const example = (n: number) => {
    const tokens = points[n]?.missTokens ?? 0;
    return {
      file: "f",
      line: n,
      lane: "main",
      call: n,
      tool: null,
      what: "",
      count: 1,
      tokens,
      paidTokens: tokens,
      usd: tokens * 6e-6,
    };
  };
  const examples = cold.map(example);
  const coldTokens = examples.reduce((sum, { tokens }) => sum + tokens, 0);
  const lost = { count: cold.length, tokens: coldTokens, paidTokens: coldTokens, usd: coldTokens * 6e-6, examples };
  const compactions = { ...noFindings.compactions, count: made.compactAt?.length ?? 0, tokens: 167_000, usd: 1.2 };
  return {
    ...sums(calls, usd, promptTokens),
    usageKnown: from === "reported" ? "all" : "output",
    file: "/home/u/.claude/projects/p/464878eb-4c98-430c-a91b-32b051328dfb.jsonl",
    format: "claude-code",
    session: "464878eb-4c98-430c-a91b-32b051328dfb",
    cwd: "/home/u/shop",
    version: null,
    models: ["claude-opus-4-6"],
    firstAt: at,
    lastAt: at === null ? null : at + calls * 41_000,
    items: 0,
    unreadable: 0,
    unknown: 0,
    impossibleReports: 0,
    lanes: [],
    lanesLeftOut: 0,
    parts,
    servers: [],
    findings: {
      ...noFindings,
      compactions,
      coldTurns: lost,
      misses: cold.length === 0 ? [] : [{ ...lost, cause: "expired", partlyRead: 0 }],
    },
    series,
    ...made.names,
  };
}

function pointsOf({
  calls,
  compactAt = [],
  coldAt = [],
  missedAt = [],
  scale = 1,
  from = "reported",
  at = Date.UTC(2026, 2, 2, 14, 5),
}: Made) {
  const points: SeriesPoint[] = [];
  const grow = [0, 40, 60, 90, 120, 150, 420, 380, 130, 300, 80, 30];
  let held = grow.map(() => 0);
  let summary = 0;
  for (let n = 0; n < calls; n += 1) {
    const isCompacted = compactAt.includes(n);
    if (isCompacted) {
      held = held.map((tokens, index) => (index < 3 ? tokens * 0.6 : tokens * 0.04));
      summary = 3_000 * scale;
    }
    held = held.map((tokens, index) => tokens + (grow[index] ?? 0) * scale * (1 + Math.sin(n * (index + 1))));
    held[0] = 24_000 * scale;
    const tokens = [...held, summary].map(Math.round);
    const promptTokens = tokens.reduce((sum, one) => sum + one, 0);
    const isCold = coldAt.includes(n) || isCompacted || missedAt.includes(n) || n === 0;
    points.push({
      n,
      at: at === null ? null : at + n * 41_000 + coldAt.filter((one) => one <= n).length * 3_600_000 * 5,
      calls: 1,
      promptTokens,
      from,
      cacheReadTokens: isCold ? 0 : Math.round(promptTokens * 0.97),
      usd: null,
      missTokens: n > 0 && isCold ? promptTokens : 0,
      tokens,
      event: isCompacted ? "compacted" : coldAt.includes(n) ? "cold" : missedAt.includes(n) ? "missed" : null,
    });
  }
  return points;
}

function partsOf(points: readonly SeriesPoint[], usd: number | null): readonly Part[] {
  const paid = seriesParts.map((_part, index) => points.reduce((sum, { tokens }) => sum + (tokens[index] ?? 0), 0));
  const all = paid.reduce((sum, tokens) => sum + tokens, 0) * 1.1 || 1;
  const rows = seriesParts.map((part, index) => {
    const paidTokens = paid[index] ?? 0;
    const enteredTokens = Math.max(0, ...points.map(({ tokens }) => tokens[index] ?? 0));
    const share = (100 * paidTokens) / all;
    return {
      ...part,
      server: null,
      count: 3,
      enteredTokens,
      paidTokens,
      paidUsd: usd === null ? null : (usd * share) / 100,
      share,
    };
  });
  const output = {
    category: "output" as const,
    tool: null,
    server: null,
    label: "answers (output)",
    count: points.length,
  };
  return [
    ...rows,
    { ...output, enteredTokens: 0, paidTokens: all / 11, paidUsd: usd === null ? null : usd / 11, share: 100 / 11 },
  ];
}

export function madeReport(sessions: readonly SessionAudit[], more: Partial<AuditReport> = {}): AuditReport {
  const calls = sessions.reduce((sum, one) => sum + one.calls, 0);
  const prompts = sessions.reduce((sum, one) => sum + one.promptTokens, 0);
  const priced = sessions.filter(({ money }) => money.usd !== null);
  const usd = priced.length === 0 ? null : priced.reduce((sum, { money }) => sum + (money.usd ?? 0), 0);
  return {
    partial: false,
    totals: {
      ...sums(calls, usd, prompts),
      basis: usd === null ? "tokens" : "usd",
      sessions: sessions.length,
      lanes: sessions.length,
      firstAt: sessions[0]?.firstAt ?? null,
      lastAt: sessions.at(-1)?.lastAt ?? null,
      parts: [],
      servers: [],
      findings: noFindings,
    },
    sessions,
    advice: [],
    varve: null,
    skipped: [],
    warnings: 0,
    ...more,
  };
}
