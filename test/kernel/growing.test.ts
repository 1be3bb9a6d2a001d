import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Growth, growing } from "../../src/kernel/growing.ts";

type Item = { readonly n: number };
const items: readonly Item[] = Array.from({ length: 12 }, (_, n) => ({ n }));
const lists = fc.array(fc.array(fc.constantFrom(...items), { maxLength: 10 }), { minLength: 1, maxLength: 8 });

/** Running sums; `asked` hears each item that is made. */
const running = (asked: (item: Item) => void = () => {}): Growth<Item, string, string, { sum: number }> => ({
  start: () => ({ sum: 0 }),
  make: (part, state) =>
    part.map((item) => {
      asked(item);
      state.sum += item.n;
      return `${state.sum}`;
    }),
});

/** Words of the items up to the next multiple of three, joined: the last word grows until it is cut. */
const words: Growth<Item, string, string, string> = {
  start: (joint) => joint,
  isCut: (list, at) => list[at] !== undefined && list[at].n % 3 === 0,
  make(part, joint) {
    const made: string[] = [];
    for (const { n } of part) {
      if (made.length === 0 || n % 3 === 0) made.push(`${n}`);
      else made[made.length - 1] += `${joint}${n}`;
    }
    return made;
  },
};

function agrees<State>(how: Growth<Item, string, string, State>): void {
  const kept = growing(how);
  fc.assert(
    fc.property(lists, fc.constantFrom("-", "+"), (all, context) => {
      for (const list of all) {
        for (let length = 0; length <= list.length; length += 1) {
          const start = list.slice(0, length);
          expect(kept(start, context)).toEqual(how.make(start, how.start(context), []));
        }
      }
    }),
  );
}

describe("growing", () => {
  test("gives what the plain function gives, whatever lists and contexts came before", () => {
    agrees(running());
    agrees(words);
  });

  test("makes each item of a list that grows once, and leaves the lists it gave as they were", () => {
    const made: Item[] = [];
    const kept = growing(running((item) => made.push(item)));
    const given = items.map((_, at) => kept(items.slice(0, at + 1), ""));
    expect(made).toEqual(items);
    expect(given.map((list) => list.length)).toEqual(items.map((_, at) => at + 1));
  });

  test("makes a list anew after `make` threw in the midst of it", () => {
    let left = 3;
    const kept = growing(
      running(() => {
        left -= 1;
        if (left === 0) throw new Error("not now");
      }),
    );
    kept(items.slice(0, 2), "");
    expect(() => kept(items.slice(0, 5), "")).toThrow("not now");
    expect(kept(items.slice(0, 5), "")).toEqual(["0", "1", "3", "6", "10"]);
  });
});
