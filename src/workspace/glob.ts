import { bounds } from "../kernel/bounds.ts";

export type Glob =
  | { readonly type: "ok"; matches(path: string): boolean }
  | { readonly type: "bad"; readonly why: string };

/**
 * A file pattern over relative paths: `*`, `?` and `[a-z]` stay within one name, `**` spans folders, `{a,b}` are
 * alternatives. A pattern without `/` is tried on the file's name alone, at any depth. No regular expressions: matching
 * goes back to the last star only, so time is at most length times length (law 10).
 */
export function compileGlob(pattern: string): Glob {
  if (pattern.length > bounds.patternCharsMax) {
    return { type: "bad", why: `a pattern has at most ${bounds.patternCharsMax} characters` };
  }
  const alternatives = expandBraces(pattern);
  if (alternatives === null) {
    return { type: "bad", why: `braces may stand for at most ${bounds.globAlternativesMax} alternatives` };
  }
  const globs = alternatives.map(segmentsOf);
  return { type: "ok", matches: (path) => globs.some((segments) => matchPath(segments, path)) };
}

type Segment = "**" | readonly Token[];
type Token = { readonly type: "star" | "any" } | { readonly type: "one"; readonly accepts: (char: string) => boolean };

function segmentsOf(pattern: string): readonly Segment[] {
  const anchored = pattern.replace(/^(?:\.?\/)+/, "");
  const parts = anchored.split("/").filter((part) => part !== "");
  const segments = parts.map((part): Segment => (part === "**" ? "**" : tokensOf(part)));
  return pattern.includes("/") ? segments : ["**", ...segments];
}

function matchPath(segments: readonly Segment[], path: string): boolean {
  return wildcard(
    segments,
    path.split("/"),
    (segment) => segment === "**",
    (segment, name) => {
      return segment !== "**" && wildcard(segment, [...name], (token) => token.type === "star", acceptsChar);
    },
  );
}

function acceptsChar(token: Token, char: string): boolean {
  return token.type === "any" || (token.type === "one" && token.accepts(char));
}

/** The classic two-pointer match: on failure the newest star takes one item more. */
function wildcard<P, I>(
  pattern: readonly P[],
  items: readonly I[],
  isStar: (part: P) => boolean,
  accepts: (part: P, item: I) => boolean,
): boolean {
  let at = 0;
  let star = -1;
  let retry = 0;
  for (let item = 0; item < items.length; ) {
    const part = pattern[at];
    const value = items[item];
    if (part !== undefined && isStar(part)) {
      star = at++;
      retry = item;
    } else if (part !== undefined && value !== undefined && accepts(part, value)) {
      at++;
      item++;
    } else if (star >= 0) {
      at = star + 1;
      item = ++retry;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}

function tokensOf(part: string): readonly Token[] {
  const tokens: Token[] = [];
  const chars = [...part];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? "";
    const set = char === "[" ? setAt(chars, at) : null;
    if (set !== null) {
      tokens.push({ type: "one", accepts: set.accepts });
      at = set.end;
    } else if (char === "*") tokens.push({ type: "star" });
    else if (char === "?") tokens.push({ type: "any" });
    else {
      const literal = char === "\\" && at + 1 < chars.length ? (chars[++at] ?? "") : char;
      tokens.push({ type: "one", accepts: (other) => other === literal });
    }
  }
  return tokens;
}

/** `[abc]`, `[a-z]`, `[!a]`; null where no `]` closes it, and `[` is then itself. */
function setAt(chars: readonly string[], from: number): { accepts: (char: string) => boolean; end: number } | null {
  const negated = chars[from + 1] === "!" || chars[from + 1] === "^";
  const start = from + (negated ? 2 : 1);
  const end = chars.indexOf("]", start + 1);
  if (end < 0) return null;
  const ranges: (readonly [string, string])[] = [];
  for (let at = start; at < end; at++) {
    const low = chars[at] ?? "";
    const isRange = chars[at + 1] === "-" && at + 2 < end;
    const high = isRange ? (chars[at + 2] ?? low) : low;
    if (isRange) at += 2;
    ranges.push([low, high]);
  }
  return { accepts: (char) => ranges.some(([low, high]) => low <= char && char <= high) !== negated, end };
}

/** The patterns a pattern with braces stands for; null when they are too many. Braces without `,` are plain text. */
function expandBraces(pattern: string): readonly string[] | null {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (group === null) done.push(next);
    else open.push(...group);
    if (done.length + open.length > bounds.globAlternativesMax) return null;
  }
  return done;
}

/** Splits at the first innermost `{a,b}`. */
function firstGroup(pattern: string): readonly string[] | null {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(pattern);
  if (found === null) return null;
  const before = pattern.slice(0, found.index);
  const after = pattern.slice(found.index + found[0].length);
  return (found[1] ?? "").split(",").map((choice) => `${before}${choice}${after}`);
}
