import type { PermissionMode } from "../log/entry.ts";
import { absolutePath } from "./path.ts";
import { literalWords, readOnlyCommand } from "./permission-command.ts";
import type { Ground } from "./permission-ground.ts";
import { guardedDoubt } from "./permission-guarded.ts";
import { pathDoubt } from "./permission-refused.ts";
import { firstForPath } from "./permission-rules.ts";
import type { Rule } from "./rule.ts";
import { type CommandPattern, matchesCommand, starMatch } from "./rule-command.ts";
import type { Part, Redirection, Script } from "./shell-parts.ts";
import { reachOf } from "./shell-reach.ts";
import type { ShellWord } from "./shell-word.ts";
import { reshaping, starters, startingByOption, unwrapped } from "./shell-wrappers.ts";

/** Whether a script may run unasked, what lets it (`rules` is empty where only the mode does), or the first thing that does not. */
export type Leave =
  | { readonly type: "may"; readonly readOnly: boolean; readonly rules: readonly Rule[] }
  | { readonly type: "must-ask"; readonly why: string };

/** Each simple command and each redirection must pass by itself (CASES C-123). */
export async function leaveFor(script: Script, mode: PermissionMode, ground: Ground): Promise<Leave> {
  if (script.type === "unreadable") return asks(script.why);
  if (script.unsure !== null) return asks(script.unsure);
  const rules = new Set<Rule>();
  let readOnly = true;
  for (const part of script.parts) {
    const leave = await leaveForPart(part, ground);
    if (leave.type === "must-ask") return leave;
    readOnly &&= leave.readOnly;
    for (const rule of leave.rules) rules.add(rule);
  }
  for (const redirection of script.redirections) {
    const leave = await leaveForRedirection(redirection, mode, ground);
    if (leave.type === "must-ask") return leave;
    readOnly &&= leave.readOnly;
    for (const rule of leave.rules) rules.add(rule);
  }
  const isIdle = readOnly && rules.size === 0 && script.parts.every(isFiller);
  return isIdle ? asks("no rule allows it") : { type: "may", readOnly, rules: [...rules] };
}

/** Free beside a command that may run; alone they do nothing that is worth a shell nobody asked for. */
function isFiller({ words: [name] }: Part): boolean {
  return ["echo", "true", "false", "cd", "set"].includes(name?.value ?? "");
}

function asks(why: string): Leave {
  return { type: "must-ask", why };
}

const harmless: Extract<Leave, { readonly type: "may" }> = { type: "may", readOnly: true, rules: [] };

async function leaveForPart(part: Part, ground: Ground): Promise<Leave> {
  const name = part.words[0];
  const shown = part.words.map(({ text }) => text).join(" ");
  if (name === undefined || part.assigns) return asks("it sets a variable");
  if (name.value === null || name.value !== name.text)
    return asks(`the command's name is not plain text: ${name.text}`);
  const reading = await readOnlyReason(part, ground);
  const covering = ground.rules.filter((one) => one.kind === "allow" && coversPart(one, part));
  if (reading === null) return isFiller(part) ? { ...harmless, rules: covering.slice(0, 1) } : harmless;
  if (setsFlags(part)) return { type: "may", readOnly: false, rules: [] };
  const inner = unwrapped(part);
  const rule = inner === null || inner === part ? null : await leaveForPart(inner, ground);
  if (rule?.type === "may") return rule;
  const [first] = covering;
  if (first === undefined) return rule ?? asks(reading === "" ? `no rule allows ${shown}` : reading);
  const doubt = (await pathDoubt(part, ground)) ?? (await guardedDoubt(part, covering, ground));
  if (doubt !== null) return asks(doubt);
  if (reading !== "" && !covering.some(knowsFolder)) return asks(reading);
  return { type: "may", readOnly: false, rules: [covering.find(knowsFolder) ?? first] };
}

/** Rules that were written, or approved, for this very folder; the user's own hold in every folder, a stranger's too. */
function knowsFolder({ scope }: Rule): boolean {
  return scope !== "user" && scope !== "managed";
}

function coversPart(rule: Rule, { words }: Part): boolean {
  if (rule.tool !== "Bash" || rule.spec.type !== "command") return false;
  const { pattern } = rule.spec;
  const name = words[0]?.value ?? "";
  const values = words.map(({ value, text }) => value ?? text);
  const program = name.slice(name.lastIndexOf("/") + 1);
  const mayTurn = ({ steady, text }: ShellWord) => !steady && !(idle.has(program) && /^[^$`{}]*$/.test(text));
  if (reshaping.has(name) || words.some(mayTurn)) return false;
  if (climbs(pattern, values)) return false;
  const written = words.map(({ text }) => text);
  if (!coversWords(pattern, written) && !coversWords(pattern, plainWords(values))) return false;
  const fixed = pattern.text.split("*", 1)[0] ?? "";
  const isOpen = starters.has(program) && !startingByOption.has(program);
  if (isOpen && !/^\S+ (?:\S* )*[^\s-]/.test(fixed)) return false;
  const reach = reachOf(values);
  return reach === null || pattern.text.includes(reach);
}

/** Programs without an option that starts another or writes: a file whose name looks like one does no harm. */
const idle: ReadonlySet<string> = new Set(
  "ls cat head tail wc grep egrep fgrep stat du cut nl comm cksum md5sum sha1sum sha256sum basename dirname".split(" "),
);

/** `./scripts/*` was written for what lies in that folder: `./scripts/../x` does not. */
function climbs({ text }: CommandPattern, values: readonly string[]): boolean {
  if (!/\/\S*\*/.test(text) || text.includes("..")) return false;
  return values.some((value) =>
    value
      .replace(/^(?:\.\.(?:\/+|$))+/, "")
      .split("/")
      .includes(".."),
  );
}

/** A `*` in the place of the command's name stands for the name alone: `* --version` is not `rm x --version`. */
function coversWords(pattern: CommandPattern, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  if (!pattern.text.startsWith("*")) return matchesCommand(pattern, words.join(" "));
  const [name = "", ...rest] = pattern.text.split(" ");
  return starMatch(name, words[0] ?? "") && starMatch(rest.join(" "), words.slice(1).join(" "));
}

/** The words without their quotes, where nobody could take one for two; none otherwise. */
function plainWords(values: readonly string[]): readonly string[] {
  return values.every((value) => /^[^\s'"\\$`]+$/.test(value)) ? values : [];
}

/** `set -e` and the like make a script stricter, nothing else. */
function setsFlags({ words }: Part): boolean {
  return words.length > 1 && words.every(({ value }, at) => setWords.test(`${at === 0 ? "" : "-"}${value ?? " "}`));
}

const setWords = /^(?:set|-[-+][eux]+|-[-+][eux]*o|-pipefail)$/;

/** null: known to change nothing, by the parser's words and by a second look at the bare text. "": simply not on that list. */
async function readOnlyReason(part: Part, ground: Ground): Promise<string | null> {
  const written = part.words.map(({ text }) => text).join(" ");
  const moved = await movesInside(part, ground);
  if (moved !== null) return moved ? null : "it is not certain that it stays in the workspace";
  const simple = readOnlyCommand(written);
  if (simple === null || !part.words.every(({ value }, at) => value === simple.words[at])) return "";
  if (part.dir === null) return "it is not certain in which folder it runs";
  const cwd = part.dir.reduce(absolutePath, ground.cwd);
  for (const operand of simple.operands) {
    const place = await ground.boundary.place(operand, cwd);
    if (place.type !== "inside" && place.type !== "guarded") return `${operand} leads outside the workspace`;
  }
  return simple.words[0] === "git" ? await ground.gitDoubt(cwd) : null;
}

/** Whether `cd` stays inside; null: it is no `cd`. */
async function movesInside({ words, dir }: Part, ground: Ground): Promise<boolean | null> {
  const [name, target, ...others] = words;
  if (name?.value !== "cd") return null;
  if (target === undefined || target.value === null || others.length > 0 || dir === null) return false;
  if (literalWords(target.text)?.length !== 1 || target.value.startsWith("-")) return false;
  const place = await ground.boundary.place(target.value, dir.reduce(absolutePath, ground.cwd));
  return place.type === "inside";
}

async function leaveForRedirection(
  { type, target, dir }: Redirection,
  mode: PermissionMode,
  ground: Ground,
): Promise<Leave> {
  const { value, text } = target;
  if (value === "/dev/null") return harmless;
  const verb = type === "write" ? "writes to" : "reads from";
  if (value === null || dir === null) return asks(`it ${verb} ${text}, and it is not certain which file that is`);
  const place = await ground.boundary.place(value, dir.reduce(absolutePath, ground.cwd));
  if (place.type === "unusable") return asks(`it ${verb} ${text}, which cannot be used: ${place.why}`);
  if (place.type === "outside") return asks(`it ${verb} ${text}, outside the workspace`);
  if (type === "read") return harmless;
  if (place.type === "guarded") return asks(`it writes to ${text}, which can start commands`);
  const rule = firstForPath("allow", "write", [place.path], "Edit", ground);
  if (rule !== null) return { type: "may", readOnly: false, rules: [rule] };
  if (mode === "acceptEdits") return { type: "may", readOnly: false, rules: [] };
  return asks(`it writes to ${text}`);
}
