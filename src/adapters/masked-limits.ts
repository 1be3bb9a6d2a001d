import type { ToolLimits } from "../log/skill.ts";
import type { Mask } from "../secrets/mask.ts";

/**
 * What a skill or a command says of tools, as it is kept and shown. What is allowed with a secret in it allows less than
 * it did; what is disallowed refuses more, since a rule with a mask in it would match nothing.
 */
export function maskedLimits<T extends ToolLimits>(limits: T, mask: Mask): T {
  const { allowed, disallowed } = limits;
  return {
    ...limits,
    allowed: allowed === null ? null : allowed.map(mask.text),
    disallowed: disallowed.map((rule) => withoutSecret(rule, mask)),
  };
}

/** The whole tool; where its very name holds a secret, all of them. */
function withoutSecret(rule: string, mask: Mask): string {
  if (mask.text(rule) === rule) return rule;
  const [tool = "*"] = rule.split("(");
  return mask.text(tool) === tool ? tool : "*";
}
