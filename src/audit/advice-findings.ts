import { promptTokensOf } from "../kernel/usage.ts";
import { type Found, named, place, type Rule, times } from "./advice-words.ts";
import { bareFile, missCauses, tokensText } from "./figures.ts";
import type { AuditTotals, Finding } from "./report.ts";

/** What to do about what could have been spared. */
export const findingRules: readonly Rule[] = [
  uncached,
  coldTurns,
  otherMisses,
  repeats,
  compactions,
  unusedTools,
  failures,
];

/** No cache was read at all, though prompts were large enough to be cached. */
function uncached({ usage, calls, callsUnknown, money }: AuditTotals): readonly Found[] {
  const isUncached = calls - callsUnknown >= uncachedCallsMin && usage.cacheRead === 0;
  if (!isUncached || promptTokensOf(usage) === 0) return [];
  return [
    {
      id: "no-cache",
      what: "prompts without a cache",
      tokens: promptTokensOf(usage),
      usd: money.promptUsd,
      why: `no cache was read in ${calls - callsUnknown} calls: every token was paid for in full each time`,
      todo: "switch prompt caching on, or use a service that caches; keep system prompt and tools the same from call to call",
      feature: "append-only prompts with cache markers",
    },
  ];
}

const uncachedCallsMin = 10;

function coldTurns({ findings }: AuditTotals): readonly Found[] {
  const { coldTurns: found } = findings;
  if (found.count === 0) return [];
  return [
    {
      ...findingOf(found),
      id: "cold-turns",
      what: "prompts written again after a pause",
      tokens: found.tokens,
      why: `${times(found.count)} a turn began after the cache had expired; largest: ${place(found.examples[0])}`,
      todo: "before a long pause finish the task and begin the next one in a new session, or compact while the cache is warm; where pauses are usual, choose the longer cache life",
      feature: "the ledger names each cold start; finished results are cleared when the cache is cold anyway",
    },
  ];
}

function otherMisses({ findings }: AuditTotals): readonly Found[] {
  return findings.misses
    .filter(({ cause }) => missAdvice[cause] !== undefined)
    .map((found) => ({
      ...findingOf(found),
      id: `miss:${found.cause}`,
      what: `cache misses: ${missCauses[found.cause]}`,
      tokens: found.tokens,
      why: `${times(found.count)} a call read less from the cache than the call before had left there${partlyText(found.partlyRead)}; largest: ${place(found.examples[0])}`,
      todo: missAdvice[found.cause] ?? "",
      feature: "prompts that only grow, and a ledger that names the cause of every miss",
    }));
}

function partlyText(count: number): string {
  return count === 0
    ? ""
    : ` (${times(count)} the start of the prompt was still read: something behind it had changed)`;
}

const missAdvice: Readonly<Partial<Record<AuditTotals["findings"]["misses"][number]["cause"], string>>> = {
  "model-changed": "change the model between tasks instead of within one: each change writes the whole prompt again",
  "messages-changed": "go back only when it saves more than the prompt behind the cut costs",
  "tools-changed": "connect servers and load tools at the start: a change writes the whole prompt again",
  "system-changed": "keep the system prompt the same within a session",
  unknown:
    "the log does not tell why: do not switch effort, thinking or tools within a task, and look for clients or proxies that rewrite earlier messages",
};

function repeats({ findings }: AuditTotals): readonly Found[] {
  const { rereadsUnchanged, repeatedCalls, repeatedResults } = findings;
  return [
    again(
      "rereads",
      "files read again unchanged",
      rereadsUnchanged,
      (largest) => `say which files matter, and that ${largest} need not be read again while it is in the conversation`,
    ),
    again(
      "repeated-calls",
      "same calls with equal results",
      repeatedCalls,
      (largest) => `have the agent use the result it has; most often: ${largest}`,
    ),
    again(
      "repeated-results",
      "equal results of other calls",
      repeatedResults,
      (largest) => `let different commands print only what differs; most often: ${largest}`,
    ),
  ].flat();
}

function again(id: string, what: string, found: Finding, todo: (largest: string) => string): readonly Found[] {
  const [largest] = found.examples;
  if (largest === undefined) return [];
  const name = largest.what === "" ? (largest.tool ?? "the largest") : bareFile(largest.what);
  return [
    {
      ...findingOf(found),
      id,
      what,
      why: `${found.count.toLocaleString("en-US")} results (about ${tokensText(found.tokens)} tokens) were in the prompt already; largest: ${place(largest)}`,
      todo: todo(name),
      feature: "pointers: lines that are still shown are not sent again",
    },
  ];
}

function compactions({ findings }: AuditTotals): readonly Found[] {
  const { compactions: found } = findings;
  if (found.count === 0) return [];
  const { reread } = found;
  const back =
    reread.count === 0 ? "" : `, and ${reread.count} results came again (about ${tokensText(reread.tokens)} tokens)`;
  return [
    {
      id: "compactions",
      what: "prompts after compactions",
      tokens: found.paidTokens + reread.paidTokens,
      usd: found.usd === null ? null : found.usd + (reread.usd ?? 0),
      why: `${times(found.count)} the context was compacted, from ${tokensText(found.tokens / found.count)} tokens on average to ${tokensText(found.paidTokens / found.count)}${back}`,
      todo: "begin a new session per task, so that there is less to compact; name the files that must not be forgotten in CLAUDE.md or AGENTS.md",
      feature:
        "finished results are cleared and finished spans collapsed first, without a model call; all of it comes back exactly by its handle",
    },
  ];
}

function unusedTools({ findings }: AuditTotals): readonly Found[] {
  const { unusedTools: found } = findings;
  if (found.count === 0) return [];
  return [
    {
      ...findingOf(found),
      id: "unused-tools",
      what: "tools that were declared and never called",
      why: `${found.count} declarations, sent with every call; largest: ${named(found.examples.map(({ what }) => what))}`,
      todo: `take them out: ${named(found.examples.map(({ what }) => what))}`,
      feature: null,
    },
  ];
}

function failures({ findings }: AuditTotals): readonly Found[] {
  const { failedCalls: found } = findings;
  const [largest] = found.examples;
  if (largest === undefined) return [];
  return [
    {
      ...findingOf(found),
      id: "failed-calls",
      what: "results of failed calls",
      why: `${found.count.toLocaleString("en-US")} calls failed, and their output stayed; largest: ${place(largest)}`,
      todo: `tell the agent once how ${largest.tool ?? "the tool"} is to be used here (CLAUDE.md or AGENTS.md), so that it need not try`,
      feature: "first forms keep the error lines; a failure that was overcome is cleared down to them",
    },
  ];
}

function findingOf({ paidTokens, usd }: Finding): Pick<Found, "tokens" | "usd"> {
  return { tokens: paidTokens, usd };
}
