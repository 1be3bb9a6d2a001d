import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import {
  definitionTokens,
  due,
  measuredEntries,
  type NotedCall,
  noSums,
  noted,
  type Sums,
} from "../../src/mcp/measured.ts";
import type { ServerTool } from "../../src/ports/servers.ts";

const call = (more: Partial<NotedCall> = {}): NotedCall => ({
  server: "s",
  tool: "t",
  ending: "done",
  rawTokens: 300,
  shownTokens: 100,
  ms: 20,
  ...more,
});
const tool: ServerTool = {
  name: "t",
  title: null,
  description: "Reads a file.",
  inputSchema: undefined,
  outputSchema: undefined,
  readOnlyHint: true,
  destructiveHint: false,
  alwaysLoad: false,
};

const all = (...calls: readonly NotedCall[]): Sums => calls.reduce(noted, noSums);
const entries = (sums: Sums) => measuredEntries(sums, (server) => (server === "s" ? [tool] : []));

describe("a session's sums", () => {
  test("add up what calls of a tool cost, and keep the largest result", () => {
    expect(entries(all(call(), call({ rawTokens: 500, shownTokens: 120, ms: 30 })))).toEqual([
      {
        type: "server-measured",
        server: "s",
        toolCount: 1,
        definitionTokens: definitionTokens([tool]),
        tools: [
          {
            tool: "t",
            calls: 2,
            failed: 0,
            rawTokens: 800,
            shownTokens: 220,
            rawTokensMax: 500,
            shownTokensMax: 120,
            ms: 50,
          },
        ],
      },
    ]);
  });

  test("are one entry per server", () => {
    const made = entries(all(call(), call({ server: "other" }), call({ tool: "u" })));
    expect(made.map(({ server, tools }) => [server, tools.map(({ tool }) => tool)])).toEqual([
      ["s", ["t", "u"]],
      ["other", ["t"]],
    ]);
  });

  test.each(["failed", "timed-out"] as const)("count a call that %s, and not the words of its error", (ending) => {
    expect(entries(all(call({ ending })))[0]?.tools).toMatchObject([{ calls: 1, failed: 1, rawTokens: 0, ms: 20 }]);
  });

  test.each(["refused", "interrupted", "not-run"] as const)("do not count a call that was %s", (ending) => {
    expect(all(call({ ending }))).toBe(noSums);
  });

  test("law 10 · are due after bounds.measuredCallsMax calls", () => {
    const calls = Array.from({ length: bounds.measuredCallsMax }, () => call());
    expect(due(all(...calls.slice(1)))).toBe(false);
    expect(due(all(...calls))).toBe(true);
    expect(due(noSums)).toBe(false);
  });

  test("law 10 · hold bounds.cardServersMax servers and bounds.cardToolsMax tools, and names up to bounds.cardNameCharsMax", () => {
    const servers = Array.from({ length: bounds.cardServersMax + 1 }, (_, at) => call({ server: `s${at}` }));
    expect(all(...servers).servers.size).toBe(bounds.cardServersMax);
    const tools = Array.from({ length: bounds.cardToolsMax + 1 }, (_, at) => call({ tool: `t${at}` }));
    expect(all(...tools).servers.get("s")?.size).toBe(bounds.cardToolsMax);
    expect(all(call({ tool: "x".repeat(bounds.cardNameCharsMax + 1) }))).toBe(noSums);
    expect(all(call({ tool: "x".repeat(bounds.cardNameCharsMax) }))).not.toBe(noSums);
  });

  test("keep names that objects have by themselves", () => {
    expect(entries(all(call({ server: "__proto__", tool: "constructor" })))[0]?.tools[0]?.tool).toBe("constructor");
  });

  test("take a clock that was set back for no time", () => {
    expect(entries(all(call({ ms: -5 })))[0]?.tools[0]?.ms).toBe(0);
  });
});

test("definition tokens grow with what a server says of its tools, and a tool without a schema counts too", () => {
  const bare = definitionTokens([tool]);
  expect(bare).toBeGreaterThan(5);
  expect(definitionTokens([{ ...tool, inputSchema: { type: "object", properties: { path: {} } } }])).toBeGreaterThan(
    bare,
  );
  expect(definitionTokens([])).toBe(0);
});
