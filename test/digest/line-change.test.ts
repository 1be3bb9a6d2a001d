import fc from "fast-check";
import { expect, test } from "vitest";
import { lineChanges } from "../../src/digest/line-change.ts";

const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i"), { maxLength: 30 });

test("what was there, with the changes made, is what is there now", () => {
  fc.assert(
    fc.property(lines, lines, (before, now) => {
      const made: string[] = [];
      let at = 0;
      for (const { from, to, nowFrom, nowTo } of lineChanges(before, now)) {
        made.push(...before.slice(at, from), ...now.slice(nowFrom, nowTo));
        at = to;
      }
      expect([...made, ...before.slice(at)]).toEqual(now);
    }),
  );
});

test.each([
  ["nothing", "a b c", "a b c", []],
  ["one line", "a b c", "a x c", [[1, 2, 1, 2]]],
  ["one more", "a b c", "a b x c", [[2, 2, 2, 3]]],
  ["one less", "a b c", "a c", [[1, 2, 1, 1]]],
  [
    "one that moved",
    "a b c d",
    "b c d a",
    [
      [0, 1, 0, 0],
      [4, 4, 3, 4],
    ],
  ],
] as const)("%s", (_, before, now, changes) => {
  const found = lineChanges(before.split(" "), now.split(" "));
  expect(found.map(({ from, to, nowFrom, nowTo }) => [from, to, nowFrom, nowTo])).toEqual(changes);
});

test("a hundred thousand equal lines take no more than one look", () => {
  const many = Array.from({ length: 100_000 }, () => "x");
  expect(lineChanges(many, [...many, "y"])).toEqual([{ from: 100_000, to: 100_000, nowFrom: 100_000, nowTo: 100_001 }]);
});
