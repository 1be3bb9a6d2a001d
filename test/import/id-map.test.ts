import { describe, expect, test } from "vitest";
import { hash, numberIn, openIdMap } from "../../src/import/id-map.ts";
import { openNumberList } from "../../src/import/number-list.ts";

describe("numbers under ids", () => {
  const ids = Array.from({ length: 50_000 }, (_, at) => `${(at * 7919).toString(16).padStart(8, "0")}-4000-msg_${at}`);

  test("every id has the number it was given last, however many there are", () => {
    const map = openIdMap();
    for (const [at, id] of ids.entries()) map.set(id, at);
    for (const [at, id] of ids.entries()) map.set(id, 0 - at);
    expect(ids.filter((id, at) => map.get(id) !== 0 - at)).toEqual([]);
    expect(map.size()).toBe(ids.length);
  });

  test("an id that was not given has none, the empty one too", () => {
    const map = openIdMap();
    expect(map.get("")).toBeUndefined();
    for (const [at, id] of ids.slice(0, 1_000).entries()) map.set(id, at);
    expect(ids.slice(1_000).filter((id) => map.get(id) !== undefined)).toEqual([]);
    map.set("", 7);
    expect(map.get("")).toBe(7);
  });

  test("a new id takes the next number, one that is known keeps its own", () => {
    const map = openIdMap();
    expect(["a", "b", "a", "c", "b"].map((id) => numberIn(map, id))).toEqual([0, 1, 0, 2, 1]);
  });

  test("texts that differ in one character or in their order have other hashes", () => {
    const texts = ["", "a", "b", "ab", "ba", "aa", "aab", "aba", "\u0000", "\u0100", "1,2,3,4", "1,2,34"];
    expect(new Set(texts.map((text) => hash(text, 0))).size).toBe(texts.length);
  });
});

test("a list of numbers gives each back, and nothing beside its ends", () => {
  const list = openNumberList();
  for (let at = 0; at < 5_000; at += 1) list.push(at - 2_500);
  expect([list.at(0), list.at(1_023), list.at(1_024), list.at(4_999)]).toEqual([-2_500, -1_477, -1_476, 2_499]);
  expect([list.at(-1), list.at(5_000), list.size()]).toEqual([undefined, undefined, 5_000]);
});
