import { expect, test } from "vitest";
import { madeOnce } from "../../src/kernel/once.ts";

test("a value is made once per object, an absent one too, and each maker keeps its own", () => {
  const [first, second] = [madeOnce<object, number | undefined>(), madeOnce<object, number | undefined>()];
  const key = {};
  let made = 0;
  const make = () => {
    made += 1;
    return undefined;
  };
  expect([first(key, make), first(key, make), made]).toEqual([undefined, undefined, 1]);
  expect([first({}, () => 2), second(key, () => 3), made]).toEqual([2, 3, 1]);
});

test("where making fails nothing is kept", () => {
  const once = madeOnce<object, number>();
  const key = {};
  expect(() =>
    once(key, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(once(key, () => 1)).toBe(1);
});
