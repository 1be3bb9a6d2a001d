import { bounds } from "../kernel/bounds.ts";
import { type BudgetRow, type BudgetUnit, rowsOf } from "./context-budget-table.ts";

/** What a project allows its context (M-91), in tokens where nothing else is said. */
export type Caps = {
  /** First form of one tool's return. */
  readonly returnTokens: number;
  /** The same for a Read of a range that was named. */
  readonly rangeTokens: number;
  readonly windowRounds: number;
  readonly summaryTokens: number;
  /** Of the model's window, for a whole request; null: the program's own lines alone. */
  readonly totalPercent: number | null;
  /** Instead of the first two, by the name of a tool or of a server. */
  readonly tools: Readonly<Record<string, number>>;
  readonly servers: Readonly<Record<string, number>>;
};

export type BudgetFault = { readonly line: number; readonly why: string };
export type ContextBudget = {
  readonly caps: Caps;
  readonly faults: readonly BudgetFault[];
  /** Rows that hold, by what they cap, as `summary` or `tools Bash`, with their lines; the rest is usual. */
  readonly rows: Readonly<Record<string, number>>;
};

export const budgetFileName = "context-budget.md";

export const defaultCaps: Caps = {
  returnTokens: bounds.outputTokensMax,
  rangeTokens: bounds.readTokensMax,
  windowRounds: 14,
  summaryTokens: 400,
  totalPercent: null,
  tools: {},
  servers: {},
};

/**
 * Reads the tables of caps in a Markdown file. A row that is not understood is a fault that names its line, and the rest
 * holds. `tools`: names that a row may have alone; any other needs `tool` or `server` in front of it.
 */
export function parseContextBudget(text: string, tools: readonly string[]): ContextBudget {
  if (text.length > bounds.contextBudgetCharsMax)
    return only({
      line: 1,
      why: `the file has more than ${bounds.contextBudgetCharsMax} characters; none of it holds`,
    });
  const rows = rowsOf(text);
  if (rows === null) return only({ line: 1, why: "there is no table with the header | what | cap |" });
  const faults: BudgetFault[] = [];
  const seen = new Map<string, number>();
  let caps = defaultCaps;
  for (const row of rows) {
    const read = readRow(row, tools);
    if (typeof read === "string") {
      faults.push({ line: row.line, why: read });
      continue;
    }
    const before = seen.get(read.key);
    if (before !== undefined)
      faults.push({ line: row.line, why: `${read.key}: line ${before} says it already, and holds` });
    else {
      seen.set(read.key, row.line);
      caps = read.set(caps);
    }
  }
  return { caps, faults, rows: Object.fromEntries(seen) };
}

type Read = { readonly key: string; readonly set: (caps: Caps) => Caps };

/** The row as a change of the caps, or what is wrong with it. */
function readRow(row: BudgetRow, tools: readonly string[]): Read | string {
  const { what, cap } = row;
  if (what === "") return "the row names nothing";
  const kind = kinds.find(({ names }) => names.test(what));
  if (kind !== undefined) {
    const amount = amountOf(cap, kind.unit, kind);
    return typeof amount === "string" ? `${what}: ${amount}` : { key: kind.key, set: (caps) => kind.set(caps, amount) };
  }
  const named = namedOf(what, tools);
  if (named === null)
    return `"${what.slice(0, 60)}" is no row known here; there are tool return, named range, window, summary, total, a tool's name, tool NAME and server NAME`;
  const amount = amountOf(cap, "tokens", perReturn);
  if (typeof amount === "string") return `${what}: ${amount}`;
  const { type, name } = named;
  return { key: `${type} ${name}`, set: (caps) => ({ ...caps, [type]: { ...caps[type], [name]: amount } }) };
}

type Range = { readonly least: number; readonly most: number };
type Kind = Range & {
  readonly key: string;
  readonly names: RegExp;
  readonly unit: BudgetUnit;
  readonly set: (caps: Caps, amount: number) => Caps;
};

/** Below so many tokens not even the way to the rest could be said. */
const perReturn: Range = { least: 50, most: 1_000_000 };

const kinds: readonly Kind[] = [
  {
    ...{ ...perReturn, key: "tool return", unit: "tokens" },
    names: /^(?:(?:one|a|each|any) )?tool (?:return|result|output)s?$/i,
    set: (caps, returnTokens) => ({ ...caps, returnTokens }),
  },
  {
    ...{ ...perReturn, key: "named range", unit: "tokens" },
    names:
      /^(?:(?:a )?(?:read|reading) (?:of )?)?(?:a )?(?:named range|range(?: that was named)?)$|^read \(?named range\)?$/i,
    set: (caps, rangeTokens) => ({ ...caps, rangeTokens }),
  },
  {
    ...{ least: 1, most: 30, key: "window", unit: "rounds" },
    names: /^(?:the )?(?:sliding )?window(?: rounds)?$|^(?:recent )?rounds$/i,
    set: (caps, windowRounds) => ({ ...caps, windowRounds }),
  },
  {
    ...{ least: 50, most: 20_000, key: "summary", unit: "tokens" },
    names: /^(?:the )?(?:rolling )?summary$/i,
    set: (caps, summaryTokens) => ({ ...caps, summaryTokens }),
  },
  {
    ...{ least: 5, most: 100, key: "total", unit: "percent" },
    names:
      /^(?:the )?(?:total|whole)(?: (?:window|context|prompt|request))?(?: share)?$|^window share$|^share of the window$/i,
    set: (caps, totalPercent) => ({ ...caps, totalPercent }),
  },
];

function namedOf(
  what: string,
  tools: readonly string[],
): { readonly type: "tools" | "servers"; readonly name: string } | null {
  const found = /^(?:(tool|server)[: ]\s*)?([\w.*-]+)$/i.exec(what);
  const [, word, name = ""] = found ?? [];
  if (found === null) return null;
  if (word?.toLowerCase() === "server") return { type: "servers", name };
  const server = /^mcp__(.+?)(?:__\*)?$/.exec(name)?.[1];
  if (server !== undefined && !server.includes("__")) return { type: "servers", name: server };
  const isKnown = word !== undefined || server !== undefined || tools.includes(name);
  return isKnown ? { type: "tools", name } : null;
}

const units: Readonly<Record<BudgetUnit, RegExp>> = {
  tokens: /^(?:tokens?|tok)?$/i,
  rounds: /^(?:rounds?|turns?)?$/i,
  percent: /^(?:%|percent)?(?: of (?:the |its )?window)?$/i,
};

function amountOf(cap: string, unit: BudgetUnit, { least, most }: Range): number | string {
  const found = /^(\d{1,3}(?:[,_ ]\d{3})+|\d+(?:\.\d+)?)\s*(k)?\s*(\D*)$/i.exec(cap.trim());
  const expected = `expected a number of ${unit} from ${least} to ${most.toLocaleString("en-US")}`;
  if (found === null) return `${expected}, got "${cap.slice(0, 40)}"`;
  const [, digits = "", thousand, said = ""] = found;
  const amount = Number(digits.replaceAll(/[,_ ]/g, "")) * (thousand === undefined ? 1 : 1_000);
  if (!units[unit].test(said.trim()) || !Number.isInteger(amount) || amount < least || amount > most)
    return `${expected}, got "${cap.slice(0, 40)}"`;
  return amount;
}

function only(fault: BudgetFault): ContextBudget {
  return { caps: defaultCaps, faults: [fault], rows: {} };
}
