import type { Command, Redirect, SyntaxNode, WordPart } from "unbash";
import { bounds } from "../kernel/bounds.ts";
import { folders, type ShellWord, variableOf, wordOf } from "./shell-word.ts";

/** One simple command of a script. `dir`: the folders it was led to by `cd` before; null: nobody knows where it runs. */
export type Part = {
  /** The name first; empty where only variables are set. */
  readonly words: readonly ShellWord[];
  /** Variables are set for it or by it. */
  readonly assigns: boolean;
  readonly dir: readonly string[] | null;
};

export type Redirection = {
  readonly type: "read" | "write";
  readonly target: ShellWord;
  readonly dir: readonly string[] | null;
};

/** `unsure`: why this must not run unasked although its parts could be listed; null: all of it is understood. */
export type Script =
  | {
      readonly type: "parsed";
      readonly parts: readonly Part[];
      readonly redirections: readonly Redirection[];
      /** Texts of here-documents, here-strings and variables. */
      readonly texts: readonly string[];
      readonly unsure: string | null;
    }
  | { readonly type: "unreadable"; readonly why: string };

/**
 * The simple commands of a script, wherever they stand: in lists, pipes, groups, bodies, substitutions and here-documents.
 * The grammar is a library's and is loaded when the first command comes. Only kinds of nodes that are listed below as
 * harmless pass; any other, also one that a newer grammar adds, makes the script `unsure`.
 */
export async function scriptOf(command: string): Promise<Script> {
  if (command.length > bounds.shellCharsMax)
    return { type: "unreadable", why: `it is longer than ${bounds.shellCharsMax} characters` };
  const { parse, forEachChild } = await import("unbash");
  const found: Found = { parts: [], redirections: [], texts: [], unsure: null, bound: new Set(), moves: 0, loops: 0 };
  const children = (node: SyntaxNode): readonly SyntaxNode[] => {
    const list: SyntaxNode[] = [];
    forEachChild(node, (child) => list.push(child));
    return list;
  };
  const script = parse(command);
  const errors: string[] = [];
  visit(script, [], found, children, errors);
  if (errors.length > 0) return { type: "unreadable", why: `it is not valid bash (${errors[0]})` };
  if (found.parts.length > bounds.shellPartsMax)
    return { type: "unreadable", why: `it is made of more than ${bounds.shellPartsMax} commands` };
  const odd = oddCharacter(command);
  const lost = found.moves > 0 && !isOneMove(found);
  const place = <T extends Part | Redirection>(item: T): T => (lost ? { ...item, dir: null } : item);
  return {
    type: "parsed",
    parts: found.parts.map(place),
    redirections: found.redirections.map(place),
    texts: found.texts,
    unsure: odd ?? found.unsure,
  };
}

type Dir = readonly string[];
type Children = (node: SyntaxNode) => readonly SyntaxNode[];
type Found = {
  readonly parts: Part[];
  readonly redirections: Redirection[];
  readonly texts: string[];
  unsure: string | null;
  readonly bound: Set<string>;
  /** Commands that change the folder. */
  moves: number;
  loops: number;
};

function visit(node: SyntaxNode, dir: Dir, found: Found, children: Children, errors: string[]): void {
  if (node.type === "Script" && node.errors !== undefined) errors.push(...node.errors.map(({ message }) => message));
  const reason = reasonOf(node, found.bound);
  if (reason !== null) found.unsure ??= reason;
  if (node.type === "For" || node.type === "While") found.loops++;
  if (node.type === "For") found.bound.add(node.name.text);
  if (node.type === "HereDoc") found.texts.push(node.body.text);
  if (node.type === "HereString") found.texts.push(node.target?.value ?? "");
  if (node.type === "Assignment") found.texts.push(node.value?.type === "Word" ? node.value.value : "");
  if (node.type === "Redirect") redirected(node, dir, found);
  if (node.type === "Command") {
    const before = found.parts.length;
    found.parts.push(partOf(node, dir, found.bound));
    const moved = movedTo(found.parts[before]);
    if (moved !== "stays") found.moves++;
  }
  let at = dir;
  for (const child of children(node)) {
    visit(child, at, found, children, errors);
    if (node.type !== "AndOr" || child.type !== "Command" || !node.operators.every((operator) => operator === "&&"))
      continue;
    const moved = movedTo(partOf(child, at, found.bound));
    if (moved !== "stays" && moved !== "unknown") at = [...at, moved.dir];
  }
}

/** `cd DIR && ...` as the whole script: the only move whose effect on what follows is certain. */
function isOneMove({ parts, moves, loops }: Found): boolean {
  const [first, ...others] = parts;
  const moved = movedTo(first);
  if (moves !== 1 || loops > 0 || moved === "stays" || moved === "unknown") return false;
  return others.every(({ dir }) => dir?.length === 1);
}

function movedTo(part: Part | undefined): "stays" | "unknown" | { readonly dir: string } {
  const [name, target, ...others] = part?.words ?? [];
  if (name === undefined) return "stays";
  if (name.value !== null && !movers.has(name.value)) return wrapsMover(part) ? "unknown" : "stays";
  const value = target?.value ?? "";
  if (name.value !== "cd" || others.length > 0 || part?.assigns !== false || /^[-+]|^$/.test(value)) return "unknown";
  return { dir: value };
}

const movers: ReadonlySet<string> = new Set(["cd", "pushd", "popd"]);

function wrapsMover(part: Part | undefined): boolean {
  return part?.words.some(({ value }, at) => at > 0 && movers.has(value ?? "")) ?? false;
}

function partOf(node: Command, dir: Dir, bound: ReadonlySet<string>): Part {
  const words: ShellWord[] = node.name === undefined ? [] : [wordOf(node.name, bound)];
  for (const item of node.suffix) if (item.type === "Word") words.push(wordOf(item, bound));
  const assigns = [...node.prefix, ...node.suffix].some(({ type }) => type === "Assignment");
  return { words, assigns, dir };
}

/** `2>&1` and `>&-` name no file. */
function redirected(node: Redirect, dir: Dir, found: Found): void {
  if (node.target === undefined || node.descriptor?.type === "FileDescriptorVariable") {
    found.unsure ??= "it has a redirection that is not understood";
    return;
  }
  if (/^[<>]&$/.test(node.operator) && /^(?:\d+|-)$/.test(node.target.text)) return;
  const type = node.operator === "<" ? "read" : "write";
  found.redirections.push({ type, target: wordOf(node.target, found.bound), dir });
}

type Kind = "passes" | string;

/** Total by kind: one that is neither harmless nor looked at says why it asks. */
const kinds: { readonly [T in SyntaxNode["type"]]: Kind } = {
  Script: "passes",
  Statement: "passes",
  CompoundList: "passes",
  Command: "passes",
  Pipeline: "passes",
  AndOr: "passes",
  Negation: "passes",
  Time: "passes",
  If: "passes",
  Elif: "passes",
  For: "passes",
  While: "passes",
  Case: "passes",
  CaseItem: "passes",
  Subshell: "passes",
  BraceGroup: "passes",
  Redirected: "passes",
  Redirect: "passes",
  FileDescriptor: "passes",
  FileDescriptorVariable: "it opens a file under a variable",
  HereDoc: "passes",
  HereDocDelimiter: "passes",
  HereDocBody: "passes",
  HereString: "passes",
  Word: "passes",
  Literal: "passes",
  SingleQuoted: "passes",
  DoubleQuoted: "passes",
  AnsiCQuoted: "passes",
  LocaleString: "passes",
  Glob: "passes",
  BraceExpansion: "passes",
  CommandExpansion: "passes",
  ProcessSubstitution: "passes",
  SimpleExpansion: "passes",
  ParameterExpansion: "passes",
  Default: "it expands a variable in a way that is not followed",
  Remove: "it expands a variable in a way that is not followed",
  Replace: "it expands a variable in a way that is not followed",
  Slice: "it expands a variable in a way that is not followed",
  CaseModification: "it expands a variable in a way that is not followed",
  Transform: "it expands a variable in a way that is not followed",
  Names: "it expands a variable in a way that is not followed",
  Unknown: "it expands a variable in a way that is not followed",
  Assignment: "it sets a variable",
  ArrayValue: "it sets a variable",
  ExtendedGlob: "it has an extended pattern",
  ArithmeticExpansion: "it calculates, and names inside can start commands",
  ArithmeticCommand: "it calculates, and names inside can start commands",
  ArithmeticFor: "it calculates, and names inside can start commands",
  ArithmeticBinary: "it calculates, and names inside can start commands",
  ArithmeticUnary: "it calculates, and names inside can start commands",
  ArithmeticTernary: "it calculates, and names inside can start commands",
  ArithmeticGroup: "it calculates, and names inside can start commands",
  ArithmeticWord: "it calculates, and names inside can start commands",
  ArithmeticCommandExpansion: "it calculates, and names inside can start commands",
  TestCommand: "it has a [[ ]] test, and names inside can start commands",
  TestUnary: "it has a [[ ]] test, and names inside can start commands",
  TestBinary: "it has a [[ ]] test, and names inside can start commands",
  TestLogical: "it has a [[ ]] test, and names inside can start commands",
  TestNot: "it has a [[ ]] test, and names inside can start commands",
  TestGroup: "it has a [[ ]] test, and names inside can start commands",
  Select: "it asks for a choice",
  Function: "it defines a function, which may stand for any command",
  Coproc: "it starts a coprocess",
};

function reasonOf(node: SyntaxNode, bound: ReadonlySet<string>): string | null {
  const kind: Kind | undefined = kinds[node.type];
  if (kind === undefined) return `it has a part that is not understood (${String(node.type)})`;
  if (kind !== "passes") return kind;
  if (node.type === "For" && !/^[a-z]\w{0,20}$/.test(node.name.text))
    return "its loop sets a variable that has a meaning";
  if (node.type === "For" && /_proxy$|^npm_/.test(node.name.text)) return "its loop sets a variable that has a meaning";
  if (node.type === "SimpleExpansion" || node.type === "ParameterExpansion") return expansionReason(node, bound);
  return unfinished(node);
}

/** Values of other variables are not in the text: they may be secrets, or paths, or flags. */
function expansionReason(part: WordPart, bound: ReadonlySet<string>): string | null {
  const name = variableOf(part);
  if (name !== null && (bound.has(name) || folders.has(name))) return null;
  return `it uses ${part.text.slice(0, 40)}, whose value is not known here`;
}

function unfinished(node: SyntaxNode): string | null {
  const isUnread =
    (node.type === "CommandExpansion" || node.type === "ProcessSubstitution") && node.script === undefined;
  if (isUnread) return "it has a substitution that is not understood";
  const isOpen = node.type === "HereDoc" && (node.closing === undefined || node.delimiter === undefined);
  return isOpen ? "it has a here-document without an end" : null;
}

/** Characters that look like blanks, or like nothing, and lines that go on behind a backslash: people misread those. */
function oddCharacter(command: string): string | null {
  if (/\\\r?\n/.test(command)) return "a line goes on behind a backslash";
  if (!command.isWellFormed()) return "it holds half a character";
  const found = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.exec(command);
  if (found === null) return null;
  return `it holds a character that cannot be seen (U+${(found[0].codePointAt(0) ?? 0).toString(16).padStart(4, "0")})`;
}
