import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type BudgetException, budgetBreaches, budgetFaults, moduleMocks } from "../scripts/budgets.ts";
import { readSources, source } from "../scripts/sources.ts";

const root = join(import.meta.dirname, "..");

describe("the source tree keeps its budgets", () => {
  test("sizes, casts, any and readonly are within the limits, or an exception gives the reason", () => {
    const exceptions: readonly BudgetException[] = JSON.parse(
      readFileSync(join(root, "test/budget-exceptions.json"), "utf8"),
    );
    expect(budgetFaults(budgetBreaches(readSources(root, "src")), exceptions)).toEqual([]);
  });

  test("no test replaces a module", () => {
    expect(moduleMocks(readSources(root, "test"))).toEqual([]);
  });
});

describe("the budget check can fail", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `  use(${at});`).join("\n");
  const rows: readonly { readonly name: string; readonly text: string; readonly budget: string }[] = [
    { name: "a file of 401 lines is too long", text: lines(401), budget: "fileLinesMax" },
    { name: "a function of 72 lines is too long", text: `function f() {\n${lines(70)}\n}`, budget: "functionLinesMax" },
    { name: "an arrow function counts too", text: `const f = () => {\n${lines(70)}\n};`, budget: "functionLinesMax" },
    { name: "any is counted where it stands", text: "let x: any;", budget: "any" },
    { name: "a cast is counted", text: "const x = y as T;", budget: "castsPerKlocMax" },
    { name: "a non-null assertion is a cast", text: "const x = y!;", budget: "castsPerKlocMax" },
    { name: "a mutable property is counted", text: "type T = { a: string };", budget: "readonlyPercentMin" },
    {
      name: "sixteen imports are too many",
      text: Array.from({ length: 16 }, (_, at) => `import "./m${at}.ts";`).join("\n"),
      budget: "importsMax",
    },
    {
      name: "a class of four mutable fields is too much",
      text: "class C { a; b; c; d; }",
      budget: "classMutableFieldsMax",
    },
    {
      name: "a class of thirteen members is too large",
      text: `class C { ${Array.from({ length: 13 }, (_, at) => `m${at}() {}`).join(" ")} }`,
      budget: "classMembersMax",
    },
  ];
  test.each(rows)("$name", ({ text, budget }) => {
    expect(budgetBreaches([source("src/x/bad.ts", text)]).map((one) => one.budget)).toContain(budget);
  });

  test("as const is no cast, and a readonly type breaks nothing", () => {
    const text = 'const x = ["a"] as const;\ntype T = { readonly a: string };';
    expect(budgetBreaches([source("src/x/good.ts", text)])).toEqual([]);
  });

  test("an exception covers its own breach only, and is reported when it is no longer needed", () => {
    const breaches = [{ where: "src/a.ts", budget: "any", found: 1 }];
    const fits = { where: "src/a.ts", budget: "any", reason: "the vendor's own type says so" };
    expect(budgetFaults(breaches, [fits])).toEqual([]);
    expect(budgetFaults(breaches, [{ ...fits, where: "src/b.ts" }])).toHaveLength(2);
    expect(budgetFaults(breaches, [{ ...fits, reason: "" }])).toHaveLength(1);
  });

  test("a module mock is found", () => {
    expect(moduleMocks([source("test/x.test.ts", 'vi["fn"]();\nvi.mock("./x.ts");')])).toEqual(["test/x.test.ts:2"]);
  });
});
