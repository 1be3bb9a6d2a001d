import type { PermissionMode } from "../log/entry.ts";
import { type Boundary, outsideMessage, type Place } from "./boundary.ts";
import { absolutePath } from "./path.ts";
import type { Ground } from "./permission-ground.ts";
import { firstForScript, uncheckable } from "./permission-refused.ts";
import { firstForCall, firstForPath } from "./permission-rules.ts";
import { leaveFor } from "./permission-shell.ts";
import { type Rule, type RuleKind, ruleName } from "./rule.ts";
import { type Script, scriptOf } from "./shell-parts.ts";

/** What a call would touch; the tools' `Access` has this shape. */
export type Wanted =
  | { readonly type: "none" }
  | { readonly type: "read" | "write"; readonly path: string }
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "leave-plan"; readonly plan: string }
  | { readonly type: "fetch"; readonly url: string }
  | ServerWanted;

/**
 * A tool of an MCP server. `reads`: by its own hint it changes nothing. `changed`: what the server says of it is not what the
 * user allowed before, so that nothing but the user's own word lets it run.
 */
export type ServerWanted = {
  readonly type: "server";
  readonly server: string;
  readonly tool: string;
  readonly reads: boolean;
  readonly changed: boolean;
};

export type Call = {
  readonly mode: PermissionMode;
  readonly tool: string;
  readonly access: Wanted;
  /** As the model gave it, for rules that look at a field. */
  readonly input: unknown;
};

export type Decision = {
  readonly type: "allow" | "ask" | "deny";
  readonly why: string;
  readonly by: "mode" | "rule";
};

/** A call's need, once its paths have been looked up. */
export type Need =
  | "nothing"
  | "read-inside"
  | "write-inside"
  | "write-guarded"
  | "outside"
  | "unusable"
  | "command-read-only"
  | "command"
  | "leave-plan"
  | "fetch"
  | "server-read"
  | "server"
  | "server-changed";

/** Looks up the call's paths or reads its command, asks the rules (deny, ask, allow), then the mode: the entry the agent uses. */
export async function judge(call: Call, ground: Ground): Promise<Decision> {
  const { access } = call;
  const script = access.type === "command" ? await scriptOf(access.command) : null;
  const place = "path" in access ? await ground.boundary.place(access.path, ground.cwd) : null;
  const looked = { script, place };
  const refused = await firstAgainst("deny", call, looked, ground);
  if (refused !== null) return ruled(call, "deny", `${ruleName(refused)} refuses it`);
  const decision =
    access.type === "command" && script !== null
      ? await judgeCommand({ ...call, command: access.command, script }, ground)
      : judgePlace(call, place, ground);
  if (decision.type === "deny") return decision;
  const asked = await firstAgainst("ask", call, looked, ground);
  return asked === null ? decision : ruled(call, call.mode === "dontAsk" ? "deny" : "ask", `${ruleName(asked)} asks`);
}

function ruled({ tool, access }: Call, type: Decision["type"], what: string): Decision {
  const subject = access.type === "command" ? shownCommand(access.command) : subjectOf(access);
  return { type, why: `${tool}: ${what}${subject === "" ? "" : ` (${subject})`}`, by: "rule" };
}

function judgePlace(call: Call, place: Place | null, ground: Ground): Decision {
  const { need, detail } = needOf(call.access, place, ground.boundary);
  const rule = firstInFavour(call, place, ground);
  const isFreed = rule !== null && (call.mode === "plan" ? reads : freed).has(need);
  if (isFreed) return ruled(call, "allow", `${ruleName(rule)} allows it`);
  return decide({ mode: call.mode, need, tool: call.tool, detail });
}

/** Pure and total: one verdict for every mode and need. `detail` says more in the message (which path, which command). */
export function decide(call: {
  readonly mode: PermissionMode;
  readonly need: Need;
  readonly tool: string;
  readonly detail: string;
}): Decision {
  const type = verdicts[call.mode][call.need];
  const why = `${call.tool}: ${meanings[call.need]}${call.detail === "" ? "" : ` (${call.detail})`}; ${endings[type]} in mode ${call.mode}`;
  return { type, why, by: "mode" };
}

type Verdicts = { readonly [N in Need]: Decision["type"] };

const asking: Verdicts = {
  nothing: "allow",
  "read-inside": "allow",
  "write-inside": "ask",
  "write-guarded": "ask",
  outside: "deny",
  // The tool itself answers with what is wrong with the path.
  unusable: "allow",
  "command-read-only": "allow",
  command: "ask",
  // Outside plan mode there is nothing to leave: the tool says so.
  "leave-plan": "allow",
  fetch: "ask",
  "server-read": "ask",
  server: "ask",
  "server-changed": "ask",
};

const refusing: Verdicts = {
  ...asking,
  "write-inside": "deny",
  "write-guarded": "deny",
  command: "deny",
  server: "deny",
  "server-changed": "deny",
};

const verdicts: { readonly [M in PermissionMode]: Verdicts } = {
  default: asking,
  acceptEdits: { ...asking, "write-inside": "allow" },
  plan: { ...refusing, "leave-plan": "ask" },
  dontAsk: { ...refusing, fetch: "deny", "server-read": "deny" },
  // All of it, the outside included: whoever chooses this has a sandbox of their own. Not what changed behind their back.
  bypassPermissions: {
    ...asking,
    "write-inside": "allow",
    "write-guarded": "allow",
    outside: "allow",
    command: "allow",
    fetch: "allow",
    "server-read": "allow",
    server: "allow",
  },
};

const meanings: { readonly [N in Need]: string } = {
  nothing: "touches no file and no command",
  "read-inside": "reads in the workspace",
  "write-inside": "writes a file",
  "write-guarded": "writes a file that can start commands (.git, .varve, .claude and the like)",
  outside: "works outside the workspace",
  unusable: "names a path that cannot be used",
  "command-read-only": "runs what only reads",
  command: "runs a command",
  "leave-plan": "wants to carry out this plan",
  fetch: "reads a page of the web",
  "server-read": "asks an MCP server for something",
  server: "has an MCP server do something",
  "server-changed": "is not what was allowed before: its server says something else of it now",
};

const endings: { readonly [T in Decision["type"]]: string } = {
  allow: "allowed",
  ask: "must be asked for",
  deny: "refused",
};

/** What an allow rule may free: never what lies outside or can start commands, and nothing that changes anything while planning. */
const reads: ReadonlySet<Need> = new Set<Need>(["nothing", "read-inside", "unusable", "fetch", "server-read"]);
const freed: ReadonlySet<Need> = new Set<Need>([...reads, "write-inside", "server"]);

type Looked = { readonly script: Script | null; readonly place: Place | null };

async function firstAgainst(
  kind: "deny" | "ask",
  call: Call,
  { script, place }: Looked,
  ground: Ground,
): Promise<Rule | null> {
  const { access, tool, input } = call;
  const touch = access.type === "read" || access.type === "write" ? access.type : null;
  const named = firstForCall(kind, { tool, touch, input }, ground.rules);
  if (named !== null) return named;
  // As people write it, where the name that the model knows had to be made legal.
  if (access.type === "server")
    return firstForCall(kind, { tool: `mcp__${access.server}__${access.tool}`, touch, input }, ground.rules);
  if (access.type === "command" && script !== null) return await firstForScript(kind, script, access.command, ground);
  if (touch === null || !("path" in access)) return null;
  const located = place === null || place.type === "unusable" ? [] : [place.path];
  return firstForPath(kind, touch, [absolutePath(ground.cwd, access.path), ...located], tool, ground);
}

function firstInFavour({ access, tool, input }: Call, place: Place | null, ground: Ground): Rule | null {
  const kind: RuleKind = "allow";
  const touch = access.type === "read" || access.type === "write" ? access.type : null;
  const named = firstForCall(kind, { tool, touch, input }, ground.rules);
  if (named !== null || touch === null || place === null || place.type === "unusable") return named;
  return firstForPath(kind, touch, [place.path], tool, ground);
}

type CommandCall = {
  readonly mode: PermissionMode;
  readonly tool: string;
  readonly command: string;
  readonly script: Script;
};

async function judgeCommand({ mode, tool, command, script }: CommandCall, ground: Ground): Promise<Decision> {
  const shown = shownCommand(command);
  const hidden = await uncheckable(script, command, ground.rules);
  const whole = firstForCall("allow", { tool, touch: null, input: null }, ground.rules);
  if (hidden !== null && (mode === "bypassPermissions" || (whole !== null && mode !== "plan")))
    return {
      type: mode === "dontAsk" ? "deny" : "ask",
      why: `${tool}: ${hidden}, so the rules that refuse cannot be compared with it (${shown})`,
      by: "rule",
    };
  const leave = await leaveFor(script, mode, ground);
  const readOnly = leave.type === "may" && leave.readOnly;
  const isRuled = leave.type === "may" && leave.rules.length > 0;
  if ((readOnly && !isRuled) || mode === "plan" || mode === "bypassPermissions")
    return decide({ mode, need: readOnly ? "command-read-only" : "command", tool, detail: shown });
  const rules = whole === null ? (leave.type === "may" ? leave.rules : []) : [whole];
  if (rules.length > 0)
    return { type: "allow", why: `${tool}: ${rules.map(ruleName).join(" and ")} allows it (${shown})`, by: "rule" };
  if (leave.type === "may")
    return { type: "allow", why: `${tool}: writes only what mode ${mode} lets it write (${shown})`, by: "mode" };
  return decide({ mode, need: "command", tool, detail: `${shown}; ${leave.why}` });
}

function needOf(
  access: Wanted,
  place: Place | null,
  boundary: Boundary,
): { readonly need: Need; readonly detail: string } {
  if (access.type === "server") return { need: serverNeed(access), detail: subjectOf(access) };
  if (access.type === "leave-plan" || access.type === "fetch") return { need: access.type, detail: subjectOf(access) };
  if (access.type === "none" || access.type === "command" || place === null) return { need: "nothing", detail: "" };
  if (place.type === "unusable") return { need: "unusable", detail: place.why };
  const isLent = access.type === "read" && place.type === "outside" && boundary.lends(place.path);
  if (place.type === "outside" && !isLent)
    return { need: "outside", detail: outsideMessage(access.path, boundary.roots) };
  if (access.type === "read") return { need: "read-inside", detail: access.path };
  return { need: place.type === "guarded" ? "write-guarded" : "write-inside", detail: access.path };
}

function serverNeed({ reads, changed }: ServerWanted): Need {
  return changed ? "server-changed" : reads ? "server-read" : "server";
}

function subjectOf(access: Exclude<Wanted, { readonly type: "command" }>): string {
  if (access.type === "none") return "";
  if (access.type === "leave-plan") return access.plan;
  if (access.type === "server") return `${access.tool} of ${access.server}`;
  return access.type === "fetch" ? access.url : access.path;
}

const commandCharsShown = 1_000;

/** Whoever is asked must not take the beginning for the whole: what is not shown is counted. */
function shownCommand(command: string): string {
  const left = command.length - commandCharsShown;
  return left <= 0 ? command : `${command.slice(0, commandCharsShown).toWellFormed()}… and ${left} more characters`;
}
