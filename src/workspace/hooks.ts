import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { type HookEvent, hookEvents } from "../log/hook.ts";
import type { Hook } from "../ports/hooks.ts";
import { type HookMatcher, hookMatcher } from "./hook-matcher.ts";

/** A hook as a settings file names it, ready to be asked. */
export type HookRule = Hook & {
  /** As written, for people. */
  readonly matcher: string;
  readonly takes: HookMatcher;
};

/** `foreign`: written for another agent, so that what we do not know is no mistake. */
type Source = { readonly file: string; readonly written: "ours" | "foreign" };
type Read = { readonly type: "ok"; readonly hooks: readonly HookRule[]; readonly notes: readonly string[] };
type Bad = { readonly type: "bad"; readonly field: string; readonly why: string };

/**
 * Reads `hooks` of settings: `{Event: [{matcher?, hooks: [{type: "command", command, timeout?}]}]}`. What is not understood
 * is an error that names its place. In a foreign file it is a note, unless a tool call would go unguarded by a matcher
 * that cannot be read.
 */
export function hooksIn(value: unknown, source: Source): Read | Bad {
  if (value === undefined) return { type: "ok", hooks: [], notes: [] };
  const reading: Reading = { source, hooks: [], notes: [] };
  const fault = readEvents(value, reading);
  if (fault !== null) return fault;
  if (reading.hooks.length > bounds.hooksMax) return bad("hooks", `at most ${bounds.hooksMax} hooks in one file`);
  return { type: "ok", hooks: reading.hooks, notes: reading.notes };
}

/**
 * Of several files, the strongest first: what is due for an event, each command once. Where an event names nothing (`Stop`),
 * there is nothing for a matcher to look at, and it counts as none.
 */
export function hooksDue(rules: readonly HookRule[], event: HookEvent, subject: string): readonly HookRule[] {
  const commands = new Map<string, HookRule>();
  for (const rule of rules)
    if (rule.event === event && !commands.has(rule.command) && (subject === "" || rule.takes(subject)))
      commands.set(rule.command, rule);
  return [...commands.values()];
}

type Reading = { readonly source: Source; readonly hooks: HookRule[]; readonly notes: string[] };

function readEvents(value: unknown, reading: Reading): Bad | null {
  if (!isRecord(value)) return bad("hooks", `expected an object, got ${shown(value)}`);
  return first(Object.entries(value), ([name, groups]) => {
    const event = hookEvents.find((one) => one === name);
    const meant = [...guards].find((one) => lettersOf(one) === lettersOf(name));
    if (event === undefined && meant !== undefined) return bad(`hooks.${name}`, `expected ${meant}`);
    if (event === undefined) {
      const known = reading.source.written === "ours" ? `; known are ${hookEvents.join(", ")}` : "";
      return strange(reading, `hooks.${name}`, `this event is not known here${known}`);
    }
    return readGroups(groups, { event, field: `hooks.${name}` }, reading);
  });
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

type Place = { readonly event: HookEvent; readonly field: string };

function readGroups(groups: unknown, place: Place, reading: Reading): Bad | null {
  if (!Array.isArray(groups)) return wrong(reading, place, `expected a list, got ${shown(groups)}`);
  return first([...groups.entries()], ([index, group]) => {
    const at = inside(place, `[${index}]`);
    if (!isRecord(group))
      return wrong(reading, at, `expected {"matcher": "Bash", "hooks": [...]}, got ${shown(group)}`);
    const { matcher = "", hooks, ...rest } = group;
    if (typeof matcher !== "string")
      return wrong(reading, inside(at, ".matcher"), `expected a text, got ${shown(matcher)}`);
    if (!Array.isArray(hooks))
      return wrong(reading, inside(at, ".hooks"), `expected a list of hooks, got ${shown(hooks)}`);
    const read = hookMatcher(matcher);
    if (read.type === "bad") return wrong(reading, inside(at, ".matcher"), `${shown(matcher)}: ${read.why}`);
    const of = { event: place.event, matcher, takes: read.takes };
    return (
      strangeKeys(rest, at, reading) ??
      first([...hooks.entries()], ([hookAt, hook]) => readHook(hook, of, inside(at, `.hooks[${hookAt}]`), reading))
    );
  });
}

function readHook(
  hook: unknown,
  of: Pick<HookRule, "event" | "matcher" | "takes">,
  at: Place,
  reading: Reading,
): Bad | null {
  if (!isRecord(hook)) return wrong(reading, at, `expected {"type": "command", "command": "..."}, got ${shown(hook)}`);
  const { type, command, timeout, statusMessage: _shown, ...rest } = hook;
  if (type !== "command")
    return strange(reading, `${at.field}.type`, `expected "command", got ${shown(type)}; it does not run`);
  if (typeof command !== "string" || command.trim() === "")
    return wrong(reading, inside(at, ".command"), `expected a command, got ${shown(command)}`);
  if (command.length > bounds.shellCharsMax || command.includes("\0"))
    return wrong(
      reading,
      inside(at, ".command"),
      `expected at most ${bounds.shellCharsMax} characters, none of them NUL`,
    );
  const timeoutMs = timeoutOf(timeout, reading.source);
  if (timeoutMs === null)
    return wrong(
      reading,
      inside(at, ".timeout"),
      `expected seconds up to ${bounds.hookMsMax / 1000}, got ${shown(timeout)}`,
    );
  const fault = strangeKeys(rest, at, reading);
  if (fault === null) reading.hooks.push({ ...of, command, timeoutMs, file: reading.source.file });
  return fault;
}

/** Another agent may let its hooks take longer; here they end sooner. */
function timeoutOf(seconds: unknown, { written }: Source): number | null {
  if (seconds === undefined) return bounds.hookMsDefault;
  const ms = typeof seconds === "number" ? seconds * 1000 : Number.NaN;
  if (ms > 0 && ms <= bounds.hookMsMax) return ms;
  return ms > 0 && written === "foreign" ? bounds.hookMsMax : null;
}

function strangeKeys(rest: Readonly<Record<string, unknown>>, { field }: Place, reading: Reading): Bad | null {
  return first(Object.keys(rest), (key) =>
    strange(reading, `${field}.${key}`, "not known here, has no effect: the hook runs without it"),
  );
}

/** A guard that is skipped would let through what it was to hold back, so there it is an error in any file. */
function wrong(reading: Reading, { event, field }: Place, why: string): Bad | null {
  return guards.has(event) ? bad(field, why) : strange(reading, field, `${why}; it does not run`);
}

const guards: ReadonlySet<HookEvent> = new Set(["PreToolUse", "PermissionRequest"]);

function strange({ source, notes }: Reading, field: string, why: string): Bad | null {
  if (source.written === "ours") return bad(field, why);
  notes.push(`${source.file}: ${field}: ${why}`);
  return null;
}

function first<T>(items: readonly T[], read: (item: T) => Bad | null): Bad | null {
  for (const item of items) {
    const fault = read(item);
    if (fault !== null) return fault;
  }
  return null;
}

function inside({ event, field }: Place, step: string): Place {
  return { event, field: `${field}${step}` };
}

function bad(field: string, why: string): Bad {
  return { type: "bad", field, why };
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 200);
}
