import { budgetFileName, type Caps, type ContextBudget } from "./context-budget.ts";

/** How many tokens the first form of that tool's return may have. */
export function returnCap(caps: Caps, tool: string, isRange: boolean): number {
  const server = /^mcp__(.+?)__/.exec(tool)?.[1];
  const own = Object.hasOwn(caps.tools, tool) ? caps.tools[tool] : undefined;
  const served = server !== undefined && Object.hasOwn(caps.servers, server) ? caps.servers[server] : undefined;
  return own ?? served ?? (isRange ? caps.rangeTokens : caps.returnTokens);
}

/** What of the file has no effect, for people. */
export function faultLines(budget: ContextBudget | null): readonly string[] {
  return (budget?.faults ?? []).map(({ line, why }) => `${budgetFileName}, line ${line}: ${why}`);
}

/** The caps in a line, as the agent is told of them. */
export function capsLine({ caps, faults }: ContextBudget): string {
  const tokens = (name: string, count: number) => `${name} ${count.toLocaleString("en-US")} tokens`;
  const parts = [
    tokens("one tool return", caps.returnTokens),
    tokens("Read of a named range", caps.rangeTokens),
    `window ${caps.windowRounds} rounds`,
    tokens("summary", caps.summaryTokens),
    ...(caps.totalPercent === null ? [] : [`a whole request ${caps.totalPercent} % of the window`]),
    ...Object.entries(caps.tools).map(([name, count]) => tokens(name, count)),
    ...Object.entries(caps.servers).map(([name, count]) => tokens(`server ${name}`, count)),
  ];
  const lines = faults.map(({ line }) => line).join(", ");
  const unread = faults.length === 0 ? "" : ` (without effect in ${budgetFileName}: line ${lines})`;
  return `at most: ${parts.join("; ")}${unread}`;
}
