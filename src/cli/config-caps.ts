import { join } from "node:path";
import { budgetFile } from "../adapters/context-budget.ts";
import { own } from "../kernel/own.ts";
import { budgetFileName, type ContextBudget, defaultCaps } from "../workspace/context-budget.ts";
import { faultLines } from "../workspace/context-caps.ts";
import { knownTools } from "../workspace/rule.ts";
import { type ConfigRow, usual } from "./config-row.ts";

/** As `context-budget.md` stands on disk now. `faults`: rows of it that nothing is made of. */
export async function readCaps(
  cwd: string,
): Promise<{ readonly rows: readonly ConfigRow[]; readonly faults: readonly string[] }> {
  const file = budgetFile(cwd, () => [...knownTools]);
  await file.look();
  return { rows: capsRows(file.now(), join(cwd, budgetFileName)), faults: faultLines(file.now()) };
}

/** The project's caps, each with the line of its file that says it. */
export function capsRows(budget: ContextBudget | null, path: string): readonly ConfigRow[] {
  const caps = budget?.caps ?? defaultCaps;
  const row = (key: string, name: string, value: number | null): ConfigRow => {
    const line = own(budget?.rows ?? {}, name);
    return { key: `caps.${key}`, value, from: line === undefined ? usual : `${path}:${line}` };
  };
  const named = (type: "tools" | "servers") =>
    Object.entries(caps[type]).map(([name, tokens]) => row(`${type}.${name}`, `${type} ${name}`, tokens));
  return [
    row("toolReturn", "tool return", caps.returnTokens),
    row("namedRange", "named range", caps.rangeTokens),
    row("window", "window", caps.windowRounds),
    row("summary", "summary", caps.summaryTokens),
    row("totalPercent", "total", caps.totalPercent),
    ...named("tools"),
    ...named("servers"),
  ];
}
