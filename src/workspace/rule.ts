import { bounds } from "../kernel/bounds.ts";
import { type CommandPattern, commandPattern, starMatch } from "./rule-command.ts";
import { type PathPattern, pathPattern } from "./rule-path.ts";

export const ruleKinds = ["deny", "ask", "allow"] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** Where settings come from, the strongest first. `local` and `project` come with a folder that may be a stranger's. */
export const scopes = ["managed", "command line", "local", "project", "user"] as const;
export type Scope = (typeof scopes)[number];

/** A rule as people wrote it (`permissions.<kind>[<index>]` of `file`), ready to be compared. */
export type Rule = {
  readonly kind: RuleKind;
  readonly text: string;
  readonly file: string;
  readonly scope: Scope;
  readonly tool: string;
  readonly spec: Spec;
};

/** What stands in the parentheses. */
export type Spec =
  | { readonly type: "any" }
  | { readonly type: "command"; readonly pattern: CommandPattern }
  | { readonly type: "path"; readonly pattern: PathPattern }
  | { readonly type: "domain"; readonly host: string }
  | { readonly type: "input"; readonly field: string; readonly value: string };

type Parsed<T> = ({ readonly type: "ok" } & T) | { readonly type: "bad"; readonly why: string };

/** Strict: what is not understood is said, never skipped (PROTOCOLS G.6). */
export function parseRule(
  text: string,
  from: { readonly kind: RuleKind; readonly file: string; readonly scope: Scope },
): Parsed<{ readonly rule: Rule }> {
  if (text.length > bounds.ruleCharsMax) return bad(`a rule has at most ${bounds.ruleCharsMax} characters`);
  const found = /^([^()\s]+)(?:\(([\s\S]*)\))?$/.exec(text);
  if (found === null) return bad("expected Tool or Tool(what), such as Bash(npm test:*) or Read(./secrets/**)");
  const [, tool = "", inside] = found;
  const wrong = toolProblem(tool, from.kind);
  if (wrong !== null) return bad(wrong);
  const spec: Parsed<{ readonly spec: Spec }> =
    inside === undefined ? { type: "ok", spec: { type: "any" } } : specOf(tool, inside, from.kind);
  return spec.type === "bad" ? spec : { type: "ok", rule: { ...from, text, tool, spec: spec.spec } };
}

function toolProblem(tool: string, kind: RuleKind): string | null {
  if (!/^[A-Za-z*][\w*.-]*$/.test(tool)) return `"${tool}" is no tool's name`;
  const meant = [...knownTools].find((known) => known !== tool && known.toLowerCase() === tool.toLowerCase());
  if (meant !== undefined) return `"${tool}" is no tool's name; expected ${meant}`;
  if (!tool.includes("*") || kind !== "allow") return null;
  // A glob over servers would allow the tools of one that does not exist yet.
  return /^mcp__[\w.-]*?[A-Za-z0-9]__[\w.*-]*$/.test(tool) && !tool.split("__")[1]?.includes("*")
    ? null
    : "an allow rule may have * only after a whole server name, as in mcp__server__get_*";
}

export const knownTools: ReadonlySet<string> = new Set([
  ...[
    "Bash",
    "CallTool",
    "Edit",
    "Glob",
    "Grep",
    "MultiEdit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Read",
    "recall",
    "ReadMemory",
    "Remember",
    "Resource",
    "ToolSearch",
    "RememberFact",
    "Search",
    "Skill",
    "TaskOutput",
  ],
  ...["TaskStop", "TodoWrite", "WebFetch", "WebSearch", "Write"],
]);

/** A rule that refuses what nobody offers may be mistyped. */
export function namesNoTool({ kind, tool }: Rule): boolean {
  return kind !== "allow" && !knownTools.has(tool) && !tool.includes("*") && !tool.startsWith("mcp__");
}

/** Tools that take a path; `Read` and `Edit` rules also hold for others of their kind. */
const pathTools: ReadonlySet<string> = new Set(["Read", "Edit", "Write", "MultiEdit", "Glob", "Grep"]);

function specOf(tool: string, inside: string, kind: RuleKind): Parsed<{ readonly spec: Spec }> {
  if (inside.trim() === "") return bad("nothing stands in the parentheses; leave them out to mean every call");
  if (/(?! )\p{Zs}|[\p{Cf}\p{Zl}\p{Zp}]/u.test(inside)) return bad("it holds a character that cannot be seen");
  const field = kind === "allow" ? null : fieldSpec(tool, inside);
  if (field !== null) return { type: "ok", spec: field };
  if (tool === "Bash") {
    if (/: +\*$/.test(inside)) return bad("expected :* at the end, without a blank, or a blank and * alone");
    const pattern = commandPattern(inside);
    return { type: "ok", spec: pattern === null ? { type: "any" } : { type: "command", pattern } };
  }
  if (pathTools.has(tool)) {
    const pattern = pathPattern(inside);
    return pattern.type === "bad" ? pattern : { type: "ok", spec: { type: "path", pattern: pattern.pattern } };
  }
  if (tool === "WebFetch" && inside.startsWith("domain:")) return domainOf(inside.slice("domain:".length));
  if (kind === "allow") return bad(notAllowable(tool));
  const skill = tool === "Skill" ? /^([a-z0-9-]+)(?::\*| \*)?$/.exec(inside)?.[1] : undefined;
  if (skill !== undefined) return { type: "ok", spec: { type: "input", field: "skill", value: skill } };
  const found = /^([A-Za-z_]\w*):([\s\S]*)$/.exec(inside);
  if (found === null) return bad(`expected ${tool}(field:value), the name of an input field and what it holds`);
  return { type: "ok", spec: { type: "input", field: found[1] ?? "", value: found[2] ?? "" } };
}

/** `Write(content:*KEY*)`: a field of a tool whose rules are otherwise about commands or paths. */
function fieldSpec(tool: string, inside: string): Spec | null {
  const found = /^([A-Za-z_]\w*):([\s\S]+)$/.exec(inside);
  const [field = "", value = ""] = found?.slice(1) ?? [];
  if (found === null || value === "*" || fields.get(tool)?.has(field) !== true) return null;
  return { type: "input", field, value };
}

const pathFields = new Set(["path", "content", "old", "new", "pattern", "glob", "all"]);
const fields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["Bash", new Set(["command", "timeoutMs", "description", "background"])],
  ...[...pathTools].map((tool) => [tool, pathFields] as const),
]);

function notAllowable(tool: string): string {
  return tool === "WebFetch"
    ? "expected WebFetch(domain:example.com)"
    : `expected ${tool} alone: only deny and ask rules may look at the input of this tool`;
}

function domainOf(text: string): Parsed<{ readonly spec: Spec }> {
  const host = text.toLowerCase().replace(/\.$/, "");
  if (!/^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(host))
    return bad("expected a host name after domain:, such as example.com or *.example.com");
  return { type: "ok", spec: { type: "domain", host } };
}

/** `mcp__server` stands for all tools of a server. */
export function namesTool(rule: Rule, tool: string): boolean {
  if (rule.tool === tool) return true;
  if (/^mcp__[^*]+$/.test(rule.tool) && !rule.tool.slice("mcp__".length).includes("__"))
    return tool.startsWith(`${rule.tool}__`);
  return rule.tool.includes("*") && starMatch(rule.tool, tool);
}

/** How a rule is named in what is recorded and asked. */
export function ruleName({ kind, text, file }: Rule): string {
  return `the ${kind} rule ${text} of ${file}`;
}

function bad(why: string): { readonly type: "bad"; readonly why: string } {
  return { type: "bad", why };
}
