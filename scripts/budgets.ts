import ts from "typescript";
import { importsOf } from "./imports.ts";
import { lineOf, type Source, walk } from "./sources.ts";

/** Size and habit limits of the source tree; a breach fails the tests unless `budget-exceptions.json` gives a reason. */
export const budgets = {
  fileLinesMax: 400,
  fileLinesP90: 250,
  functionLinesMax: 70,
  functionLinesP99: 50,
  importsMax: 15,
  classMembersMax: 12,
  classMutableFieldsMax: 3,
  castsPerKlocMax: 3,
  readonlyPercentMin: 90,
} as const;

export type BudgetException = { readonly where: string; readonly budget: string; readonly reason: string };

/** One measured thing: `where` names it, so that an exception can. */
export type Breach = { readonly where: string; readonly budget: string; readonly found: number };

type Sized = { readonly where: string; readonly lines: number };

/** Every breach of a budget in these sources; empty when all are kept. */
export function budgetBreaches(sources: readonly Source[]): readonly Breach[] {
  return [...sizeBreaches(sources), ...classBreaches(sources), ...habitBreaches(sources)];
}

/** Breaches that no exception covers, and exceptions that cover nothing, as lines for people. */
export function budgetFaults(breaches: readonly Breach[], exceptions: readonly BudgetException[]): readonly string[] {
  const covers = (one: BudgetException, breach: Breach) => one.where === breach.where && one.budget === breach.budget;
  const open = breaches.filter((breach) => !exceptions.some((one) => covers(one, breach)));
  const idle = exceptions.filter((one) => !breaches.some((breach) => covers(one, breach)));
  return [
    ...open.map((breach) => `${breach.where}: ${breach.budget} is ${breach.found}`),
    ...idle.map((one) => `the exception for ${one.where} (${one.budget}) is not needed`),
    ...exceptions
      .filter((one) => one.reason.length < 20)
      .map((one) => `the exception for ${one.where} gives no reason`),
  ];
}

/** Test files that replace a module: the ports are there so that nobody has to. */
export function moduleMocks(tests: readonly Source[]): readonly string[] {
  const mocking = /^(vi|vitest|jest)\.(mock|doMock|hoisted|unstable_mockModule)$/;
  const found: string[] = [];
  for (const one of tests)
    walk(one.ast, (node) => {
      if (ts.isCallExpression(node) && mocking.test(node.expression.getText()))
        found.push(`${one.path}:${lineOf(one, node)}`);
    });
  return found;
}

function sizeBreaches(sources: readonly Source[]): readonly Breach[] {
  const files = sources.map((one) => ({ where: one.path, lines: one.text.trimEnd().split("\n").length }));
  const functions = sources.flatMap(functionsOf);
  const imports = sources.map((one) => ({
    where: one.path,
    lines: new Set(importsOf(one).map((i) => i.specifier)).size,
  }));
  return [
    ...above(files, "fileLinesMax", budgets.fileLinesMax),
    ...above(functions, "functionLinesMax", budgets.functionLinesMax),
    ...above(imports, "importsMax", budgets.importsMax),
    ...above([{ where: "src", lines: quantile(files, 0.9) }], "fileLinesP90", budgets.fileLinesP90),
    ...above([{ where: "src", lines: quantile(functions, 0.99) }], "functionLinesP99", budgets.functionLinesP99),
  ];
}

function above(items: readonly Sized[], budget: string, max: number): readonly Breach[] {
  return items.filter((one) => one.lines > max).map((one) => ({ where: one.where, budget, found: one.lines }));
}

function quantile(items: readonly Sized[], share: number): number {
  const sorted = items.map((one) => one.lines).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function functionsOf(one: Source): readonly Sized[] {
  const found: Sized[] = [];
  walk(one.ast, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return;
    const last = one.ast.getLineAndCharacterOfPosition(node.end).line + 1;
    found.push({ where: `${one.path} ${nameOf(node)}`, lines: last - lineOf(one, node) + 1 });
  });
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const parent = node.parent;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : "(anonymous)";
}

function classBreaches(sources: readonly Source[]): readonly Breach[] {
  const breaches: Breach[] = [];
  for (const one of sources)
    walk(one.ast, (node) => {
      if (!ts.isClassLike(node)) return;
      const where = `${one.path} ${node.name?.text ?? "(class)"}`;
      const mutable = node.members.filter((member) => ts.isPropertyDeclaration(member) && !isReadonly(member)).length;
      if (node.members.length > budgets.classMembersMax)
        breaches.push({ where, budget: "classMembersMax", found: node.members.length });
      if (mutable > budgets.classMutableFieldsMax)
        breaches.push({ where, budget: "classMutableFieldsMax", found: mutable });
    });
  return breaches;
}

function habitBreaches(sources: readonly Source[]): readonly Breach[] {
  const anys: Breach[] = [];
  const count = { casts: 0, properties: 0, readonly: 0 };
  for (const one of sources)
    walk(one.ast, (node) => {
      if (node.kind === ts.SyntaxKind.AnyKeyword)
        anys.push({ where: `${one.path}:${lineOf(one, node)}`, budget: "any", found: 1 });
      if (isCast(node)) count.casts += 1;
      if (!ts.isPropertySignature(node) && !ts.isPropertyDeclaration(node)) return;
      count.properties += 1;
      if (isReadonly(node)) count.readonly += 1;
    });
  const castsPerKloc = (count.casts * 1000) / Math.max(1, codeLines(sources));
  const readonlyPercent = count.properties === 0 ? 100 : (count.readonly * 100) / count.properties;
  const whole: Breach[] = [];
  if (castsPerKloc > budgets.castsPerKlocMax)
    whole.push({ where: "src", budget: "castsPerKlocMax", found: Number(castsPerKloc.toFixed(1)) });
  if (readonlyPercent < budgets.readonlyPercentMin)
    whole.push({ where: "src", budget: "readonlyPercentMin", found: Number(readonlyPercent.toFixed(1)) });
  return [...anys, ...whole];
}

/** `as T`, `<T>x` and `x!`; `as const` narrows and is no claim. */
function isCast(node: ts.Node): boolean {
  if (ts.isNonNullExpression(node) || ts.isTypeAssertionExpression(node)) return true;
  return ts.isAsExpression(node) && node.type.getText() !== "const";
}

function isReadonly(node: ts.PropertySignature | ts.PropertyDeclaration): boolean {
  return node.modifiers?.some((one) => one.kind === ts.SyntaxKind.ReadonlyKeyword) ?? false;
}

function codeLines(sources: readonly Source[]): number {
  const isCode = (line: string) => line.trim() !== "" && !/^\s*(\/\/|\*|\/\*)/.test(line);
  return sources.reduce((sum, one) => sum + one.text.split("\n").filter(isCode).length, 0);
}
