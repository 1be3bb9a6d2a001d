import type { Effort, ModelChoice } from "../../log/entry.ts";

/**
 * Whether history must carry the signature of each step's first call (PROTOCOLS C.2). Names without a version
 * (`gemini-flash-latest`) stand for the newest.
 */
export function signsCalls(model: string): boolean {
  const version = versionOf(model);
  return version === null || version >= 3;
}

/** JSON of `thinkingConfig`, or null where the model takes none. From version 3 on there are levels, before it budgets. */
export function thinkingConfigOf({ model, thinking, effort, outputTokensMax }: ModelChoice): string | null {
  const version = versionOf(model);
  if (version !== null && version < 2.5) return null;
  const shown = thinking === "off" ? [] : [`"includeThoughts":true`];
  if (version !== null && version < 3) {
    const budget = budgetOf(model, thinking, outputTokensMax);
    return `{${[`"thinkingBudget":${budget}`, ...shown].join(",")}}`;
  }
  const level = effort !== null ? levels[effort] : thinking === "off" && version !== null ? "low" : null;
  const members = [...(level === null ? [] : [`"thinkingLevel":"${level}"`]), ...shown];
  return members.length === 0 ? null : `{${members.join(",")}}`;
}

/** This wire's highest level is `high`. */
const levels: Readonly<Record<Effort, string>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** The service refuses a budget outside these; a model of no row may have none. */
const budgets = [
  { part: "pro", least: 128, most: 32_768 },
  { part: "flash-lite", least: 512, most: 24_576 },
] as const;

/** -1 lets the model decide. Pro cannot be kept from thinking; 128 is its least. */
function budgetOf(model: string, thinking: ModelChoice["thinking"], outputTokensMax: number): number {
  if (thinking === "adaptive") return -1;
  if (thinking === "off") return model.includes("pro") ? 128 : 0;
  const { least, most } = budgets.find(({ part }) => model.includes(part)) ?? { least: 0, most: 24_576 };
  // Thoughts count against the output limit.
  return Math.max(least, Math.min(thinking.budgetTokens, most, outputTokensMax - 1));
}

function versionOf(model: string): number | null {
  const name = /gemini-(\d+)(?:\.(\d+))?/.exec(model.toLowerCase());
  return name === null ? null : Number(`${name[1]}.${name[2] ?? 0}`);
}
