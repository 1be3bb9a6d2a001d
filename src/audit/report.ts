import type { Format } from "../import/transcript.ts";
import type { Usage } from "../kernel/usage.ts";

/**
 * What an audit says, as plain values that JSON can carry. Tokens are whole numbers, times milliseconds since 1970, shares
 * percent (0 to 100). `usd: null` is unknown money, never zero. Everything per block is estimated and scaled so that per
 * call the parts add up to the prompt that was reported; `usage` is exactly what was recorded.
 */
export type AuditReport = {
  /** Reading was interrupted: what follows is of the files read so far. */
  readonly partial: boolean;
  readonly totals: AuditTotals;
  /** Largest first, by the basis of the totals. */
  readonly sessions: readonly SessionAudit[];
  /** Largest block first. Blocks may overlap: a result that is repeated is also a result. */
  readonly advice: readonly Advice[];
  /** What replaying with Varve's reductions gave; filled by `withVarve`. */
  readonly varve: VarveEstimate | null;
  readonly skipped: readonly SkippedFile[];
  /** Files skipped, and files with lines that could not be read or reports that cannot be true: one each. */
  readonly warnings: number;
};

export type SkippedFile = { readonly file: string; readonly why: string };

export type AuditTotals = Sums & {
  /** What shares and ranks go by: money where most of it is known, else tokens. */
  readonly basis: "usd" | "tokens";
  readonly sessions: number;
  readonly lanes: number;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly parts: readonly Part[];
  readonly servers: readonly ServerPart[];
  readonly findings: Findings;
};

export type SessionAudit = Sums & {
  readonly file: string;
  readonly format: Format;
  readonly session: string | null;
  readonly cwd: string | null;
  readonly version: string | null;
  readonly models: readonly string[];
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly items: number;
  /** Lines that are no record, and records no reader knows. */
  readonly unreadable: number;
  readonly unknown: number;
  /** Usage reports with numbers no provider reports; their calls count as of unknown usage. */
  readonly impossibleReports: number;
  /** Main line first; sub-agents apart. The sums above hold all of them. */
  readonly lanes: readonly LaneAudit[];
  /** Lanes beyond the list, which the sums hold too. */
  readonly lanesLeftOut: number;
  readonly parts: readonly Part[];
  readonly servers: readonly ServerPart[];
  readonly findings: Findings;
  /** Of the main line, for the largest sessions of a report; null for the others. */
  readonly series: Series | null;
};

export type LaneAudit = Sums & {
  readonly lane: string;
  readonly models: readonly string[];
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  /** System prompt and tools, where the file does not hold them: estimated from the first reported prompt. */
  readonly unloggedHeadTokens: number | null;
  readonly peakPromptTokens: number;
  readonly compactions: number;
};

export type Sums = {
  readonly calls: number;
  /** Calls of these whose prompt was not reported. They are in no sum of reported tokens, nor in money. */
  readonly callsUnknown: number;
  /** Calls of these that an earlier file holds too (resumed, forked): in the session's own sums, not in the totals. */
  readonly callsCopied: number;
  readonly usage: Usage;
  /** The whole prompt, summed over calls: all of `usage` but the output. */
  readonly promptTokens: number;
  /** Of the calls whose prompt was not reported, from their texts. */
  readonly estimatedPromptTokens: number;
  readonly usageKnown: UsageKnown;
  /** The same for people. */
  readonly usageNote: string;
  readonly money: AuditMoney;
};

/** `all`: every call; `output`: answers only; `partly`: some calls; `none`: nothing was reported. */
export type UsageKnown = "all" | "output" | "partly" | "none";

export type AuditMoney = {
  /** Of the calls with a known price; null where there is none. */
  readonly usd: number | null;
  readonly promptUsd: number | null;
  readonly outputUsd: number | null;
  /** What the same calls would have cost had nothing been cached. */
  readonly uncachedUsd: number | null;
  /** Percent of all reported tokens that have a price. */
  readonly pricedShare: number;
  readonly unpricedModels: readonly string[];
};

export const categories = [
  "unlogged-head",
  "system",
  "tools",
  "typed",
  "injected",
  "summaries",
  "assistant",
  "reasoning",
  "calls",
  "results",
  "images",
  "not-in-log",
  "output",
] as const;

/**
 * `unlogged-head`: system prompt and tool declarations no file holds; `calls`: arguments of tool calls; `not-in-log`: what
 * the prompts had more than the file explains; `output`: the answers as billed, which enter later prompts as `assistant`,
 * `reasoning` and `calls`.
 */
export type Category = (typeof categories)[number];

/** One category, or the results of one tool. */
export type Part = {
  readonly category: Category;
  /** null: not of one tool. */
  readonly tool: string | null;
  readonly server: string | null;
  /** For people: `Bash results`. */
  readonly label: string;
  readonly count: number;
  /** What entered the prompts, once. 0 for `output`. */
  readonly enteredTokens: number;
  /** What was sent, summed over calls: without `output` these add up to `promptTokens` and `estimatedPromptTokens`. */
  readonly paidTokens: number;
  readonly paidUsd: number | null;
  /** Of the whole bill, by the basis of the report. */
  readonly share: number;
};

/** The results of one MCP server's tools. */
export type ServerPart = {
  readonly server: string;
  readonly tools: readonly string[];
  readonly results: number;
  readonly enteredTokens: number;
  readonly paidTokens: number;
  readonly paidUsd: number | null;
  readonly share: number;
};

/** Tokens and money of what could have been spared, or is worth knowing. Calls copied from earlier files do not count. */
export type Finding = {
  readonly count: number;
  /** Once. */
  readonly tokens: number;
  /** Summed over the calls that carried them. */
  readonly paidTokens: number;
  readonly usd: number | null;
  /** Largest first. */
  readonly examples: readonly Example[];
};

export type Example = {
  readonly file: string;
  readonly line: number;
  readonly lane: string;
  /** Number of the lane's call that first carried it, from 0; null: none did. */
  readonly call: number | null;
  readonly tool: string | null;
  /** Short and without control characters: what the call asked for, a path, a tool's name. Data from a log. */
  readonly what: string;
  readonly count: number;
  readonly tokens: number;
  readonly paidTokens: number;
  readonly usd: number | null;
};

export type Findings = {
  /** The first four never hold one result twice, and only count while the earlier copy was still in the prompt. */
  readonly rereadsUnchanged: Finding;
  /** The file was read again, and what came was another text: another part, or it had changed. */
  readonly rereadsChanged: Finding;
  /** Same tool, same arguments, equal result. */
  readonly repeatedCalls: Finding;
  /** Equal result of another call. */
  readonly repeatedResults: Finding;
  readonly failedCalls: Finding;
  readonly images: Finding;
  /** By tokens times calls. */
  readonly largestResults: readonly Example[];
  /** Idle longer than the cache lives; tokens are those written again. */
  readonly coldTurns: Finding;
  /** By cause, largest first; the cold turns are among them as `expired`. */
  readonly misses: readonly MissFinding[];
  readonly compactions: CompactionFinding;
  /** Declared, never called. */
  readonly unusedTools: Finding;
};

/** METRICS 7's list; `unknown` where the log cannot tell. */
export type AuditMissCause =
  | "cold-start"
  | "expired"
  | "model-changed"
  | "tools-changed"
  | "system-changed"
  | "messages-changed"
  | "break:compacted"
  | "break:cleared"
  | "unknown";

/** `partlyRead`: misses at which the start of the prompt was still read: something behind it had changed. */
export type MissFinding = Finding & { readonly cause: AuditMissCause; readonly partlyRead: number };

/** `tokens`: the prompts before them; `paidTokens`: those after; `usd`: what of these could not be read from the cache. */
export type CompactionFinding = Finding & {
  /** Results that came again after having been compacted away. */
  readonly reread: Finding;
};

export type Series = {
  readonly lane: string;
  /** null: nobody knows the model's window. */
  readonly windowTokens: number | null;
  /** What `tokens` of a point stand for, in order. */
  readonly parts: readonly { readonly category: Category; readonly tool: string | null; readonly label: string }[];
  /** At most 2,000; where there are more calls a point stands for several. */
  readonly points: readonly SeriesPoint[];
};

export type SeriesPoint = {
  /** Number of the lane's call, from 0. */
  readonly n: number;
  readonly at: number | null;
  /** Calls this point stands for: of one at which something happened, else of the first; `usd` and `missTokens` are sums. */
  readonly calls: number;
  readonly promptTokens: number;
  /** `estimated`: the prompt was not reported. */
  readonly from: "reported" | "estimated";
  readonly cacheReadTokens: number;
  readonly usd: number | null;
  readonly missTokens: number;
  /** By the series' parts; adds up to `promptTokens`. */
  readonly tokens: readonly number[];
  readonly event: SeriesEvent | null;
};

/** `cold`: idle longer than the cache lives; `missed`: the cache was not read for another or an unknown reason. */
export type SeriesEvent = "compacted" | "cleared" | "rewound" | "model-changed" | "cold" | "missed";

export type Advice = {
  readonly id: string;
  /** What is large: `Bash results`. */
  readonly what: string;
  readonly tokens: number;
  readonly usd: number | null;
  /** Of the whole bill, by the basis of the report. */
  readonly share: number;
  readonly why: string;
  /** In plain words, naming the tool, server or file. */
  readonly todo: string;
  /** Which part of Varve does it by itself; null: none. */
  readonly feature: string | null;
};

/** From a replay of some of these sessions: cost in percent of the recorded way, and how sure that is. */
export type VarveEstimate = {
  readonly netCost: number;
  readonly low: number;
  readonly high: number;
  readonly sessions: number;
  readonly note: string;
};

export function withVarve(report: AuditReport, varve: VarveEstimate | null): AuditReport {
  return { ...report, varve };
}
