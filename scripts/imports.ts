import { posix } from "node:path";
import ts from "typescript";
import { lineOf, type Source, walk } from "./sources.ts";

/** An import of any kind: static, type-only, re-export, dynamic, `import("x").T`. `target` is a path for relative ones. */
export type Import = {
  readonly from: string;
  readonly line: number;
  readonly specifier: string;
  readonly target:
    | { readonly type: "file"; readonly path: string }
    | { readonly type: "package"; readonly name: string };
};

export function importsOf(from: Source): readonly Import[] {
  const found: Import[] = [];
  walk(from.ast, (node) => {
    const specifier = specifierOf(node);
    if (specifier === null) return;
    found.push({ from: from.path, line: lineOf(from, node), specifier, target: targetOf(from.path, specifier) });
  });
  return found;
}

function specifierOf(node: ts.Node): string | null {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined)
    return literal(node.moduleSpecifier);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return literal(node.argument.literal);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return literal(node.arguments[0]);
  return null;
}

function literal(node: ts.Node | undefined): string | null {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : null;
}

function targetOf(from: string, specifier: string): Import["target"] {
  if (specifier.startsWith(".")) return { type: "file", path: posix.join(posix.dirname(from), specifier) };
  if (specifier.startsWith("node:")) return { type: "package", name: specifier };
  const parts = specifier.split("/");
  return { type: "package", name: parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/") };
}

/** Import cycles, each as the files in the order they import one another. */
export function cyclesOf(imports: readonly Import[]): readonly (readonly string[])[] {
  const next = new Map<string, Set<string>>();
  for (const one of imports) {
    if (one.target.type !== "file") continue;
    next.set(one.from, (next.get(one.from) ?? new Set()).add(one.target.path));
  }
  const cycles: (readonly string[])[] = [];
  const finished = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) cycles.push([...trail.slice(at), file]);
    if (at >= 0 || finished.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...trail, file]);
    finished.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}
