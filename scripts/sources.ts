import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";

/** One parsed file. `path` is relative to the repository and uses `/`. */
export type Source = { readonly path: string; readonly text: string; readonly ast: ts.SourceFile };

/** Every TypeScript file below `root/folder`, in path order. */
export function readSources(root: string, folder: string): readonly Source[] {
  return filesBelow(join(root, folder))
    .map((file) => source(relative(root, file).replaceAll("\\", "/"), readFileSync(file, "utf8")))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** For tests of the checks: a file that is nowhere on disk. */
export function source(path: string, text: string): Source {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind) };
}

/** Visits every node below `node`, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}

export function lineOf(from: Source, node: ts.Node): number {
  return from.ast.getLineAndCharacterOfPosition(node.getStart(from.ast)).line + 1;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name);
    if (item.isDirectory()) return item.name === "node_modules" || item.name === "fixtures" ? [] : filesBelow(path);
    return /(?<!\.d)\.tsx?$/.test(item.name) ? [path] : [];
  });
}
