import type { Ground } from "./permission-ground.ts";
import { namesTool, type Rule, type RuleKind } from "./rule.ts";
import { starMatch } from "./rule-command.ts";
import { matchesPath, type PathBases } from "./rule-path.ts";

type Touch = "read" | "write";

/** The first rule of a kind for a call that is known by its tool and input alone; `Tool` without parentheses included. */
export function firstForCall(
  kind: RuleKind,
  call: { readonly tool: string; readonly touch: Touch | null; readonly input: unknown },
  rules: readonly Rule[],
): Rule | null {
  const found = rules.find((rule) => {
    if (rule.kind !== kind || !namesCall(rule, call.tool, call.touch)) return false;
    const { spec } = rule;
    if (spec.type === "any") return true;
    if (spec.type === "domain") return isOnHost(call.input, spec.host, kind);
    return spec.type === "input" && holds(call.input, spec.field, spec.value);
  });
  return found ?? null;
}

/**
 * The first rule of a kind that names one of the paths. `paths` are the same place, as asked for and as located: either
 * is enough to refuse, and only the located one is given to be allowed.
 */
export function firstForPath(
  kind: RuleKind,
  touch: Touch,
  paths: readonly string[],
  tool: string,
  ground: Ground,
): Rule | null {
  const bases = { home: ground.home, roots: ground.boundary.roots };
  const letters = kind === "allow" ? "exact" : "loose";
  const found = ground.rules.find(({ spec, ...rule }) => {
    if (rule.kind !== kind || spec.type !== "path" || !namesCall({ ...rule, spec }, tool, touch)) return false;
    return paths.some((path) => matchesPath(spec.pattern, path, bases, letters));
  });
  return found ?? null;
}

/** What a search leaves out, because a rule refuses or asks to read it; null: nothing. Paths are located. */
export function hiding(rules: readonly Rule[], bases: PathBases): ((path: string) => boolean) | null {
  const patterns = rules
    .filter((rule) => rule.kind !== "allow" && namesCall(rule, "Read", "read"))
    .flatMap(({ spec }) => (spec.type === "path" ? [spec.pattern] : []));
  if (patterns.length === 0) return null;
  return (path) => patterns.some((pattern) => matchesPath(pattern, path, bases, "loose"));
}

const readers: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);
const writers: ReadonlySet<string> = new Set(["Edit", "Write", "MultiEdit"]);

/**
 * `Read` stands for all that reads files and `Edit` for all that changes them. What is refused is refused widely: a rule
 * for one writer holds for all, and what must not be read must not be edited either, for an edit shows the text around it.
 */
function namesCall(rule: Rule, tool: string, touch: Touch | null): boolean {
  if (namesTool(rule, tool)) return true;
  if (rule.kind === "allow") return touch !== null && rule.tool === { read: "Read", write: "Edit" }[touch];
  if (touch === "read") return readers.has(rule.tool) && (rule.tool === "Read" || rule.spec.type === "path");
  const isPath = rule.spec.type === "path";
  return (
    touch === "write" && (writers.has(rule.tool) ? isPath || rule.tool === "Edit" : isPath && rule.tool === "Read")
  );
}

function holds(input: unknown, field: string, wanted: string): boolean {
  const value = fieldOf(input, field);
  if (value === undefined || value === null) return false;
  return starMatch(wanted, typeof value === "string" ? value : JSON.stringify(value));
}

/** An address that cannot be read is on no host that is allowed, and on every one that is refused. */
function isOnHost(input: unknown, host: string, kind: RuleKind): boolean {
  const url = fieldOf(input, "url");
  const name = typeof url === "string" ? URL.parse(url)?.hostname.replace(/\.$/, "") : undefined;
  if (name === undefined || name === "") return kind !== "allow";
  return host.startsWith("*.") ? name.endsWith(host.slice(1)) : name === host;
}

function fieldOf(input: unknown, field: string): unknown {
  if (typeof input !== "object" || input === null) return undefined;
  return Object.entries(input).find(([name]) => name === field)?.[1];
}
