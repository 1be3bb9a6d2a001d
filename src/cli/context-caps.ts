import { estimate } from "../budget/count.ts";
import { own } from "../kernel/own.ts";
import type { ContextView } from "../ledger/context.ts";
import type { State } from "../log/state.ts";
import { budgetFileName, type Caps, type ContextBudget, defaultCaps } from "../workspace/context-budget.ts";
import { faultLines } from "../workspace/context-caps.ts";
import { printable } from "./terminal.ts";

/** A cap beside what is used of it now; `used` is null where nothing of the kind is in the prompt. */
export type CapRow = {
  readonly what: string;
  readonly cap: number;
  readonly unit: "tokens" | "rounds" | "percent";
  readonly used: number | null;
  readonly from: "file" | "default";
};

/** Every cap against its use: the largest return of the kind, the whole prompt, the rounds in it, the newest rolling summary. */
export function capRows(view: ContextView, state: State, budget: ContextBudget | null): readonly CapRow[] {
  const caps = budget?.caps ?? defaultCaps;
  const from = (key: string): CapRow["from"] => (own(budget?.rows ?? {}, key) === undefined ? "default" : "file");
  const row = (key: string, unit: CapRow["unit"], cap: number, used: number | null, what = key): CapRow => ({
    ...{ what, cap, unit, used },
    from: from(key),
  });
  const results = view.items.filter(({ category }) => category === "tool results");
  const of = (is: (tool: string) => boolean) => largest(results.filter(({ tool }) => is(tool ?? "")));
  const hasOwn = (tool: string) => Object.hasOwn(caps.tools, tool) || serverOf(tool, caps) !== null;
  const pieces = state.live.flatMap((piece) => (piece.role === "user" ? [piece.kind] : []));
  const rounds = pieces.filter((kind) => kind === "message").length;
  const share = Math.round((view.usedTokens * 1_000) / Math.max(1, view.window.windowTokens)) / 10;
  const toolsOwn = Object.entries(caps.tools).map(([name, cap]) => {
    const used = of((tool) => tool === name);
    return row(`tools ${name}`, "tokens", cap, used, name);
  });
  const serversOwn = Object.entries(caps.servers).map(([name, cap]) => {
    const used = of((tool) => !Object.hasOwn(caps.tools, tool) && serverOf(tool, caps) === name);
    return row(`servers ${name}`, "tokens", cap, used, `server ${name}`);
  });
  const returned = of((tool) => tool !== "Read" && !hasOwn(tool));
  const ranged = of((tool) => tool === "Read" && !hasOwn(tool));
  return [
    row("tool return", "tokens", caps.returnTokens, returned),
    row("named range", "tokens", caps.rangeTokens, ranged),
    row("window", "rounds", caps.windowRounds, rounds),
    row("summary", "tokens", caps.summaryTokens, summaryTokens(state)),
    ...(caps.totalPercent === null ? [] : [row("total", "percent", caps.totalPercent, share)]),
    ...toolsOwn,
    ...serversOwn,
  ];
}

/** Of the newest rolling summary, where it stands in the log itself. */
function summaryTokens({ rolling: { made } }: State): number | null {
  return typeof made?.text === "string" ? estimate(made.text) : null;
}

export function capsText(rows: readonly CapRow[], budget: ContextBudget | null): string {
  const head = budget === null ? `Caps (the usual ones; ${budgetFileName} sets others)` : `Caps (${budgetFileName})`;
  const lines = rows.map(({ what, cap, unit, used }) => {
    const most = `${cap.toLocaleString("en-US")}${signs[unit]}`;
    return `  ${printable(what).padEnd(24)}${most.padStart(12)}   ${used === null ? "-" : used.toLocaleString("en-US")}`;
  });
  return `\n${[head, ...lines, ...faultLines(budget).map(printable)].join("\n")}\n`;
}

const signs: Readonly<Record<CapRow["unit"], string>> = { tokens: " tokens", rounds: " rounds", percent: " %" };

function serverOf(tool: string, { servers }: Caps): string | null {
  const server = /^mcp__(.+?)__/.exec(tool)?.[1];
  return server !== undefined && Object.hasOwn(servers, server) ? server : null;
}

function largest(items: readonly { readonly tokens: number }[]): number | null {
  return items.length === 0 ? null : Math.max(...items.map(({ tokens }) => tokens));
}
