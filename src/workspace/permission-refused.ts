import { bounds } from "../kernel/bounds.ts";
import { absolutePath } from "./path.ts";
import type { Ground } from "./permission-ground.ts";
import { firstForPath } from "./permission-rules.ts";
import { type Rule, type RuleKind, ruleName } from "./rule.ts";
import { matchesCommand } from "./rule-command.ts";
import { type Part, type Script, scriptOf } from "./shell-parts.ts";
import type { ShellWord } from "./shell-word.ts";
import { reshaping, shells, starters, unwrapped } from "./shell-wrappers.ts";

/**
 * The first deny or ask rule that a script touches. Looked for widely: in every simple command, behind everything that
 * starts another program, in texts for another shell, with and without quotes, folders and git's own options; and in
 * words that name a path which must not be read. What a program is told in other ways cannot be seen (docs/permissions.md).
 */
export async function firstForScript(
  kind: "deny" | "ask",
  script: Script,
  command: string,
  ground: Ground,
): Promise<Rule | null> {
  const reached = await scriptsIn(script, command);
  const texts = reached.flatMap((one) =>
    one.type === "parsed" ? one.script.parts.flatMap(spelledCommands) : [one.text],
  );
  const named = ground.rules.find((rule) => rule.kind === kind && rule.spec.type === "command" && touches(rule, texts));
  if (named !== undefined) return named;
  for (const one of reached) {
    const rule = one.type === "parsed" ? await firstForPaths(kind, one.script, ground) : null;
    if (rule !== null) return rule;
  }
  return null;
}

/** Why rules that refuse commands cannot be compared with this one; null: they can, or there are none. */
export async function uncheckable(script: Script, command: string, rules: readonly Rule[]): Promise<string | null> {
  if (!rules.some(({ kind, spec }) => kind !== "allow" && spec.type === "command")) return null;
  if (script.type === "unreadable") return script.why;
  const given: readonly Reached[] = script.parts.some(runsTexts)
    ? await scriptsIn(script, command)
    : [{ type: "parsed", script }];
  for (const one of given) {
    const parts = one.type === "parsed" ? one.script.parts : [];
    const hidden = parts.find(({ words: [name] }) => name !== undefined && name.value === null);
    if (hidden !== undefined) return `the command's name is not plain text: ${hidden.words[0]?.text}`;
  }
  return null;
}

function touches(rule: Rule, texts: readonly string[]): boolean {
  const { spec } = rule;
  return (
    rule.tool === "Bash" &&
    spec.type === "command" &&
    texts.some((text) => text === tooDeep || matchesCommand(spec.pattern, text))
  );
}

/** Stands for commands in commands that were not looked into: they may be any, so every rule is taken to name them. */
const tooDeep = "\0";

type Parsed = Extract<Script, { readonly type: "parsed" }>;
type Reached = { readonly type: "parsed"; readonly script: Parsed } | { readonly type: "text"; readonly text: string };

/** The script itself, and texts in it that another shell may be given. */
async function scriptsIn(script: Script, command: string, depth = 0): Promise<readonly Reached[]> {
  if (depth > bounds.shellNestingMax) return [{ type: "text", text: tooDeep }];
  if (script.type === "unreadable") return [{ type: "text", text: command.trim() }];
  const found: Reached[] = [{ type: "parsed", script }];
  // Where another shell is started, any text may reach it: as an argument, through a pipe, in a here-document.
  if (!script.parts.some(startsOther)) return found;
  for (const text of new Set([...script.parts.flatMap(textsOf), ...script.texts]))
    found.push(...(await scriptsIn(await scriptOf(text), text, depth + 1)));
  return found;
}

function textsOf({ words }: Part): readonly string[] {
  // A text that is not known whole is still a text: what it makes a command's name of cannot be compared.
  const values = words.map(({ value, text }) => value ?? text.replace(/^"(.*)"$/s, "$1"));
  const [name = "", ...args] = values;
  const joined = /^(?:eval|echo|printf)$/.test(name) ? [args.join(" ")] : [];
  const aliased = name === "alias" ? args.map((arg) => arg.replace(/^[^=]*=/, "")) : [];
  const program = name.slice(name.lastIndexOf("/") + 1);
  const runs = shells.has(program) || name === "trap";
  const open = args.filter((arg, at) => (runs && words[at + 1]?.value === null) || /[\s;&|]/.test(arg));
  return [...joined, ...aliased, ...open];
}

/** Whether words or the standard input are commands to it: `bash -c text`, `bash`, `eval text`, not `bash file`. */
function runsTexts({ words: [first, ...args] }: Part): boolean {
  const name = first?.value ?? "";
  if (/^(?:eval|trap|alias)$/.test(name)) return true;
  if (/^(?:source|\.)$/.test(name)) return args[0]?.value === null;
  const isShell = shells.has(name.slice(name.lastIndexOf("/") + 1));
  return isShell && (args.some(({ text }) => /^-\w*c$/.test(text)) || args.every(({ text }) => text.startsWith("-")));
}

function spelledCommands(part: Part): readonly string[] {
  const values = part.words.map(({ value, text }) => value ?? text);
  const written = part.words.map(({ text }) => text).join(" ");
  return [written, ...spellings(values), ...innerCommands(part, values).flatMap(spellings)];
}

function startsOther({ words: [name] }: Part): boolean {
  const value = name?.value ?? "";
  const program = value.slice(value.lastIndexOf("/") + 1);
  return starters.has(program) || reshaping.has(program);
}

function spellings(values: readonly string[]): readonly string[] {
  const [name = "", ...args] = values;
  const bare = [name.slice(name.lastIndexOf("/") + 1), ...args];
  const list = [values, bare, ...(bare[0] === "git" ? [["git", ...gitCommandOf(args)]] : [])];
  return list.map((words) => words.join(" "));
}

/** `-C dir -c a=b --git-dir=x push` is a push. */
function gitCommandOf(args: readonly string[]): readonly string[] {
  let at = 0;
  for (let arg = args[at]; arg?.startsWith("-") === true; arg = args[at])
    at += /^(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|config-env|attr-source|super-prefix))$/.test(arg)
      ? 2
      : 1;
  return args.slice(at);
}

/** Behind a wrapper that is understood stands one command; behind any other starter it may begin at any word. */
function innerCommands(part: Part, values: readonly string[]): readonly (readonly string[])[] {
  const [name = ""] = values;
  if (!starters.has(name.slice(name.lastIndexOf("/") + 1))) return [];
  const inner = unwrapped(part);
  const innerValues = inner?.words.map(({ value, text }) => value ?? text) ?? [];
  if (inner !== null && !starters.has(innerValues[0] ?? "")) return [innerValues];
  return values.slice(1, 1 + bounds.shellPartsMax).map((_value, at) => values.slice(at + 1));
}

async function firstForPaths(kind: RuleKind, script: Parsed, ground: Ground): Promise<Rule | null> {
  for (const { words, dir } of script.parts) {
    for (const word of words) {
      const rule = await firstForWord(kind, "read", { word, dir }, ground);
      if (rule !== null) return rule;
    }
  }
  for (const { target, dir, type } of script.redirections) {
    const rule = await firstForWord(kind, type, { word: target, dir }, ground);
    if (rule !== null) return rule;
  }
  return null;
}

type PlacedWord = { readonly word: ShellWord; readonly dir: Part["dir"] };

async function firstForWord(
  kind: RuleKind,
  touch: "read" | "write",
  { word, dir }: PlacedWord,
  ground: Ground,
): Promise<Rule | null> {
  if (!ground.rules.some((rule) => rule.kind === kind && rule.spec.type === "path")) return null;
  const cwd = (dir ?? []).reduce(absolutePath, ground.cwd);
  const spelled = unlinked(word.value ?? spelledOut(word.text, ground), cwd);
  for (const path of pathsIn(spelled)) {
    const place = await ground.boundary.place(path, cwd);
    const paths = [absolutePath(cwd, path), ...(place.type === "unusable" ? [] : [place.path])];
    const rule = firstForPath(kind, touch, paths, "Bash", ground);
    if (rule !== null) return rule;
  }
  return null;
}

/** Why rules about paths keep a command that is not known to be read-only from running unasked; null: they do not. */
export async function pathDoubt({ words, dir }: Part, ground: Ground): Promise<string | null> {
  const rules = ground.rules.filter(({ kind, spec }) => kind !== "allow" && spec.type === "path");
  const [first] = rules;
  if (first === undefined) return null;
  const open = words.find(({ value }) => value === null);
  if (open !== undefined) return `${open.text} may name a path that ${ruleName(first)} is about`;
  for (const word of words) {
    const rule = await firstForWord("deny", "write", { word, dir }, ground);
    if (rule !== null) return `it names ${word.text}, which ${ruleName(rule)} keeps from being changed`;
  }
  return null;
}

/** The system's own names for the folder a process works in, and for the whole disk: they mean the command, not us. */
function unlinked(path: string, cwd: string): string {
  return path.replace(/^\/+proc\/.*\/cwd(?=\/|$)/, cwd).replace(/^\/+proc\/.*\/root(?=\/|$)/, "");
}

/** What the shell makes of the folders that everybody writes as variables, and of quotes. */
function spelledOut(text: string, { home, cwd }: Ground): string {
  const plain = text.includes("$'") ? text.replaceAll("$'", "'").replace(charCode, fromCode) : text;
  return plain
    .replace(/['"\\]/g, "")
    .replace(/^~(?=\/|$)|\$HOME\b|\$\{HOME\}/g, home)
    .replace(/^~\+(?=\/|$)|\$PWD\b|\$\{PWD\}/g, cwd);
}

const charCode = /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|([0-7]{1,3}))/gi;

function fromCode(_all: string, hex?: string, long?: string, octal?: string): string {
  return String.fromCharCode(octal === undefined ? Number.parseInt(hex ?? long ?? "0", 16) : Number.parseInt(octal, 8));
}

/** A path may stand behind a flag (`--file=x`, `-fx`), a mark (`@x`) or a revision (`HEAD:x`). */
export function pathsIn(word: string): readonly string[] {
  const pieces = [word, ...word.split(/[=:,@{}]/)];
  const flagged = /^-[A-Za-z](.+)$/.exec(word)?.[1];
  const all = flagged === undefined ? pieces : [...pieces, flagged];
  return [...new Set(all)].filter((piece) => piece !== "" && piece !== "." && !piece.includes("\0")).slice(0, 20);
}
