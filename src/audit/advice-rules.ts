import { promptTokensOf } from "../kernel/usage.ts";
import { bareFile, tokensText, usdText } from "./figures.ts";
import type { Advice, AuditTotals, Category, Example, Finding, Part } from "./report.ts";
import { type ToolKind, toolKindOf } from "./tool-names.ts";

/** An advice before its share is known. */
export type Found = Omit<Advice, "share">;

type Rule = (totals: AuditTotals) => readonly Found[];

export const adviceRules: readonly Rule[] = [
  byTool,
  byServer,
  byCategory,
  uncached,
  coldTurns,
  otherMisses,
  repeats,
  compactions,
  unusedTools,
  failures,
];

/** Results of one of a program's own tools; those of servers are advised on by server. */
function byTool({ parts }: AuditTotals): readonly Found[] {
  return parts.flatMap((part): readonly Found[] => {
    if (part.category !== "results" || part.tool === null || part.server !== null) return [];
    return [
      {
        ...sizeOf(part),
        id: `results:${part.tool}`,
        why: carriedText(part),
        ...toolAdvice[toolKindOf(part.tool, null)](part.tool),
      },
    ];
  });
}

type Todo = Pick<Advice, "todo" | "feature">;

const toolAdvice: Readonly<Record<ToolKind, (tool: string) => Todo>> = {
  shell: (tool) => ({
    todo: `have ${tool} print less: quiet flags, a failing test alone, "| tail"; write long output to a file and search it`,
    feature: "first forms: command output and test logs enter shortened, with errors, failing tests and the tail kept",
  }),
  read: (tool) => ({
    todo: `let ${tool} read ranges instead of whole files: search first, then read around the match; split very large files`,
    feature: "first forms, and folding of finished work: what is left out comes back by its handle",
  }),
  search: (tool) => ({
    todo: `narrow what ${tool} looks through (paths, file types) and let it list files before it shows lines`,
    feature: "first forms: long listings and matches enter shortened",
  }),
  web: (tool) => ({
    todo: `ask ${tool} for one page or section; have long pages read by a sub-agent that reports back`,
    feature: "first forms: of a page its article",
  }),
  agent: (tool) => ({
    todo: `tell the sub-agents of ${tool} how long their report may be`,
    feature: "folding of finished work",
  }),
  server: (tool) => ({ todo: `ask ${tool} for fewer fields or pages`, feature: "first forms" }),
  other: (tool) => ({
    todo: `look at the largest results of ${tool} below and ask for less`,
    feature: "first forms, and folding of finished work",
  }),
};

function byServer({ servers }: AuditTotals): readonly Found[] {
  return servers.map(({ server, tools, results, paidTokens, paidUsd, enteredTokens }) => ({
    id: `server:${server}`,
    what: `results of the MCP server ${server}`,
    tokens: paidTokens,
    usd: paidUsd,
    why: carriedText({ count: results, enteredTokens, paidTokens }),
    todo: `ask ${server} for fewer fields or pages (${named(tools)}); disconnect it where it is not needed`,
    feature: "first forms: JSON and tables enter shortened, with what stands out kept",
  }));
}

function byCategory({ parts }: AuditTotals): readonly Found[] {
  return parts.flatMap((part): readonly Found[] => {
    const todo = categoryAdvice[part.category];
    return todo === undefined ? [] : [{ ...sizeOf(part), id: part.category, why: carriedText(part), ...todo }];
  });
}

const categoryAdvice: Readonly<Partial<Record<Category, Todo>>> = {
  "unlogged-head": {
    todo: "it is sent with every call: disconnect MCP servers and remove skills and plugins that are not used; shorten CLAUDE.md or AGENTS.md",
    feature: "a head that never changes, so that it is read from the cache",
  },
  system: {
    todo: "shorten the system prompt: it is sent with every call",
    feature: "a head that never changes, so that it is read from the cache",
  },
  tools: { todo: "declare fewer tools, with shorter descriptions: they are sent with every call", feature: null },
  injected: {
    todo: "look at what hooks, reminders and attached files add; let hooks print nothing when all is well",
    feature: "reminders are appended once, and only when something changed",
  },
  typed: {
    todo: "name a file instead of pasting it",
    feature: "folding of finished work; the newest request stays word for word",
  },
  reasoning: { todo: "use a lower effort for simple work", feature: null },
  assistant: { todo: "ask for short answers", feature: "folding of finished work" },
  calls: {
    todo: "prefer edits of a few lines to writing whole files again; their text is carried in every later call",
    feature: "folding of finished work: one line per call",
  },
  images: {
    todo: "send images smaller or cut to what matters, and start anew once they are dealt with",
    feature: null,
  },
  output: {
    todo: "use a smaller model or a lower effort for simple work; ask for edits instead of whole files",
    feature: null,
  },
};

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
      feature: "the ledger names each cold start; finished work is folded when the cache is cold anyway",
    },
  ];
}

function otherMisses({ findings }: AuditTotals): readonly Found[] {
  return findings.misses
    .filter(({ cause }) => missAdvice[cause] !== undefined)
    .map((found) => ({
      ...findingOf(found),
      id: `miss:${found.cause}`,
      what: `cache misses: ${found.cause}`,
      tokens: found.tokens,
      why: `${times(found.count)} less was read from the cache than the call before had left there; largest: ${place(found.examples[0])}`,
      todo: missAdvice[found.cause] ?? "",
      feature: "prompts that only grow, and a ledger that names the cause of every miss",
    }));
}

const missAdvice: Readonly<Partial<Record<AuditTotals["findings"]["misses"][number]["cause"], string>>> = {
  "model-changed": "change the model between tasks instead of within one: each change writes the whole prompt again",
  "messages-changed": "go back only when it saves more than the prompt behind the cut costs",
  "tools-changed": "connect servers and load tools at the start: a change writes the whole prompt again",
  "system-changed": "keep the system prompt the same within a session",
  unknown:
    "the log does not tell why: look for clients or proxies that rewrite earlier messages, and for services that drop their cache early",
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
      feature: "folding needs no model call, and everything folded comes back exactly by its handle",
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
      feature: "first forms keep the error lines; finished failures are folded",
    },
  ];
}

function sizeOf(part: Part): Pick<Found, "what" | "tokens" | "usd"> {
  return { what: part.label, tokens: part.paidTokens, usd: part.paidUsd };
}

function findingOf({ paidTokens, usd }: Finding): Pick<Found, "tokens" | "usd"> {
  return { tokens: paidTokens, usd };
}

function carriedText(part: Pick<Part, "count" | "enteredTokens" | "paidTokens">): string {
  if (part.enteredTokens <= 0)
    return `${tokensText(part.paidTokens)} tokens in ${part.count.toLocaleString("en-US")} calls`;
  const calls = Math.max(1, Math.round(part.paidTokens / part.enteredTokens));
  return `about ${tokensText(part.enteredTokens)} tokens in ${part.count.toLocaleString("en-US")} pieces, each sent ${calls.toLocaleString("en-US")} times on average`;
}

function place(example: Example | undefined): string {
  if (example === undefined) return "none";
  const what = example.what === "" ? "" : ` ${bareFile(example.what)}`;
  const money = example.usd === null ? "" : `, ${usdText(example.usd)}`;
  return `${example.tool ?? "call"}${what}${example.count > 1 ? ` (${example.count} times)` : ""}, line ${example.line} of ${bareFile(example.file)}${money}`;
}

function named(names: readonly string[]): string {
  const shown = names.slice(0, namesShownMax).join(", ");
  return names.length > namesShownMax ? `${shown} and ${names.length - namesShownMax} more` : shown;
}

const namesShownMax = 5;

function times(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en-US")} times`;
}
