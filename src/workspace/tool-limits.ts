import type { ToolLimits } from "../log/skill.ts";
import type { FieldReader } from "./marked-fields.ts";
import { parseRule, type Rule, type Scope } from "./rule.ts";
import { rulesIn } from "./settings.ts";

export type { ToolLimits };

/**
 * Fails closed (CASES C-095): a field that cannot be read, or is spelled so that it would have no effect, is a fault. An
 * item of `allowed-tools` that is no rule here allows nothing, which is a note; one of `disallowed-tools` is a fault.
 */
export function limitsIn(fields: FieldReader, names: readonly string[]): ToolLimits {
  for (const name of names) {
    const meant = misspelled(name);
    if (meant !== null) fields.say(name, `not a field; expected ${meant}`, "fault");
  }
  const allowed = rulesOfField("allowed-tools", fields);
  const disallowed = rulesOfField("disallowed-tools", fields) ?? [];
  for (const text of disallowed) {
    const rule = parseRule(text, { kind: "deny", ...anywhere });
    if (rule.type === "bad") fields.say("disallowed-tools", `${text}: ${rule.why}`, "fault");
  }
  if (allowed === null) return { allowed, disallowed };
  const known = allowed.filter((text) => {
    const rule = parseRule(text, { kind: "allow", ...anywhere });
    if (rule.type === "bad") fields.say("allowed-tools", `${text}: ${rule.why}; it allows nothing`, "note");
    return rule.type === "ok";
  });
  return { allowed: known, disallowed };
}

/** A blank before a parenthesis, or one that is not closed, would make a whole tool of what was meant as a part of it. */
function rulesOfField(name: string, fields: FieldReader): readonly string[] | null {
  const texts = fields.list(name, rulesIn, "fault");
  const torn = texts?.find((text) => /^[()]/.test(text));
  if (torn !== undefined) fields.say(name, `expected Tool(what) without a blank before it, found ${torn}`, "fault");
  return texts;
}

const anywhere: { readonly file: string; readonly scope: Scope } = { file: "", scope: "user" };

/** The field whose name was meant, where a limit would be lost by a letter: `allowedTools`, `allowed_tools`, `Paths`. */
function misspelled(name: string): string | null {
  const bare = bareName(name);
  if (bare === "tool") return "allowed-tools";
  return limiting.find((field) => field !== name && bareName(field) === bare) ?? null;
}

const limiting = [
  ...["allowed-tools", "disallowed-tools", "paths", "hooks", "disable-model-invocation", "user-invocable"],
];

function bareName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]/g, "")
    .replace(/s$/, "");
}

/** The rules of limits, for `file`; they were read once already. */
export function rulesOf(
  { allowed, disallowed }: ToolLimits,
  from: { readonly file: string; readonly scope: Scope },
): { readonly allowed: readonly Rule[] | null; readonly disallowed: readonly Rule[] } {
  const parsed = (texts: readonly string[], kind: "allow" | "deny") =>
    texts.flatMap((text) => {
      const rule = parseRule(text, { kind, ...from });
      return rule.type === "ok" ? [rule.rule] : [];
    });
  return { allowed: allowed === null ? null : parsed(allowed, "allow"), disallowed: parsed(disallowed, "deny") };
}
