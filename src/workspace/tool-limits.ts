import type { ToolLimits } from "../log/skill.ts";
import { distance } from "./command-line.ts";
import type { FieldReader } from "./marked-fields.ts";
import { namesNoTool, parseRule, type Rule, type Scope } from "./rule.ts";
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
    else if (namesNoTool(rule.rule))
      fields.say("disallowed-tools", `${text}: names no tool that is known here`, "note");
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

/** The field whose name was meant, where a limit would be lost by a letter: `allowedTools`, `alowed-tools`, `Paths`, `tools`. */
function misspelled(name: string): string | null {
  // What another place holds would be taken over; YAML no longer does so.
  if (name === "<<") return "the fields themselves";
  const bare = bareName(name).slice(0, nameCharsMax);
  if (bare === "tool") return "allowed-tools";
  const near = limiting.find((field) => {
    const wanted = bareName(field);
    return distance(bare, wanted) <= (wanted.length > 5 ? 2 : 0);
  });
  return (
    near ??
    (/^(?:dis)?allow|^(?:deny|denied|forb|restrict|block)/.test(bare) ? "allowed-tools or disallowed-tools" : null)
  );
}

const nameCharsMax = 40;

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
