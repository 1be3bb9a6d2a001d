import fc from "fast-check";
import { expect, test } from "vitest";
import { toolName } from "../../src/mcp/names.ts";

const legal = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

test("a usual name stands as it is, so that the usual rules name it", () => {
  expect(toolName("github", "create_issue")).toBe("mcp__github__create_issue");
  expect(toolName("my-server", "browser_click")).toBe("mcp__my-server__browser_click");
  expect(toolName("a", "b__c")).toBe("mcp__a__b__c");
  expect(toolName("s".repeat(37), "t".repeat(20))).toHaveLength(64);
  expect(toolName("s".repeat(37), "t".repeat(20))).toMatch(/t{20}$/);
});

test("C-045 · six tools whose cleaned names collide are six legal names", () => {
  const names = [
    ...["get.user", "get_user", "获取", "获得"].map((tool) => toolName("S1", tool)),
    toolName("a_b", "c"),
    toolName("a", "b_c"),
  ];
  expect(new Set(names).size).toBe(6);
  for (const name of names) expect(name).toMatch(legal);
  expect(names[0]).toMatch(/^mcp__S1__get_user_[0-9a-f]{8}$/);
  expect(names.slice(1, 2)).toEqual(["mcp__S1__get_user"]);
  expect(names.slice(4)).toEqual(["mcp__a_b__c", "mcp__a__b_c"]);
});

test("pairs that would be joined to one text stay apart", () => {
  const pairs = [
    ...[
      ["a", "b__c"],
      ["a__b", "c"],
      ["a_", "c"],
      ["a", "_c"],
    ],
    ...[
      ["a", "get_user"],
      ["a", toolName("a", "get.user").slice("mcp__a__".length)],
      ["a", "get.user"],
    ],
  ] as const;
  expect(new Set(pairs.map(([server = "", tool = ""]) => toolName(server, tool))).size).toBe(pairs.length);
});

test("a rule for all tools of one server never means those of another", () => {
  expect(toolName("a__b", "c").startsWith("mcp__a__")).toBe(false);
  expect(toolName("a b", "c").startsWith("mcp__a_b__")).toBe(false);
});

const part = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "_", ".", "-", " ", "获", "/"), maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 90 }),
  fc.string({ unit: fc.constantFrom("a", "_", "0"), minLength: 20, maxLength: 90 }),
);

test("whatever servers and tools are called, their names are legal, and no two share one", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part), { maxLength: 40 }), (pairs) => {
      const apart = [...new Map(pairs.map((pair) => [JSON.stringify(pair), pair])).values()];
      const names = apart.map(([server, tool]) => toolName(server, tool));
      for (const name of names) expect(name).toMatch(legal);
      expect(new Set(names).size).toBe(apart.length);
    }),
  );
});
