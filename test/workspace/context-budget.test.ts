import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { defaultCaps, parseContextBudget } from "../../src/workspace/context-budget.ts";
import { capsLine, faultLines, returnCap } from "../../src/workspace/context-caps.ts";

const tools = ["Bash", "Grep", "Read"];
const table = (...rows: readonly string[]) => ["# Budget", "", "| what | cap |", "|---|---|", ...rows].join("\n");
const parsed = (...rows: readonly string[]) => parseContextBudget(table(...rows), tools);

describe("a row of the table", () => {
  test.each([
    ["| one tool return | 1k tokens |", { returnTokens: 1_000 }],
    ["| Tool result | 1,500 |", { returnTokens: 1_500 }],
    ["| Read of a named range | 6k tokens |", { rangeTokens: 6_000 }],
    ["| named range | 2.5k |", { rangeTokens: 2_500 }],
    ["| window | 10 rounds |", { windowRounds: 10 }],
    ["| **Window rounds** | 20 |", { windowRounds: 20 }],
    ["| summary | 300 tokens |", { summaryTokens: 300 }],
    ["| total | 60 % |", { totalPercent: 60 }],
    ["| whole context | 45% of the window |", { totalPercent: 45 }],
    ["| `Bash` | 800 tokens |", { tools: { Bash: 800 } }],
    ["| tool mcp__github__list | 700 |", { tools: { mcp__github__list: 700 } }],
    ["| tool Deploy | 700 | because it is loud |", { tools: { Deploy: 700 } }],
    ["| server github | 1_200 tokens |", { servers: { github: 1_200 } }],
    ["| mcp__github | 900 tokens |", { servers: { github: 900 } }],
    ["| mcp__my_db__* | 900 tokens |", { servers: { my_db: 900 } }],
    ["what is no table ends it", {}],
    ["Grep | 600", { tools: { Grep: 600 } }],
  ])("%s", (row, caps) => {
    expect(parsed(row)).toEqual({ caps: { ...defaultCaps, ...caps }, faults: [], rows: expect.anything() });
  });

  test.each([
    ["| tool return | many |", /number of tokens from 50/],
    ["| tool return | -5 tokens |", /got "-5 tokens"/],
    ["| tool return | 0 |", /from 50/],
    ["| tool return | 1.5 tokens |", /number of tokens/],
    ["| tool return | 20 rounds |", /number of tokens/],
    ["| tool return | |", /number of tokens/],
    ["| tool return |", /number of tokens/],
    ["| tool return | 99999999 |", /1,000,000/],
    ["| tool return | Infinity |", /number of tokens/],
    ["| tool return | 1e3 |", /number of tokens/],
    ["| window | 31 |", /rounds from 1 to 30/],
    ["| window | 14 tokens |", /rounds/],
    ["| total | 120 % |", /percent from 5 to 100/],
    ["| total | 60k tokens |", /percent/],
    ["| Basch | 800 |", /"Basch" is no row known here/],
    ["| lunch | 800 |", /no row known/],
    ["| __proto__ | 800 |", /no row known/],
    ["| | 800 |", /names nothing/],
  ])("%s is a fault at its line, and the rest holds", (row, why) => {
    const { caps, faults } = parsed("| summary | 300 |", row, "| Bash | 900 |");
    expect(caps).toEqual({ ...defaultCaps, summaryTokens: 300, tools: { Bash: 900 } });
    expect(faults).toEqual([{ line: 6, why: expect.stringMatching(why) }]);
  });

  test("the first of two rows that say the same holds", () => {
    const { caps, faults } = parsed("| Bash | 500 |", "| tool Bash | 900 |");
    expect(caps.tools).toEqual({ Bash: 500 });
    expect(faults).toEqual([{ line: 6, why: expect.stringContaining("line 5") }]);
  });
});

describe("a file", () => {
  test("of several tables: those of caps count, others and code do not", () => {
    const text = [
      "| owner | since |",
      "|-------|-------|",
      "| me    | 2026  |",
      "",
      "```",
      table("| tool return | 50 |"),
      "```",
      table("| tool return | 1k |"),
      "",
      "words",
      "",
      "| Item | Limit | why |",
      "| :--- | ---: | --- |",
      "| window | 12 | small |",
    ].join("\r\n");
    expect(parseContextBudget(`\ufeff${text}`, tools)).toEqual({
      caps: { ...defaultCaps, returnTokens: 1_000, windowRounds: 12 },
      faults: [],
      rows: { "tool return": 16, window: 22 },
    });
  });

  test.each([
    ["without a table", "# Budget\n\nBe brief.", /no table with the header/],
    ["that is empty", "", /no table/],
    ["that is too long", `${table("| window | 12 |")}${" ".repeat(bounds.contextBudgetCharsMax)}`, /more than/],
  ])("%s is one fault at its first line, and the defaults hold", (_name, text, why) => {
    expect(parseContextBudget(text, tools)).toEqual({
      caps: defaultCaps,
      faults: [{ line: 1, why: expect.stringMatching(why) }],
      rows: {},
    });
  });

  test("of any characters at all is read in one go and never throws; every fault names a line that is there", () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom("|", "\n", "|---|---|\n", "| what | cap |\n", "| window | 12 |\n", "```\n"),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        const { faults } = parseContextBudget(text, tools);
        for (const { line } of faults) expect(line).toBeLessThanOrEqual(text.split("\n").length);
      }),
      { numRuns: 300 },
    );
  });
});

test("the cap of a return: the tool's own, else its server's, else that of its kind", () => {
  const { caps } = parsed(
    "| tool return | 1k |",
    "| named range | 5k |",
    "| Bash | 300 |",
    "| server db | 400 |",
    "| tool mcp__db__dump | 200 |",
  );
  const cap = (tool: string, isRange = false) => returnCap(caps, tool, isRange);
  expect(["Bash", "Grep", "mcp__db__list", "mcp__db__dump", "mcp__web__get"].map((tool) => cap(tool))).toEqual([
    300, 1_000, 400, 200, 1_000,
  ]);
  expect(cap("Read", true)).toBe(5_000);
  expect(returnCap(defaultCaps, "Bash", false)).toBe(2_000);
  expect(returnCap(defaultCaps, "Read", true)).toBe(8_000);
});

test("the agent is told every cap and which lines have no effect; the user, why", () => {
  const budget = parsed("| Bash | 300 |", "| lunch | 3 |", "| total | 50 % |");
  expect(capsLine(budget)).toBe(
    "at most: one tool return 2,000 tokens; Read of a named range 8,000 tokens; window 14 rounds; summary 400 tokens; " +
      "a whole request 50 % of the window; Bash 300 tokens (without effect in context-budget.md: line 6)",
  );
  expect(faultLines(budget)).toEqual([expect.stringMatching(/^context-budget\.md, line 6: "lunch" is no row/)]);
});
