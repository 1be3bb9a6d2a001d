import { describe, expect, test } from "vitest";
import { defaultCaps, parseContextBudget } from "../../src/workspace/context-budget.ts";
import { addedLines, type FoundFile, type InitStep, type InitWish, initPlan } from "../../src/workspace/init-plan.ts";

const usual: InitWish = { targets: null, gateway: "left out", documents: "left out" };
type Files = Readonly<Record<string, string | FoundFile>>;

const plan = (files: Files, wish: Partial<InitWish> = {}) =>
  initPlan({ ...usual, ...wish }, (path): FoundFile => {
    const found = Object.hasOwn(files, path) ? files[path] : undefined;
    if (found === undefined) return { type: "absent" };
    return typeof found === "string" ? { type: "text", place: `/p/${path}`, text: found } : found;
  });
const writes = (steps: readonly InitStep[]) => steps.filter(({ type }) => type === "write").map(({ path }) => path);
const after = (steps: readonly InitStep[], path: string) => {
  const step = steps.find((one) => one.path === path);
  return step?.type === "write" ? step.after : "";
};
const applied = (files: Files, wish: Partial<InitWish> = {}): Files => {
  const steps = plan(files, wish);
  return { ...files, ...Object.fromEntries(writes(steps).map((path) => [path, after(steps, path)])) };
};
const folder = { type: "folder" } as const;

describe("M-93 · where the habits are written", () => {
  const rows: readonly (readonly [string, Files, InitWish["targets"], readonly string[]])[] = [
    ["nothing is there: AGENTS.md", {}, null, ["AGENTS.md", "context-budget.md"]],
    ["AGENTS.md is there", { "AGENTS.md": "# A\n" }, null, ["AGENTS.md", "context-budget.md"]],
    ["CLAUDE.md is there", { "CLAUDE.md": "# C\n" }, null, ["CLAUDE.md", "context-budget.md", ".claude/settings.json"]],
    [
      "both, and each says its own",
      { "CLAUDE.md": "# C\n", "AGENTS.md": "# A\n" },
      null,
      ["CLAUDE.md", "AGENTS.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      "both, and CLAUDE.md imports the other: once",
      { "CLAUDE.md": "See @AGENTS.md\n", "AGENTS.md": "# A\n" },
      null,
      ["AGENTS.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      "the import is relative to the file that says it",
      { ".claude/CLAUDE.md": "@../AGENTS.md\n", "AGENTS.md": "# A\n" },
      null,
      ["AGENTS.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      "a name in a block of code is no import",
      { "CLAUDE.md": "```\n@AGENTS.md\n```\n", "AGENTS.md": "# A\n" },
      null,
      ["CLAUDE.md", "AGENTS.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      "both are one file by a link: once",
      { "CLAUDE.md": { type: "text", place: "/p/AGENTS.md", text: "# A\n" }, "AGENTS.md": "# A\n" },
      null,
      ["AGENTS.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      ".claude/CLAUDE.md counts",
      { ".claude": folder, ".claude/CLAUDE.md": "# C\n" },
      null,
      [".claude/CLAUDE.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      "a .cursor folder speaks of Cursor",
      { ".cursor": folder },
      null,
      [".cursor/rules/varve.mdc", "context-budget.md"],
    ],
    [
      "--for claude-code in an empty folder",
      {},
      ["claude-code"],
      ["CLAUDE.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      "--for claude-code beside AGENTS.md: no CLAUDE.md, which would hide it",
      { "AGENTS.md": "# A\n" },
      ["claude-code"],
      ["AGENTS.md", "context-budget.md", ".claude/settings.json"],
    ],
    [
      "--for all of them",
      {},
      ["claude-code", "cursor", "agents"],
      ["AGENTS.md", ".cursor/rules/varve.mdc", "context-budget.md", ".claude/settings.json"],
    ],
  ];
  test.each(rows)("%s", (_, files, targets, expected) => {
    expect(writes(plan(files, { targets }))).toEqual(expected);
  });
});

test("M-93 · the four habits stand in the section, and Cursor's rule always holds", () => {
  const steps = plan({}, { targets: ["agents", "cursor"] });
  for (const path of ["AGENTS.md", ".cursor/rules/varve.mdc"])
    for (const word of [
      /ranges/,
      /Text before screenshots/,
      /only confirms/,
      /Above 2k tokens extract the fields first/,
    ])
      expect(after(steps, path)).toMatch(word);
  expect(after(steps, ".cursor/rules/varve.mdc")).toMatch(
    /^---\ndescription: .+\nglobs:\nalwaysApply: true\n---\n\n<!-- varve:begin/,
  );
});

test("M-91 · the table that is written says the usual caps, every row is understood", () => {
  const { caps, faults, rows } = parseContextBudget(after(plan({}), "context-budget.md"), []);
  expect([caps, faults, Object.keys(rows)]).toEqual([
    defaultCaps,
    [],
    ["tool return", "named range", "window", "summary"],
  ]);
});

test("a second run changes nothing, whatever was there", () => {
  const wish: Partial<InitWish> = {
    targets: ["claude-code", "cursor", "agents"],
    gateway: "written",
    documents: "written",
  };
  const starts: readonly Files[] = [
    {},
    { "CLAUDE.md": "\ufeff# C\r\n", ".claude/settings.json": '{"env": {"A": "1"}}', ".mcp.json": "" },
    { "AGENTS.md": "no line end", "context-budget.md": "mine", ".cursor/mcp.json": '{\n "mcpServers": {"x": {}}\n}\n' },
  ];
  for (const files of starts) {
    const once = applied(files, wish);
    expect(writes(plan(once, wish))).toEqual([]);
  }
});

test("what the user wrote or changed stays, and is no failure", () => {
  const mine: Files = {
    "AGENTS.md": after(plan({}), "AGENTS.md").replace("Always ask", "Never ask"),
    "context-budget.md": "| what | cap |\n|---|---|\n| summary | 300 |\n",
    ".cursor/rules/varve.mdc": "---\nalwaysApply: false\n---\nmine\n",
    "docs/decisions.md": "# Ours\n",
    ".claude/settings.json":
      '{"bashOutputMaxChars": 30000, "env": {"BASH_MAX_OUTPUT_LENGTH": "1", "MAX_MCP_OUTPUT_TOKENS": "2"}}',
    "docs/project-context.md": "x",
  };
  const steps = plan(mine, { targets: ["agents", "cursor", "claude-code"], documents: "written" });
  expect(steps.map(({ type }) => type)).toEqual(steps.map(() => "left"));
  expect(steps).toHaveLength(6);
});

test("what cannot be written is named: a folder, a link that leads out, JSON with comments", () => {
  const steps = plan(
    {
      "CLAUDE.md": folder,
      "context-budget.md": { type: "unusable", why: "it leads out of the project, to /etc/x" },
      ".claude/settings.json": "{ // mine\n}",
    },
    { targets: ["claude-code"] },
  );
  expect(steps).toMatchObject([
    { path: "CLAUDE.md", type: "blocked", why: "it is a folder" },
    { path: "context-budget.md", type: "blocked", why: expect.stringContaining("/etc/x") },
    {
      path: ".claude/settings.json",
      type: "blocked",
      why: expect.stringMatching(/no plain JSON.*add by hand: \{"bash/),
    },
  ]);
});

test("the gateway's entry is written on demand only, for each agent where it reads it", () => {
  const entry = { mcpServers: { varve: { command: "varve", args: ["mcp"] } } };
  const steps = plan({}, { targets: ["claude-code", "cursor"], gateway: "written" });
  for (const path of [".mcp.json", ".cursor/mcp.json"]) expect(JSON.parse(after(steps, path))).toEqual(entry);
  expect(writes(plan({}, { targets: ["claude-code", "cursor"] })).filter((path) => path.endsWith("mcp.json"))).toEqual(
    [],
  );
  const own = { ".mcp.json": '{"mcpServers": {"varve": {"command": "mine"}}}' };
  const kept = plan(own, { gateway: "written" }).find(({ path }) => path === ".mcp.json");
  expect(kept).toMatchObject({ type: "left", why: "mcpServers.varve has a value of yours, which stays" });
});

test("the lines that a file gets are those it did not have", () => {
  expect(addedLines({ before: null, after: "a\nb\n" })).toEqual(["a", "b"]);
  expect(addedLines({ before: "a\na\n", after: "a\na\na\nb\n" })).toEqual(["a", "b"]);
});
