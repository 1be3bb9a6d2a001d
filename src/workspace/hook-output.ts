import { bounds } from "../kernel/bounds.ts";
import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";
import { repeatedKey, scanJson } from "../kernel/json-spans.ts";
import { boolean, type Check, nullable, optional, shape, string, words } from "../log/codec-check.ts";
import type { HookEvent, HookOutcome } from "../log/hook.ts";
import type { HookRan } from "../ports/hooks.ts";

/** What a hook said, whatever way it chose to say it. Texts are cut to `bounds.hookTextCharsMax`; "" is nothing. */
export type HookSaid = {
  readonly outcome: HookOutcome;
  readonly exitCode: number | null;
  /** Why it did not end well, or why it blocks. */
  readonly detail: string;
  /** For the user. */
  readonly message: string;
  /** For the model. */
  readonly context: string;
  /** Of a call: what it wants of it. null: nothing. */
  readonly permission: "allow" | "ask" | "deny" | null;
  /** Another input for the call. */
  readonly rewrites: { readonly input: unknown } | null;
  /** The turn is to end, for this. */
  readonly stops: string | null;
};

/**
 * Reads what a hook printed and how it ended (PROTOCOLS G.5). Exit code 0 and JSON is read by its schema; 2 blocks, and the
 * second stream says why; any other is a failure that blocks nothing. Whoever guards a call and cannot be understood is
 * `ask`: a guard that breaks must not let anything through (fail closed).
 */
export function hookSaid(event: HookEvent, ran: HookRan): HookSaid {
  const said = saidBy(event, ran);
  if (!isGuard(event)) return said;
  if (broken.has(said.outcome)) return { ...said, permission: "ask" };
  return ran.told === undefined || said.permission === "deny" ? said : { ...said, ...unseen };
}

/** What it says is about a beginning, and so is the input it would give instead. */
const unseen: Pick<HookSaid, "permission" | "detail" | "rewrites"> = {
  permission: "ask",
  detail: `the call has a text of more than ${bounds.hookInputCharsMax} characters, of which it was told the first ones`,
  rewrites: null,
};

export function isGuard(event: HookEvent): boolean {
  return event === "PreToolUse" || event === "PermissionRequest";
}

/** Endings after which nobody knows what the hook would have said. */
const broken: ReadonlySet<HookOutcome> = new Set<HookOutcome>([
  "failed",
  "unreadable",
  "timed-out",
  "flooded",
  "killed",
  "interrupted",
  "not-started",
  "unknown",
]);

function saidBy(event: HookEvent, { end, output, errorOutput }: HookRan): HookSaid {
  if (end.type === "not-started") return silent("not-started", null, end.why);
  if (end.type === "killed") return silent("killed", null, `ended by ${end.signal}`);
  if (end.type !== "exited") return silent(end.type, null, endings[end.type]);
  const { exitCode } = end;
  if (exitCode === 0) return accepted(event, output.trim());
  const words = cut(errorOutput.trim());
  if (exitCode === 2) return refused(event, words === "" ? "no reason was given" : words, exitCode);
  return silent("failed", exitCode, `exit code ${exitCode}${words === "" ? "" : `: ${words}`}`);
}

const endings = {
  "timed-out": "its time was over, it was ended",
  flooded: `it printed more than ${bounds.hookFloodBytesMax} bytes and was ended`,
  interrupted: "it was interrupted",
} as const;

function silent(outcome: HookOutcome, exitCode: number | null, detail: string): HookSaid {
  return { ...nothing, outcome, exitCode, detail };
}

const nothing: HookSaid = {
  outcome: "done",
  exitCode: 0,
  detail: "",
  message: "",
  context: "",
  permission: null,
  rewrites: null,
  stops: null,
};

function refused(event: HookEvent, why: string, exitCode: number): HookSaid {
  return { ...nothing, outcome: "blocked", exitCode, detail: why, permission: isGuard(event) ? "deny" : null };
}

/** Where plain words are enough, they are for the model. A command that only prints a word of its own has no objection. */
function accepted(event: HookEvent, output: string): HookSaid {
  if (output === "") return nothing;
  if (isMeantAsJson(output) || (isGuard(event) && namesVerdict.test(output))) return readJson(event, output);
  return { ...nothing, context: speaks.has(event) ? cut(output) : "" };
}

const speaks: ReadonlySet<HookEvent> = new Set<HookEvent>(["SessionStart", "UserPromptSubmit", "UserPromptExpansion"]);

/** Also behind what a shell's own start printed, or broken: half an answer must not be taken for none. */
function isMeantAsJson(output: string): boolean {
  return /^[[{]|\{\s*"|[\0\ufffd]/.test(output);
}

/** Whatever else it looks like: of who guards a call this is meant as an answer. */
const namesVerdict = /permissionDecision|hookSpecificOutput|["'](?:decision|behavior|continue)["']/;

function readJson(event: HookEvent, output: string): HookSaid {
  const parsed = parseJson(output);
  if (parsed.type === "bad") return unreadable(`what it printed is no JSON (${parsed.why})`);
  const { value } = parsed;
  if (!isOutput(value)) return unreadable(`${outputCheck(value)}; expected ${expected(event)}`);
  const own = value.hookSpecificOutput ?? null;
  if (own !== null && own.hookEventName !== event)
    return unreadable(`hookSpecificOutput.hookEventName is ${own.hookEventName}, expected ${event}`);
  const twice = isGuard(event) ? repeatedKey(scanJson(new TextEncoder().encode(output))) : null;
  if (twice !== null) return unreadable(`\`${twice}\` stands there twice`);
  const stray = isGuard(event) ? strayKey(value, own) : null;
  if (stray !== null) return unreadable(`\`${stray}\` is not known here; expected ${expected(event)}`);
  const reason = cut(own?.permissionDecisionReason ?? own?.decision?.message ?? value.reason ?? "");
  const permission = permissionOf(event, value, own);
  const isBlocked = permission === "deny" || (!isGuard(event) && value.decision === "block");
  const input = own?.updatedInput ?? own?.decision?.updatedInput ?? null;
  return {
    outcome: isBlocked ? "blocked" : "done",
    exitCode: 0,
    detail: isBlocked && reason === "" ? "no reason was given" : reason,
    message: cut(value.systemMessage ?? ""),
    context: cut(own?.additionalContext ?? ""),
    permission,
    rewrites: isGuard(event) && !isBlocked && input !== null ? { input } : null,
    stops: stopOf(value, own, reason),
  };
}

function unreadable(why: string): HookSaid {
  return silent("unreadable", 0, cut(why));
}

/**
 * `defer` leaves a call to a host program; there is none here, so the user is asked. Of several answers in one, the
 * strictest holds.
 */
function permissionOf(event: HookEvent, { decision }: Output, own: Specific | null): HookSaid["permission"] {
  if (!isGuard(event)) return null;
  const said = [own?.permissionDecision, own?.decision?.behavior, decision].map((one) => one && meanings[one]);
  return (["deny", "ask", "allow"] as const).find((one) => said.includes(one)) ?? null;
}

const meanings = { allow: "allow", approve: "allow", ask: "ask", defer: "ask", deny: "deny", block: "deny" } as const;

function stopOf({ continue: goesOn, stopReason }: Output, own: Specific | null, reason: string): string | null {
  if (goesOn === false) return cut(stopReason ?? "") || "no reason was given";
  return own?.decision?.interrupt === true ? reason : null;
}

type Maybe<T> = T | null | undefined;
type Output = {
  readonly continue?: Maybe<boolean>;
  readonly stopReason?: Maybe<string>;
  readonly suppressOutput?: Maybe<boolean>;
  readonly systemMessage?: Maybe<string>;
  readonly decision?: Maybe<"approve" | "block">;
  readonly reason?: Maybe<string>;
  readonly hookSpecificOutput?: Maybe<Specific>;
};
type Specific = {
  readonly hookEventName: string;
  readonly permissionDecision?: Maybe<"allow" | "deny" | "ask" | "defer">;
  readonly permissionDecisionReason?: Maybe<string>;
  readonly updatedInput?: Maybe<Readonly<Record<string, unknown>>>;
  readonly additionalContext?: Maybe<string>;
  /** Of `PermissionRequest`. */
  readonly decision?: Maybe<Answer>;
};
type Answer = {
  readonly behavior: "allow" | "deny";
  readonly message?: Maybe<string>;
  readonly updatedInput?: Maybe<Readonly<Record<string, unknown>>>;
  readonly interrupt?: Maybe<boolean>;
};

const maybe = <T>(check: Check<T>) => optional(nullable(check));
const object: Check<Readonly<Record<string, unknown>>> = (value) => (isRecord(value) ? null : "is not an object");

const answer = shape<Answer>({
  behavior: words({ allow: true, deny: true }),
  message: maybe(string),
  updatedInput: maybe(object),
  interrupt: maybe(boolean),
});
const specific = shape<Specific>({
  hookEventName: string,
  permissionDecision: maybe(words({ allow: true, deny: true, ask: true, defer: true })),
  permissionDecisionReason: maybe(string),
  updatedInput: maybe(object),
  additionalContext: maybe(string),
  decision: maybe(answer),
});
const outputCheck = shape<Output>({
  continue: maybe(boolean),
  stopReason: maybe(string),
  suppressOutput: maybe(boolean),
  systemMessage: maybe(string),
  decision: maybe(words({ approve: true, block: true })),
  reason: maybe(string),
  hookSpecificOutput: maybe(specific),
});

function isOutput(value: unknown): value is Output {
  return outputCheck(value) === null;
}

/** A mistyped or misplaced key of a guard is an answer that would not be heard. */
function strayKey(value: Output, own: Specific | null): string | null {
  const ownStray = Object.keys(own ?? {}).find((key) => !specificKeys.has(key));
  return Object.keys(value).find((key) => !outputKeys.has(key)) ?? ownStray ?? null;
}

const outputKeys: ReadonlySet<string> = new Set([
  ...["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"],
]);
const specificKeys: ReadonlySet<string> = new Set([
  ...["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"],
  ...["decision"],
]);

function expected(event: HookEvent): string {
  const own = isGuard(event)
    ? event === "PreToolUse"
      ? '"permissionDecision": "allow" | "deny" | "ask", "permissionDecisionReason"?, "updatedInput"?, "additionalContext"?'
      : '"decision": {"behavior": "allow" | "deny", "message"?, "updatedInput"?}'
    : '"additionalContext"?';
  return `{"continue"?, "stopReason"?, "systemMessage"?, "decision"?: "block", "reason"?, "hookSpecificOutput"?: {"hookEventName": "${event}", ${own}}}`;
}

function cut(text: string): string {
  if (text.length <= bounds.hookTextCharsMax) return text;
  const left = text.length - bounds.hookTextCharsMax;
  return `${text.slice(0, bounds.hookTextCharsMax).toWellFormed()} … and ${left} more characters`;
}
