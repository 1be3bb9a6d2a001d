import { budgetFileName } from "./context-budget.ts";
import { budgetText, claudeCodeCaps, conventions, cursorFields, documents, gatewayEntry } from "./init-texts.ts";
import { instructionsText } from "./instructions-text.ts";
import { type MembersPut, type Wanted, withMembers } from "./json-members.ts";
import { eolOf, hasSection, withSection } from "./marked-section.ts";
import { absolutePath } from "./path.ts";

/** Agents that a project can be set up for. */
export const initTargets = ["claude-code", "cursor", "agents"] as const;
export type InitTarget = (typeof initTargets)[number];

export type InitWish = {
  /** null: those that the project's own files speak of. */
  readonly targets: readonly InitTarget[] | null;
  readonly gateway: "written" | "left out";
  readonly documents: "written" | "left out";
};

/** What stands at a path of the project. `place`: where it really is; `text` holds a byte order mark as it is. */
export type FoundFile =
  | { readonly type: "absent" }
  | { readonly type: "folder" }
  | { readonly type: "text"; readonly place: string; readonly text: string }
  | { readonly type: "unusable"; readonly why: string };

export type FoundFiles = (path: string) => FoundFile;

/** One file of the plan. `left`: it is the user's, and stays; `blocked`: it should be written and cannot be. */
export type InitStep = { readonly path: string; readonly what: string } & (
  | {
      readonly type: "write";
      readonly before: string | null;
      readonly after: string;
      readonly notes: readonly string[];
    }
  | { readonly type: "same" }
  | { readonly type: "left" | "blocked"; readonly why: string }
);

/** Every path that a plan may look at; those that end in `/` are folders that speak of an agent. */
export const initPaths: readonly string[] = [
  "CLAUDE.md",
  ".claude/CLAUDE.md",
  "AGENTS.md",
  ".cursor/rules/varve.mdc",
  budgetFileName,
  ".claude/settings.json",
  ".mcp.json",
  ".cursor/mcp.json",
  ...Object.keys(documents),
  ".claude",
  ".cursor",
];

/** What `varve init` would write, file by file, from what is there: nothing is touched. */
export function initPlan(wish: InitWish, found: FoundFiles): readonly InitStep[] {
  const targets = wish.targets ?? spokenOf(found);
  const steps = [
    ...conventionFiles(targets, found).map((path) => sectionStep(path, found(path))),
    ...(targets.includes("cursor") ? [cursorStep(found(cursorRule))] : []),
    newFileStep(budgetFileName, "caps of what may enter the context", budgetText, found(budgetFileName)),
    ...(targets.includes("claude-code") ? [capStep(found)] : []),
    ...(wish.gateway === "written" ? gatewaySteps(targets, found) : []),
    ...(wish.documents === "written" ? documentSteps(found) : []),
  ];
  return steps;
}

/** The two documents alone, for whoever says yes to them behind the plan. */
export function documentSteps(found: FoundFiles): readonly InitStep[] {
  return Object.entries(documents).map(([path, text]) =>
    newFileStep(path, "a document to be searched, to be filled in", text, found(path)),
  );
}

function spokenOf(found: FoundFiles): readonly InitTarget[] {
  const isThere = (path: string) => found(path).type !== "absent";
  const targets: InitTarget[] = [];
  if ([...claudeFiles, ".claude"].some(isThere)) targets.push("claude-code");
  if (isThere(".cursor")) targets.push("cursor");
  if (targets.length === 0 || isThere(agentsFile)) targets.push("agents");
  return targets;
}

const claudeFiles = ["CLAUDE.md", ".claude/CLAUDE.md"] as const;
const agentsFile = "AGENTS.md";
const cursorRule = ".cursor/rules/varve.mdc";

/**
 * Each agent's own file, and no text twice. Claude Code reads AGENTS.md where there is no CLAUDE.md, so none is made beside
 * one that is there: it would hide it.
 */
function conventionFiles(targets: readonly InitTarget[], found: FoundFiles): readonly string[] {
  const agents = found(agentsFile);
  const claude = claudeFiles.find((path) => found(path).type !== "absent");
  const forClaude = claude ?? (agents.type === "absent" && !targets.includes("agents") ? claudeFiles[0] : agentsFile);
  const isOne = claude !== undefined && leadsToAgents(claude, found(claude), agents);
  const files = new Set<string>();
  if (targets.includes("claude-code")) files.add(isOne ? agentsFile : forClaude);
  if (targets.includes("agents")) files.add(agentsFile);
  return [...files];
}

/** The very same file by a link, or one that imports it. */
function leadsToAgents(path: string, claude: FoundFile, agents: FoundFile): boolean {
  if (claude.type !== "text" || agents.type !== "text") return false;
  const folder = `/${path.slice(0, Math.max(0, path.lastIndexOf("/")))}`;
  const imported = instructionsText(claude.text).imports.map((name) => absolutePath(folder, name));
  return claude.place === agents.place || imported.includes(`/${agentsFile}`);
}

const habits = "four habits that keep the context small";

function sectionStep(path: string, file: FoundFile): InitStep {
  return step(path, habits, file, (text) => {
    const put = withSection(text ?? "", conventions);
    return put.type === "written" ? { type: "put", text: put.text } : put;
  });
}

/** A file of that name without our section is somebody else's rule: it is not appended to. */
function cursorStep(file: FoundFile): InitStep {
  return step(cursorRule, habits, file, (text) => {
    if (text !== null && !hasSection(text, conventions.name))
      return { type: "theirs", why: "it is there already, and not by `varve init`" };
    const put = withSection(text ?? cursorFields, conventions);
    return put.type === "written" ? { type: "put", text: put.text } : put;
  });
}

function newFileStep(path: string, what: string, content: string, file: FoundFile): InitStep {
  return step(path, what, file, (text) => {
    if (text === null) return { type: "put", text: content };
    if (text.replaceAll("\r\n", "\n") === content) return { type: "same" };
    return { type: "theirs", why: "it is there already" };
  });
}

function capStep(found: FoundFiles): InitStep {
  const path = ".claude/settings.json";
  return membersStep(path, "a cap of what a tool brings in, for Claude Code", claudeCodeCaps, found(path));
}

function gatewaySteps(targets: readonly InitTarget[], found: FoundFiles): readonly InitStep[] {
  const paths = targets.flatMap((target) => (target === "cursor" ? [".cursor/mcp.json"] : [".mcp.json"]));
  return [...new Set(paths)].map((path) => membersStep(path, "the gateway `varve mcp`", gatewayEntry, found(path)));
}

function membersStep(path: string, what: string, members: Wanted, file: FoundFile): InitStep {
  return step(path, what, file, (text) => {
    const put = withMembers(text ?? "", members);
    if (put.type === "bad") return { type: "blocked", why: `${put.why}; add by hand: ${JSON.stringify(members)}` };
    return { ...put, notes: keptNotes(put) };
  });
}

function keptNotes({ kept }: Extract<MembersPut, { readonly type: "put" }>): readonly string[] {
  return kept.map((name) => `${name} has a value of yours, which stays`);
}

type Put =
  | { readonly type: "put"; readonly text: string; readonly notes?: readonly string[] }
  | { readonly type: "same" }
  | { readonly type: "theirs" | "blocked"; readonly why: string };

function step(path: string, what: string, file: FoundFile, put: (text: string | null) => Put): InitStep {
  if (file.type === "unusable") return { type: "blocked", path, what, why: file.why };
  if (file.type === "folder") return { type: "blocked", path, what, why: "it is a folder" };
  const before = file.type === "text" ? file.text : null;
  const made = put(before);
  if (made.type === "same") return { type: "same", path, what };
  if (made.type !== "put") return { type: made.type === "theirs" ? "left" : "blocked", path, what, why: made.why };
  const notes = made.notes ?? [];
  if (made.text !== before) return { type: "write", path, what, before, after: made.text, notes };
  return notes.length === 0 ? { type: "same", path, what } : { type: "left", path, what, why: notes.join("; ") };
}

/** Lines that a step adds, for people; of a file that is there only those that it did not have. */
export function addedLines({
  before,
  after,
}: {
  readonly before: string | null;
  readonly after: string;
}): readonly string[] {
  const split = (text: string) => text.replace(/^\ufeff/, "").split(eolOf(text));
  const lines = split(after.trimEnd());
  if (before === null) return lines;
  const had = new Map<string, number>();
  for (const line of split(before)) had.set(line, (had.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const left = had.get(line) ?? 0;
    if (left > 0) had.set(line, left - 1);
    return left === 0;
  });
}
