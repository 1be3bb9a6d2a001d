import type { PermissionMode } from "../log/entry.ts";
import { type Boundary, outsideMessage } from "./boundary.ts";
import { readOnlyCommand } from "./permission-command.ts";

/** What a call would touch; the tools' `Access` has this shape. */
export type Wanted =
  | { readonly type: "none" }
  | { readonly type: "read" | "write"; readonly path: string }
  | { readonly type: "command"; readonly command: string };

export type Decision = {
  readonly type: "allow" | "ask" | "deny";
  readonly why: string;
  readonly by: "mode" | "rule" | "user";
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
  | "command";

/** Looks up the call's paths, then decides: the entry the agent uses. */
export async function judge(call: {
  readonly mode: PermissionMode;
  readonly access: Wanted;
  readonly tool: string;
  readonly cwd: string;
  readonly boundary: Boundary;
}): Promise<Decision> {
  const { need, detail } = await needOf(call.access, call.cwd, call.boundary);
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
};

const refusing: Verdicts = { ...asking, "write-inside": "deny", "write-guarded": "deny", command: "deny" };

const verdicts: { readonly [M in PermissionMode]: Verdicts } = {
  default: asking,
  acceptEdits: { ...asking, "write-inside": "allow" },
  plan: refusing,
  dontAsk: refusing,
  // All of it, the outside included: whoever chooses this has a sandbox of their own.
  bypassPermissions: {
    ...asking,
    "write-inside": "allow",
    "write-guarded": "allow",
    outside: "allow",
    command: "allow",
  },
};

const meanings: { readonly [N in Need]: string } = {
  nothing: "touches no file and no command",
  "read-inside": "reads in the workspace",
  "write-inside": "writes a file",
  "write-guarded": "writes a file that can start commands (.git, .varve, .claude)",
  outside: "works outside the workspace",
  unusable: "names a path that cannot be used",
  "command-read-only": "runs one simple read-only command",
  command: "runs a command",
};

const endings: { readonly [T in Decision["type"]]: string } = {
  allow: "allowed",
  ask: "must be asked for",
  deny: "refused",
};

async function needOf(access: Wanted, cwd: string, boundary: Boundary): Promise<{ need: Need; detail: string }> {
  if (access.type === "none") return { need: "nothing", detail: "" };
  if (access.type === "command") {
    const readOnly = await isReadOnlyHere(access.command, cwd, boundary);
    return { need: readOnly ? "command-read-only" : "command", detail: shownCommand(access.command) };
  }
  const place = await boundary.place(access.path, cwd);
  if (place.type === "unusable") return { need: "unusable", detail: place.why };
  if (place.type === "outside") return { need: "outside", detail: outsideMessage(access.path, boundary.roots) };
  if (access.type === "read") return { need: "read-inside", detail: access.path };
  return { need: place.type === "guarded" ? "write-guarded" : "write-inside", detail: access.path };
}

const commandCharsShown = 1_000;

/** Whoever is asked must not take the beginning for the whole: what is not shown is counted. */
function shownCommand(command: string): string {
  const left = command.length - commandCharsShown;
  return left <= 0 ? command : `${command.slice(0, commandCharsShown).toWellFormed()}… and ${left} more characters`;
}

/**
 * A folder with a `HEAD` can itself be taken for a repository, with plain files of the workspace for its settings, and those
 * name programs that any git command starts (`core.fsmonitor`). Only `.git` is guarded against routine edits.
 */
async function mayBeRepository(cwd: string, boundary: Boundary): Promise<boolean> {
  const head = await boundary.place("HEAD", cwd);
  return head.type === "unusable" || head.file !== null;
}

/** Read-only by its words, and every word that could be a path stays inside, its links followed. */
async function isReadOnlyHere(command: string, cwd: string, boundary: Boundary): Promise<boolean> {
  const simple = readOnlyCommand(command);
  if (simple === null || (simple.words[0] === "git" && (await mayBeRepository(cwd, boundary)))) return false;
  for (const operand of simple.operands) {
    const place = await boundary.place(operand, cwd);
    if (place.type !== "inside" && place.type !== "guarded") return false;
  }
  return true;
}
