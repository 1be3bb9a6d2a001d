import { bounds } from "../kernel/bounds.ts";
import { absolutePath } from "./path.ts";
import type { Ground } from "./permission-ground.ts";
import { firstForPath } from "./permission-rules.ts";
import { type Rule, type RuleKind, ruleName } from "./rule.ts";
import { matchesCommand } from "./rule-command.ts";
import { type Part, type Script, scriptOf } from "./shell-parts.ts";
import type { ShellWord } from "./shell-word.ts";
import { reshaping, starters, unwrapped } from "./shell-wrappers.ts";

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
  const texts = script.type === "parsed" ? await commandTexts(script, 0) : [command.trim()];
  const named = ground.rules.find((rule) => rule.kind === kind && rule.spec.type === "command" && touches(rule, texts));
  if (named !== undefined) return named;
  return script.type === "parsed" ? await firstForPaths(kind, script, ground) : null;
}

/** Why rules that refuse commands cannot be compared with this one; null: they can, or there are none. */
export function uncheckable(script: Script, rules: readonly Rule[]): string | null {
  if (!rules.some(({ kind, spec }) => kind !== "allow" && spec.type === "command")) return null;
  if (script.type === "unreadable") return script.why;
  const hidden = script.parts.find(({ words: [name] }) => name !== undefined && name.value === null);
  return hidden === undefined ? null : `the command's name is not plain text: ${hidden.words[0]?.text}`;
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

async function commandTexts({ parts, texts }: Parsed, depth: number): Promise<readonly string[]> {
  if (depth > bounds.shellNestingMax) return [tooDeep];
  const found: string[] = [];
  const scripts = new Set<string>();
  for (const part of parts) {
    const values = part.words.map(({ value, text }) => value ?? text);
    found.push(part.words.map(({ text }) => text).join(" "), ...spellings(values));
    for (const inner of innerCommands(part, values)) found.push(...spellings(inner));
    if (values[0] === "eval") scripts.add(values.slice(1).join(" "));
    for (const value of values.slice(1)) if (/[\s;&|]/.test(value)) scripts.add(value);
  }
  // Where another shell is started, any text may reach it: as an argument, through a pipe, in a here-document.
  if (!parts.some(startsOther)) return found;
  for (const text of [...scripts, ...texts]) {
    const script = await scriptOf(text);
    found.push(...(script.type === "parsed" ? await commandTexts(script, depth + 1) : [text.trim()]));
  }
  return found;
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
  for (const path of pathsIn(word.value ?? spelledOut(word.text, ground))) {
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

/** What the shell makes of the folders that everybody writes as variables, and of quotes. */
function spelledOut(text: string, { home, cwd }: Ground): string {
  return text
    .replace(/['"\\]/g, "")
    .replace(/^~(?=\/|$)|\$HOME\b|\$\{HOME\}/g, home)
    .replace(/\$PWD\b|\$\{PWD\}/g, cwd);
}

/** A path may stand behind a flag (`--file=x`, `-fx`), a mark (`@x`) or a revision (`HEAD:x`). */
export function pathsIn(word: string): readonly string[] {
  const pieces = [word, ...word.split(/[=:,@]/)];
  const flagged = /^-[A-Za-z](.+)$/.exec(word)?.[1];
  const all = flagged === undefined ? pieces : [...pieces, flagged];
  return [...new Set(all)].filter((piece) => piece !== "" && piece !== "." && !piece.includes("\0")).slice(0, 20);
}
