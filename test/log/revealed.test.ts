import { expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import { withRevealed, withToolUsed } from "../../src/log/revealed.ts";

const buy = { name: "mcp__shop__buy", server: "shop", tool: "buy", declaration: "{}", definition: hashOf("buy") };

test("a tool that was found is in use by the turn in which it was found or called last", () => {
  const found = withRevealed({}, [buy], 3);
  expect(found[buy.name]).toEqual({ ...buy, usedTurn: 3 });
  expect(withToolUsed(found, buy.name, 3)).toBe(found);
  expect(withToolUsed(found, buy.name, 5)[buy.name]?.usedTurn).toBe(5);
});

test("a name that every object has is no tool that was found", () => {
  const found = withRevealed({}, [buy], 1);
  for (const name of ["constructor", "toString", "__proto__"]) expect(withToolUsed(found, name, 2)).toBe(found);
});
