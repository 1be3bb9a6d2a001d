import type { Cuts } from "./piece-cuts.ts";

/**
 * A source file of any language that indents: small definitions that follow each other together, a large one by itself, cut
 * where a member begins. Known by indentation and blank lines alone, so that a language nobody thought of is cut well, too.
 */
export function codeCuts(lines: readonly string[]): Cuts {
  const parts: { readonly line: number; readonly title: string }[] = [];
  let [from, chars] = [0, 0];
  const close = (to: number): void => {
    const title = namesIn(lines, from, to);
    if (to > from) parts.push({ line: from, title });
    [from, chars] = [to, 0];
  };
  for (const [at, line] of lines.entries()) {
    const isFull = chars >= usualChars || at - from >= usualLines;
    const isLarge = startsBlock(lines, at) && blockChars(lines, at) > usualChars && chars >= smallChars;
    if (at > from && startsBlock(lines, at) && (isFull || isLarge)) close(at);
    chars += line.length + 1;
  }
  close(lines.length);
  return { parts, weigh: (line) => weightAt(lines, line) };
}

/** Definitions are put together up to about so much; less than the smaller amount is put to whatever comes. */
const usualChars = 1_000;
const usualLines = 30;
const smallChars = 300;

/** Whether something of its own begins there: not indented, behind a blank line, and no closing bracket. */
function startsBlock(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  if (line === "" || /^[\s)}\]]/.test(line) || /^(?:else|end|catch|finally|elif|except)\b/.test(line)) return false;
  const before = lines[at - 1] ?? "";
  return before.trim() === "" || (definition.test(line) && /^[)}\]]|^end\b|;$/.test(before));
}

/** Up to the next that begins. */
function blockChars(lines: readonly string[], from: number): number {
  let chars = 0;
  for (let at = from; at < lines.length && chars <= usualChars; at++) {
    if (at > from && startsBlock(lines, at)) break;
    chars += (lines[at] ?? "").length + 1;
  }
  return chars;
}

/** Behind a blank line is better than not, and the less indented the better. */
function weightAt(lines: readonly string[], at: number): number {
  const line = lines[at] ?? "";
  if (line.trim() === "" || /^\s*[)}\]]/.test(line)) return 0;
  const indent = Math.min(24, (line.match(/^[ \t]*/)?.[0] ?? "").replaceAll("\t", "    ").length);
  const isFree = (lines[at - 1] ?? "").trim() === "" || definition.test(line);
  return (isFree ? 30 : 1) + (24 - indent);
}

/** What the lines define that are not deeper than the first of them. */
function namesIn(lines: readonly string[], from: number, to: number): string {
  const names: string[] = [];
  for (let at = from; at < to && names.length < namesMax; at++) {
    const line = lines[at] ?? "";
    const name = /^\s/.test(line) ? undefined : definition.exec(line.slice(0, 300))?.groups?.name;
    if (name !== undefined && !names.includes(name)) names.push(name);
  }
  return names.join(", ");
}

const namesMax = 6;

/** Words in front of a definition, the word that says what it is, and its name; in Go the receiver stands between. */
const definition =
  /^\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|declare|pub(?:\([a-z]+\))?|unsafe|extern|override|virtual|inline|sealed|partial|open|data)\s+)*(?:function\*?|class|interface|type|enum|struct|trait|impl|namespace|module|package|def|fn|func|fun|const|let|var|val|object|protocol|extension|record|union|macro_rules!|sub|procedure|defmodule|defp?|create\s+(?:table|view|index|function))\s+(?:\([^)]*\)\s*)?(?<name>[\p{L}_$][\p{L}\p{N}_$]*)/iu;
