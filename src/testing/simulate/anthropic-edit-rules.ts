import { isRecord } from "../../kernel/canonical.ts";
import { type Found, firstOf, type Rule, type RuleInput } from "./rule.ts";
import { listOf, recordOf, textOf } from "./value.ts";

type Edit = Readonly<Record<string, unknown>>;
/** Where the member stands, and what is wrong with it. */
type Check = (value: unknown, path: string) => string | null;

const triggerTokensMin = 50_000;

/** What the service itself takes out of a prompt, or sums up, when a threshold is reached (PROTOCOLS A.4, A.5). */
export const anthropicEditRules: readonly Rule[] = [
  {
    id: "edits-list",
    paragraph: "A.4",
    check: ({ body }) => {
      const given = body.context_management;
      if (given == null) return null;
      if (!isRecord(given)) return { message: "context_management: Input should be a valid dictionary" };
      const extra = Object.keys(given).find((name) => name !== "edits");
      if (extra !== undefined) return { message: `context_management.${extra}: Extra inputs are not permitted` };
      return given.edits === undefined || (Array.isArray(given.edits) && given.edits.every(isRecord))
        ? null
        : { message: "context_management.edits: Input should be a valid list" };
    },
  },
  {
    id: "edit-type",
    paragraph: "A.4",
    check: (input) =>
      firstOf(editsIn(input), ({ type }, at) =>
        Object.hasOwn(kinds, textOf(type))
          ? null
          : `${pathOf(at)}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${Object.keys(kinds).join(", ")}`,
      ),
  },
  {
    id: "edit-header",
    paragraph: "A.5",
    check: (input) =>
      firstOf(editsIn(input), ({ type }, at) => {
        const beta = kinds[textOf(type)]?.beta ?? "";
        return (input.headers["anthropic-beta"] ?? "").includes(beta)
          ? null
          : `${pathOf(at)}: ${String(type)} needs the beta ${beta}`;
      }),
  },
  {
    id: "edit-order",
    paragraph: "A.4",
    check: (input) => {
      const at = editsIn(input).findLastIndex(({ type }) => type === "clear_thinking_20251015");
      return at > 0 ? { message: `${pathOf(at)}: clear_thinking_20251015 must be the first of the edits` } : null;
    },
  },
  { id: "edit-field", paragraph: "A.4", check: (input) => firstOf(editsIn(input), badField) },
];

function editsIn({ body }: RuleInput): readonly Edit[] {
  return listOf(recordOf(body.context_management).edits).map(recordOf);
}

const typed =
  (types: readonly string[], min: number): Check =>
  (value, path) => {
    const { type, value: amount, ...rest } = recordOf(value);
    if (!types.includes(textOf(type)))
      return `${path}.type: Input should be ${types.map((one) => `'${one}'`).join(" or ")}`;
    if (typeof amount !== "number" || !Number.isInteger(amount) || amount < min)
      return `${path}.value: Input should be a whole number greater than or equal to ${min}`;
    const [extra] = Object.keys(rest);
    return extra === undefined ? null : `${path}.${extra}: Extra inputs are not permitted`;
  };
const names: Check = (value, path) =>
  Array.isArray(value) && value.every((one) => typeof one === "string")
    ? null
    : `${path}: Input should be a list of names`;
const orNull =
  (check: Check): Check =>
  (value, path) =>
    value === null ? null : check(value, path);
const keptTurns: Check = (value, path) =>
  value === "all" || recordOf(value).type === "all" ? null : typed(["thinking_turns"], 1)(value, path);

/** Each kind of edit: its beta, and what its members may be. */
const kinds: Readonly<Record<string, { readonly beta: string; readonly members: Readonly<Record<string, Check>> }>> = {
  clear_thinking_20251015: { beta: "context-management-2025-06-27", members: { keep: keptTurns } },
  clear_tool_uses_20250919: {
    beta: "context-management-2025-06-27",
    members: {
      trigger: typed(["input_tokens", "tool_uses"], 1),
      keep: typed(["tool_uses"], 0),
      clear_at_least: orNull(typed(["input_tokens"], 1)),
      exclude_tools: orNull(names),
      clear_tool_inputs: orNull((value, path) => (typeof value === "boolean" ? null : names(value, path))),
    },
  },
  compact_20260112: {
    beta: "compact-2026-01-12",
    members: {
      trigger: orNull(typed(["input_tokens"], triggerTokensMin)),
      pause_after_compaction: (value, path) =>
        typeof value === "boolean" ? null : `${path}: Input should be a valid boolean`,
      instructions: orNull((value, path) =>
        typeof value === "string" ? null : `${path}: Input should be a valid string`,
      ),
    },
  },
};

function badField(edit: Edit, at: number): Found | null {
  const members = kinds[textOf(edit.type)]?.members ?? {};
  return firstOf(Object.entries(edit), ([name, value]) => {
    if (name === "type") return null;
    const path = `${pathOf(at)}.${name}`;
    const check = Object.hasOwn(members, name) ? members[name] : undefined;
    return check === undefined ? `${path}: Extra inputs are not permitted` : check(value, path);
  });
}

function pathOf(at: number): string {
  return `context_management.edits.${at}`;
}
