import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { bounds } from "../kernel/bounds.ts";
import type { Observation } from "../prompt/context.ts";
import { budgetFileName, type ContextBudget, parseContextBudget } from "../workspace/context-budget.ts";
import { capsLine } from "../workspace/context-caps.ts";

/** A project's `context-budget.md`, as it was when it was last looked at; `now` is null where there is none. */
export type BudgetFile = {
  look(): Promise<Observation>;
  now(): ContextBudget | null;
};

/** `tools` may be known only later: they are asked for at each look. */
export function budgetFile(cwd: string, tools: () => readonly string[]): BudgetFile {
  let budget: ContextBudget | null = null;
  return {
    async look() {
      const text = await textOf(join(cwd, budgetFileName));
      budget = text === null ? null : parseContextBudget(text, tools());
      return { key: "context budget", text: budget === null ? "" : capsLine(budget) };
    },
    now: () => budget,
  };
}

/** null where there is no such file, or none that can be read: then the defaults hold. One that is no file is not waited for. */
async function textOf(path: string): Promise<string | null> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return null;
    // Longer ones are refused by the parser, by their beginning.
    return found.size > 4 * bounds.contextBudgetCharsMax
      ? " ".repeat(bounds.contextBudgetCharsMax + 1)
      : await readFile(path, "utf8");
  } catch {
    // Gone, or not ours to read: both are "no budget here".
    return null;
  }
}
