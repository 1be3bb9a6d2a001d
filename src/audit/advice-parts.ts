import { type Found, named, type Rule, times } from "./advice-words.ts";
import { plural, tokensText } from "./figures.ts";
import type { Advice, AuditTotals, Category, Part } from "./report.ts";
import { type ToolKind, toolKindOf } from "./tool-names.ts";

/** What to do about what fills the prompts. */
export const partRules: readonly Rule[] = [byTool, byServer, byCategory];

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
    todo: `have ${tool} fetch ranges instead of whole files: search first, then read around the match; split very large files`,
    feature: "first forms, and clearing of finished results: what is left out comes back by its handle",
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
    feature: "clearing of finished results",
  }),
  server: (tool) => ({ todo: `ask ${tool} for fewer fields or pages`, feature: "first forms" }),
  other: (tool) => ({
    todo: `look at the largest results of ${tool} and ask for less`,
    feature: "first forms, and clearing of finished results",
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
    feature: "clearing of large inputs once their work is done; folding to one line per call when the window fills",
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

function sizeOf(part: Part): Pick<Found, "what" | "tokens" | "usd"> {
  return { what: part.label, tokens: part.paidTokens, usd: part.paidUsd };
}

function carriedText(part: Pick<Part, "count" | "enteredTokens" | "paidTokens">): string {
  if (part.enteredTokens <= 0) return `${tokensText(part.paidTokens)} tokens in ${plural(part.count, "call")}`;
  const calls = Math.max(1, Math.round(part.paidTokens / part.enteredTokens));
  return `about ${tokensText(part.enteredTokens)} tokens in ${plural(part.count, "piece")}, each sent ${times(calls)} on average`;
}
