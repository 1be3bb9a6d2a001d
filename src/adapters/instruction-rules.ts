import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { estimate } from "../budget/count.ts";
import { bounds } from "../kernel/bounds.ts";
import { hashOf } from "../kernel/hash.ts";
import { madeOnce } from "../kernel/once.ts";
import type { InstructionOrigin } from "../ports/instructions.ts";
import { inLine, isInside, shownPath } from "../workspace/path.ts";
import { parseRuleFile, type RuleDialect, rulePaths } from "../workspace/rules-file.ts";
import { lookAt, type TextFile } from "./instruction-file.ts";
import type { Walk } from "./instruction-walk.ts";

/** A folder of rules. `base`: what patterns are relative to. */
export type RulesAt = {
  readonly folder: string;
  readonly base: string;
  readonly dialect: RuleDialect;
  readonly origin: InstructionOrigin;
};

/** `standing`: rules that were given before. They stay in force, whatever else is touched. */
type RuleUse = { readonly touched: readonly string[]; readonly standing: ReadonlySet<string> };

/** What the model may read where the description says so. */
export type OnDemand = { readonly path: string; readonly description: string };

/** Takes the rules of a folder that apply now; gives those to be listed. */
export async function takeRules(walk: Walk, at: RulesAt, use: RuleUse): Promise<readonly OnDemand[]> {
  const found = await lookAt(at.folder);
  if (found.type !== "found" || found.kind !== "folder") return [];
  const listed: OnDemand[] = [];
  for (const path of await rulesIn(walk, at, found.located)) {
    if (walk.isExcluded(path, at.origin)) continue;
    const opened = await walk.open(path, at.origin);
    if (opened.type !== "open") continue;
    const { when, body, paths } = await ruleOf[at.dialect](opened.file);
    const take = async (because: string | null) => {
      const imports = at.dialect === "claude" ? "followed" : "left";
      await walk.take({ path, kind: "rule", origin: at.origin, because, body, imports });
    };
    if (when.type === "broken")
      walk.note(`${path}, line ${when.line}: ${when.why}; whom it is for is not known, so it is not applied`);
    else if (when.type === "always") await take(null);
    else if (when.type === "described") listed.push({ path, description: when.description });
    else if (when.type === "paths") {
      for (const fault of paths.faults) walk.note(`${path}: ${fault}`);
      const isTouched = use.touched.some((file) => isInside(at.base, file) && paths.matches(shownPath(at.base, file)));
      if (isTouched || use.standing.has(path)) await take(`for ${when.globs.join(", ").slice(0, 200)}`);
    }
  }
  return listed;
}

/** Read once as long as the file is the same. */
const ruleOf: Readonly<Record<RuleDialect, (file: TextFile) => ReturnType<typeof ruleIn>>> = {
  claude: remembered("claude"),
  cursor: remembered("cursor"),
};

function remembered(dialect: RuleDialect): (file: TextFile) => ReturnType<typeof ruleIn> {
  const once = madeOnce<TextFile, ReturnType<typeof ruleIn>>();
  return (file) => once(file, () => ruleIn(file, dialect));
}

async function ruleIn({ text }: TextFile, dialect: RuleDialect) {
  const rule = await parseRuleFile(text, dialect);
  return { ...rule, paths: rulePaths(rule.when.type === "paths" ? rule.when.globs : []) };
}

const suffixes: Readonly<Record<RuleDialect, string>> = { claude: ".md", cursor: ".mdc" };

/** Files of rules in a folder and those below it, in order; links to folders are followed once. */
async function rulesIn(walk: Walk, at: RulesAt, top: string): Promise<readonly string[]> {
  const found: string[] = [];
  const entered = new Set([top]);
  let names = 0;
  const open = [{ folder: at.folder, depth: 0 }];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { folder, depth } = next;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => null);
    if (entries === null) walk.note(`${folder} cannot be read`);
    for (const entry of (entries ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (++names > bounds.ruleNamesMax) {
        walk.note(`${at.folder} holds more than ${bounds.ruleNamesMax} names: the others are not read`);
        return found;
      }
      const path = join(folder, entry.name);
      if (entry.isFile() || (entry.isSymbolicLink() && entry.name.endsWith(suffixes[at.dialect]))) {
        if (entry.name.endsWith(suffixes[at.dialect])) found.push(path);
        continue;
      }
      const inner = entry.isDirectory() || entry.isSymbolicLink() ? await lookAt(path) : null;
      if (inner?.type !== "found" || inner.kind !== "folder" || entered.has(inner.located)) continue;
      entered.add(inner.located);
      if (depth < bounds.ruleFoldersDeepMax) open.push({ folder: path, depth: depth + 1 });
      else walk.note(`${path} lies too deep: the rules in it are not read`);
    }
  }
  return found;
}

/** One line for each, so that the model may Read them. */
export function addOnDemand(walk: Walk, rules: readonly OnDemand[]): void {
  if (rules.length === 0) return;
  const lines = rules.map(({ path, description }) => {
    const said = description.replace(/\s+/g, " ").slice(0, bounds.ruleDescriptionCharsMax);
    return `- ${inLine(path)}: ${said}`;
  });
  const text = lines.join("\n");
  walk.add({
    kind: "rule",
    name: onDemandName,
    origin: "project",
    because: null,
    text,
    hash: hashOf(text),
    tokens: estimate(text),
  });
}

const onDemandName = "rules on demand";
