import type { ToolLimits } from "../log/skill.ts";
import { type Call, type Decision, judge } from "./permission.ts";
import type { Ground } from "./permission-ground.ts";
import type { Rule } from "./rule.ts";
import { rulesOf } from "./tool-limits.ts";

/** A skill or a command in force, with what it says of tools. */
export type Limited = {
  /** As people know it: `/commit`, `skill review`. */
  readonly name: string;
  /** Its file; of a bundled one what people are told. */
  readonly file: string;
  readonly limits: ToolLimits;
  /** Whether what it lists runs unasked, too: not before its project is trusted. */
  readonly grants: boolean;
};

/**
 * `judge`, with what skills and commands in force say of tools (M-42). What one disallows is refused. What those with a list
 * allow is all that runs; beside it stay tools that touch nothing, and reading in the workspace where a list works on files
 * without a word of reading. A list frees only what no rule of the user's refuses or asks for, and nothing that the mode refuses.
 */
export async function judgeWithin(call: Call, ground: Ground, limited: readonly Limited[]): Promise<Decision> {
  if (limited.length === 0) return await judge(call, ground);
  const named = limited.map((one) => ({ ...one, ...rulesOf(one.limits, { file: one.file, scope: "user" }) }));
  const lists = named.flatMap(({ allowed, ...one }) => (allowed === null ? [] : [{ ...one, allowed }]));
  const refusals = named.flatMap(({ disallowed }) => disallowed);
  const granted = lists.flatMap(({ allowed, grants }) => (grants ? allowed : []));
  const decision = await judge(call, { ...ground, rules: [...ground.rules, ...refusals, ...granted] });
  if (decision.type === "deny" || lists.length === 0) return decision;
  const all = lists.flatMap(({ allowed }) => allowed);
  if (await isWithin(call, { ...ground, rules: all })) return decision;
  const names = lists.map(({ name }) => name).join(" and ");
  return { type: "deny", why: `${call.tool}: allowed-tools of ${names} does not name it`, by: "rule" };
}

/** As if these rules were the only ones, in the usual mode. */
async function isWithin(call: Call, ground: Ground): Promise<boolean> {
  const { access } = call;
  if (access.type === "none" || access.type === "leave-plan") return true;
  const decision = await judge({ ...call, mode: "default" }, ground);
  if (decision.type !== "allow") return false;
  if (decision.by === "rule") return true;
  const tools = new Set(ground.rules.map(({ tool }: Rule) => tool));
  if (access.type === "command") return tools.has("Bash");
  return [...workers].some((tool) => tools.has(tool)) && ![...readers].some((tool) => tools.has(tool));
}

const readers: ReadonlySet<string> = new Set(["Read", "Grep", "Glob"]);
const workers: ReadonlySet<string> = new Set(["Bash", "Edit", "Write", "MultiEdit"]);
