import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const decisions = readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`);
const documents = [
  "README.md",
  "AGENTS.md",
  "CHANGELOG.md",
  "docs/ARCHITECTURE.md",
  "docs/glossary.md",
  "docs/hooks.md",
  "docs/mcp.md",
  "docs/audit.md",
  "docs/commands.md",
  "docs/compaction.md",
  "docs/models.md",
  "docs/permissions.md",
  "docs/security.md",
  "docs/simulator.md",
  "docs/testing-any-agent.md",
  ...decisions,
];

/** Targets of Markdown links that point into the repository, without anchors. */
function linksOf(path: string): readonly string[] {
  const targets = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  return targets.filter((target) => !/^[a-z]+:|^#/.test(target)).map((target) => target.replace(/#.*/, ""));
}

describe("the architecture document", () => {
  const text = read("docs/ARCHITECTURE.md");
  const laws = [
    "1 Append",
    "2 Prefix",
    "3 Nothing lost",
    "4 Well-formed",
    "5 Budget",
    "6 Facts",
    "7 Determinism",
    "8 Never worse",
    "9 Honest meter",
    "10 Bounded",
  ];
  test.each(laws)("law %s has a test that enforces it", (law) => {
    const row = text.split("\n").find((line) => line.startsWith(`| ${law} |`)) ?? "";
    expect(row).toMatch(/\(\.\.\/test\/[a-z0-9/-]+\.test\.ts\)/);
  });

  test("folders in the tree of AGENTS.md exist, and every folder of src stands in it", () => {
    const tree = read("AGENTS.md");
    for (const item of readdirSync(join(root, "src"))) expect(tree).toContain(item);
  });
});

describe("documents are true", () => {
  test.each(documents)("%s links only what exists", (path) => {
    const missing = linksOf(path).filter((target) => !existsSync(join(root, dirname(path), target)));
    expect(missing).toEqual([]);
  });

  test.each(documents)("%s names only scripts that package.json has", (path) => {
    const { scripts }: { readonly scripts: Record<string, string> } = JSON.parse(read("package.json"));
    const named = [...read(path).matchAll(/npm run (?:-s )?([a-z0-9]+)/g)].map((match) => match[1] ?? "");
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test("AGENTS.md stays short enough to be read", () => {
    expect(read("AGENTS.md").split("\n").length).toBeLessThan(150);
  });

  test("every number of a decision record is used once", () => {
    const numbers = decisions.map((path) => /\/(\d{4})-/.exec(path)?.[1]);
    expect(new Set(numbers).size).toBe(decisions.length);
  });
});

describe("the example in the README", () => {
  test("is the file that the type check compiles", () => {
    const block = /```ts\n([\s\S]*?)```/.exec(read("README.md"))?.[1];
    expect(block).toBe(read("examples/library.ts"));
  });
});
