import type { Ground } from "./permission-ground.ts";
import type { Rule } from "./rule.ts";

/**
 * The ground of a call that a hook allows: as if the user had a rule that allows its tool. So what refuses or asks stays,
 * planning stays planning, and what no such rule frees is not free.
 */
export function groundAllowedBy(ground: Ground, tool: string, allowedBy: "hook" | null): Ground {
  if (allowedBy === null) return ground;
  const rule: Rule = { kind: "allow", text: tool, file: "a hook", scope: "user", tool, spec: { type: "any" } };
  return { ...ground, rules: [...ground.rules, rule] };
}
