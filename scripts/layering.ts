import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { cyclesOf, type Import, importsOf } from "./imports.ts";
import { lineOf, readSources, type Source, walk } from "./sources.ts";

/** The layer map and its exceptions, as in `layering.json`. */
export type Layering = {
  readonly levels: Readonly<Record<string, number>>;
  /** Folders that may use the platform: node:*, packages, environment, clock. */
  readonly platform: readonly string[];
  readonly testingImporters: readonly string[];
  readonly simulator: { readonly folder: string; readonly mayImport: readonly string[] };
  readonly exceptions: readonly {
    readonly file: string;
    readonly allows: readonly string[];
    readonly reason: string;
  }[];
};

export function readLayering(root: string): Layering {
  // The file is ours and is checked by its use: a wrong shape fails the run.
  const rules: Layering = JSON.parse(readFileSync(join(root, "scripts/layering.json"), "utf8"));
  return rules;
}

/** One line per fault; empty when the tree keeps the layers. */
export function layeringFaults(sources: readonly Source[], rules: Layering): readonly string[] {
  const imports = sources.flatMap(importsOf);
  const used = new Set<string>();
  const excused = (file: string, what: string): boolean => {
    const found = rules.exceptions.find((one) => within(file, one.file) && one.allows.includes(what));
    if (found !== undefined) used.add(`${found.file} ${what}`);
    return found !== undefined;
  };
  const faults = [
    ...sources.flatMap((one) => unknownFolder(one, rules)),
    ...imports.flatMap((one) => importFault(one, rules, excused)),
    ...sources.flatMap((one) => worldReads(one, rules, excused)),
    ...cyclesOf(imports).map((cycle) => `import cycle: ${cycle.join(" -> ")}`),
  ];
  const idle = rules.exceptions
    .flatMap((one) => one.allows.map((what) => `${one.file} ${what}`))
    .filter((key) => !used.has(key));
  return [...faults, ...idle.map((key) => `layering.json: the exception "${key}" is not used`)];
}

type Excused = (file: string, what: string) => boolean;

function unknownFolder(one: Source, rules: Layering): readonly string[] {
  return rules.levels[folderOf(one.path)] === undefined ? [`${one.path}: folder is not in the layer map`] : [];
}

function importFault(one: Import, rules: Layering, excused: Excused): readonly string[] {
  const at = `${one.from}:${one.line}`;
  const folder = folderOf(one.from);
  if (one.target.type === "package") {
    if (rules.platform.includes(folder) || excused(one.from, one.target.name)) return [];
    return [`${at} imports ${one.target.name}: packages and node:* belong in ${rules.platform.join(", ")}`];
  }
  if (!one.target.path.startsWith("src/")) return [`${at} imports ${one.target.path}, which is outside src`];
  const target = folderOf(one.target.path);
  if (target === folder && !leavesSimulator(one, rules)) return [];
  if (within(one.from, rules.simulator.folder))
    return rules.simulator.mayImport.includes(target)
      ? []
      : [`${at}: the simulator imports kernel only, not ${target}`];
  if (target === "testing") return testingFault(one, rules, at);
  const own = rules.levels[folder] ?? -1;
  const other = rules.levels[target] ?? Number.POSITIVE_INFINITY;
  return other < own ? [] : [`${at}: ${folder} (${own}) must not import ${target} (${other})`];
}

function leavesSimulator(one: Import, rules: Layering): boolean {
  if (one.target.type !== "file") return false;
  return within(one.from, rules.simulator.folder) && !within(one.target.path, rules.simulator.folder);
}

function testingFault(one: Import, rules: Layering, at: string): readonly string[] {
  if (rules.testingImporters.some((folder) => within(one.from, folder))) return [];
  return [`${at}: only ${rules.testingImporters.join(" and ")} may import testing`];
}

const worldCalls: readonly string[] = [
  "Date.now",
  "Math.random",
  "performance.now",
  "crypto.randomUUID",
  "crypto.getRandomValues",
];
const worldNames: readonly string[] = [
  "process",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "fetch",
  "Buffer",
  "console",
];

/** Time, randomness, environment and working directory come through ports (DESIGN 3). */
function worldReads(one: Source, rules: Layering, excused: Excused): readonly string[] {
  if (rules.platform.includes(folderOf(one.path))) return [];
  const faults: string[] = [];
  const own = namesDeclaredIn(one);
  walk(one.ast, (node) => {
    const read = worldRead(node, own);
    if (read !== null && !excused(one.path, read))
      faults.push(`${one.path}:${lineOf(one, node)} reads ${read}: it comes through a port`);
  });
  return faults;
}

/** A file that declares `fetch` itself means its own. */
function namesDeclaredIn(one: Source): ReadonlySet<string> {
  const names = new Set<string>();
  walk(one.ast, (node) => {
    const isDeclaration = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
    if ((isDeclaration || ts.isFunctionDeclaration(node) || ts.isImportSpecifier(node)) && node.name !== undefined)
      names.add(node.name.getText());
  });
  return names;
}

function worldRead(node: ts.Node, own: ReadonlySet<string>): string | null {
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText().replace(/^globalThis\./, "");
    return worldCalls.includes(name) ? name : null;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && (node.arguments?.length ?? 0) === 0)
    return "new Date()";
  if (ts.isCallExpression(node) && node.expression.getText() === "Date") return "Date()";
  if (!ts.isIdentifier(node) || !worldNames.includes(node.text) || own.has(node.text)) return null;
  return isReference(node) ? node.text : null;
}

/** A name that is read, not one that is declared or a member of something else. */
function isReference(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return parent.expression.getText() === "globalThis";
  if (ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isTypeQueryNode(parent)) return false;
  const declared = "name" in parent && parent.name === node;
  return !declared || ts.isShorthandPropertyAssignment(parent);
}

function folderOf(path: string): string {
  return path.split("/")[1] ?? path;
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`) || path === `${folder}.ts`;
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..");
  const faults = layeringFaults(readSources(root, "src"), readLayering(root));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
