import { automatonOf } from "../kernel/automaton.ts";
import { bounds } from "../kernel/bounds.ts";
import { compilePattern } from "../kernel/pattern.ts";

/** Whether a hook is meant for a tool, a source, a trigger: what its event names. */
export type HookMatcher = (subject: string) => boolean;

type Read = { readonly type: "ok"; readonly takes: HookMatcher } | { readonly type: "bad"; readonly why: string };

/**
 * Nothing, no name between separators, or `*` takes all; names alone, with `|` or commas between, are taken word for word; anything else is a regular
 * expression that may match anywhere (PROTOCOLS G.5). It runs without backtracking, so no pattern can hold a session up.
 */
export function hookMatcher(text: string): Read {
  if (/^[\s,|]*$/.test(text) || text === "*") return { type: "ok", takes: () => true };
  if (text.length > bounds.patternCharsMax)
    return { type: "bad", why: `a matcher has at most ${bounds.patternCharsMax} characters` };
  if (/^[\w\s,|-]+$/.test(text)) return { type: "ok", takes: namesIn(text) };
  const pattern = compilePattern(text);
  if (pattern.type === "bad") return { type: "bad", why: `no regular expression that can be used: ${pattern.why}` };
  return { type: "ok", takes: (subject) => automatonOf(pattern.program).endIn(subject) !== -1 };
}

function namesIn(text: string): HookMatcher {
  const names = new Set(text.split(/[|,]/).map((name) => name.trim()));
  return (subject) => names.has(subject);
}
