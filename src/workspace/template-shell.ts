import { scriptOf } from "./shell-parts.ts";
import { shells } from "./shell-wrappers.ts";

/** A piece of a command in a template: as written there, a word the user typed, or a value of ours. */
export type CommandPiece =
  | { readonly type: "written"; readonly text: string }
  | { readonly type: "argument" | "variable"; readonly value: string };

/** A command with its arguments quoted. `probe`: the same with harmless words in their places, to compare with. */
export type InertCommand = { readonly command: string; readonly probe: string; readonly words: readonly InertWord[] };
type InertWord = { readonly harmless: string; readonly quoted: string };

/**
 * Arguments go into the line as text that no shell reads: in quotes of their own where none are open, and escaped within the
 * author's. Where that cannot be done (a here-document, an arithmetic, a `${...}`) the command is refused, never guessed at.
 */
export function inertCommand(
  pieces: readonly CommandPiece[],
): { readonly type: "ok"; readonly command: InertCommand } | { readonly type: "bad"; readonly why: string } {
  let [command, probe] = ["", ""];
  const words: InertWord[] = [];
  let open: readonly Context[] = ["plain"];
  for (const piece of pieces) {
    if (piece.type === "written") {
      command += piece.text;
      probe += piece.text;
      open = contextAfter(piece.text, open);
      continue;
    }
    const { value } = piece;
    if (value.includes("\0")) return { type: "bad", why: "an argument holds a NUL byte, which no command can" };
    const here = open.at(-1) ?? "unclear";
    // An index is an arithmetic.
    if (here === "unclear" || /(?:^|[\s;&|(])\w+\[[^\]\s]*$/.test(command)) return { type: "bad", why: unclear };
    const harmless = `VARVEWORD${words.length}X`;
    const isPlain = piece.type === "variable" && here === "plain" && /^[\w@%+=:,./-]+$/.test(value);
    const [before, behind] = isPlain ? ["", ""] : marks[here];
    const quoted = isPlain ? value : value.replaceAll("'", `'\\''`);
    words.push({ harmless, quoted });
    command += before + quoted + behind;
    probe += before + harmless + behind;
  }
  return { type: "ok", command: { command, probe, words } };
}

const unclear =
  "an argument stands where it cannot be made one inert word (a here-document, an arithmetic, a parameter in braces, a comment); " +
  "write it as a word of its own";

/** null: each argument is one inert word of the command, whatever it holds; else why not. */
export async function commandFault({ command, probe, words }: InertCommand): Promise<string | null> {
  if (words.length === 0) return null;
  const [real, harmless] = [await scriptOf(command), await scriptOf(probe)];
  if (harmless.type === "unreadable") return harmless.why;
  if (real.type === "unreadable") return real.why;
  const filled = (text: string) =>
    words.reduce((line, word) => line.replaceAll(word.harmless, () => word.quoted), text);
  const shapeOf = ({ parts, redirections }: typeof real, change: (text: string) => string) =>
    JSON.stringify([
      parts.map((part) => part.words.map(({ text }) => change(text))),
      redirections.map(({ target }) => change(target.text)),
    ]);
  if (shapeOf(real, (text) => text) !== shapeOf(harmless, filled)) return unclear;
  const isFilled = (text: string) => words.some((word) => text.includes(word.harmless));
  if ((probe.match(tests) ?? []).some((test) => isFilled(test) && computes.test(test))) return unclear;
  return harmless.parts.some(({ words: list }) =>
    isReadAsText(
      list.map(({ value, text }) => value ?? text),
      isFilled,
    ),
  )
    ? "an argument would be read as a program's text there; hand it over as a word of its own to a script"
    : null;
}

/** In these an operand is an arithmetic, and an index in it may be a command. */
const tests = /\[\[\s[\s\S]*?(?:\s\]\]|$)/g;
const computes = /\s-(?:eq|ne|l[te]|g[te]|v|R)\s/;

/** Whether a program runs, computes or names by what it is given: `eval`, `bash -c`, `node -e`, `ssh`, `let`, `read`. */
function isReadAsText(words: readonly string[], isFilled: (text: string) => boolean): boolean {
  if (!words.some(isFilled))
    return words.some((word) => declaring.test(word)) && words.some((word) => /^-\w*i/.test(word));
  return words.some((word, at) => {
    const name = word.slice(word.lastIndexOf("/") + 1);
    const [isFirst, rest] = [words.slice(0, at).every((one) => passing.test(one)), words.slice(at + 1)];
    if (!rest.some(isFilled)) return false;
    if (elsewhere.test(name) || (isFirst && evaluating.test(name))) return true;
    if (isFirst && declaring.test(name))
      return rest.some((one) => /^-\w*i/.test(one) || isFilled(one.split("=")[0] ?? ""));
    if (isFirst && /^(?:printf|test|\[)$/.test(name)) return rest.some((one) => /^-v/.test(one));
    // Scripts of sed and awk run commands, too.
    if (scripted.test(name))
      return (
        isFilled(rest.find((one) => !one.startsWith("-")) ?? "") || rest.some((one) => /^-/.test(one) && isFilled(one))
      );
    return (
      (shells.has(name) || running.test(name)) &&
      rest.some((flag) => /^(?:-\w*[ceErp]|--(?:command|eval|exec|print|expression)(?:=|$))/.test(flag))
    );
  });
}

const passing = /^(?:builtin|command|exec|env|time|!)$/;
const elsewhere = /^(?:ssh|watch|parallel|su|entr)$/;
const evaluating = /^(?:eval|trap|alias|source|\.|let|read|mapfile|readarray|unset|getopts|coproc|bind|complete)$/;
const declaring = /^(?:declare|typeset|local|export|readonly)$/;
const scripted = /^(?:[gmn]?awk|g?sed)$/;
const running =
  /^(?:python|node|deno|bun|tsx|perl|ruby|php|lua|osascript|vi|vim|nvim|view|emacs|gdb|lldb|psql|mysql|sqlite|tclsh|expect|Rscript|R|julia|pwsh|powershell)[\d.]*$/;

type Context = "plain" | "single" | "double" | "unclear";

/** Quotes of the argument's own, beside those that are open where it stands. */
const marks: Readonly<Record<Exclude<Context, "unclear">, readonly [string, string]>> = {
  plain: ["'", "'"],
  single: ["", ""],
  double: [`"'`, `'"`],
};

/** Which quotes and substitutions are open behind `text`, the innermost last. Once it is unclear it stays so. */
function contextAfter(text: string, before: readonly Context[]): readonly Context[] {
  let open = before;
  for (let at = 0; at < text.length; at += 1) {
    const here = open.at(-1);
    const char = text[at] ?? "";
    if (here === "unclear") return open;
    if (here === "single") {
      if (char === "'") open = open.slice(0, -1);
      continue;
    }
    if (char === "\\") {
      at += 1;
      // A backslash right in front of an argument would take its first quote for a character.
      if (at >= text.length) return ["unclear"];
    } else if (isUnclear(text, at, here)) return ["unclear"];
    else if (text.startsWith("$(", at)) {
      open = [...open, "plain"];
      at += 1;
    } else if (char === '"') open = here === "double" ? open.slice(0, -1) : [...open, "double"];
    else if (here === "plain" && char === "'") open = [...open, "single"];
    else if (here === "plain" && char === "(") open = [...open, "plain"];
    else if (here === "plain" && char === ")") open = open.length > 1 ? open.slice(0, -1) : ["unclear"];
  }
  return open;
}

function isUnclear(text: string, at: number, here: Context | undefined): boolean {
  const rest = text.slice(at, at + 3);
  if (/^(?:\$\(\(|`)/.test(rest) || (rest.startsWith("${") && !/^\$\{\w+\}/.test(text.slice(at)))) return true;
  if (here !== "plain") return false;
  // In front of a quote it is more than a character.
  if (rest === "$") return true;
  return /^(?:<<|\(\(|\$['"])/.test(rest) || (rest.startsWith("#") && !/[^\s;&|()]/.test(text[at - 1] ?? " "));
}
