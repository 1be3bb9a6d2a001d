import { describe, expect, test } from "vitest";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand, type CallId } from "../../src/kernel/ids.ts";
import type { Piece } from "../../src/log/block.ts";
import { applyEdits, withoutDropped } from "../../src/log/edits.ts";
import type { PieceEdit } from "../../src/log/entry.ts";

const text = (id: string): Piece => ({
  id,
  role: "user",
  kind: "message",
  block: { type: "text", text: `text ${id}` },
});
const pieces = ["1.0", "2.0", "2.1", "3.0"].map(text);
const drop = (from: string, to = from): PieceEdit => ({ type: "dropped", from, to });
const put = (before: string | null): PieceEdit => ({
  type: "inserted",
  before,
  kind: "fold",
  text: "folded",
  original: { handle: handleOf(hashOf("x")), text: "x" },
});
const replace = (piece: string): PieceEdit => ({ type: "replaced", piece, text: "new" });
const shown = (list: readonly Piece[]) =>
  list.map(({ id, block }) => ("text" in block && block.text === "new" ? `${id} new` : id)).join(" ");

describe("what a break does to the pieces", () => {
  const rows: readonly (readonly [string, readonly PieceEdit[], string])[] = [
    ["nothing", [], "1.0 2.0 2.1 3.0"],
    ["drops one", [drop("2.0")], "1.0 2.1 3.0"],
    ["drops a range, both ends with it", [drop("2.0", "3.0")], "1.0"],
    ["drops all", [drop("1.0", "3.0")], ""],
    ["drops nothing where an end is not there", [drop("2.0", "9.0"), drop("9.0", "2.0")], "1.0 2.0 2.1 3.0"],
    ["drops nothing where the ends are the wrong way round", [drop("3.0", "1.0")], "1.0 2.0 2.1 3.0"],
    ["puts in front", [put("2.0")], "1.0 7.1 2.0 2.1 3.0"],
    ["puts at the end", [put(null)], "1.0 2.0 2.1 3.0 7.1"],
    ["puts at the end where the place is gone", [put("9.0")], "1.0 2.0 2.1 3.0 7.1"],
    ["names what it puts in by the edit's own place", [drop("1.0"), put("2.0")], "7.2 2.0 2.1 3.0"],
    ["replaces a text", [replace("2.1")], "1.0 2.0 2.1 new 3.0"],
    ["replaces nothing where there is nothing", [replace("9.0")], "1.0 2.0 2.1 3.0"],
    ["works edit by edit", [put("2.0"), drop("2.0", "2.1"), replace("7.1")], "1.0 7.1 new 3.0"],
  ];
  for (const [rule, edits, want] of rows) test(rule, () => expect(shown(applyEdits(pieces, edits, 7))).toBe(want));

  test("a replaced answer is encoded from its new words: the old wire text goes with the old ones", () => {
    const said: Piece = {
      id: "4.0",
      role: "assistant",
      from: "chat",
      block: { type: "text", text: "old", wire: '"old"' },
    };
    expect(applyEdits([said], [replace("4.0")], 7)).toEqual([{ ...said, block: { type: "text", text: "new" } }]);
  });

  test("what a provider signed goes on by its neutral fields; other wires, reasoning and users' pieces stay as they are", () => {
    const part = (id: string, from: "gemini" | "chat"): Piece => ({
      id,
      role: "assistant",
      from,
      block: { type: "tool-call", callId: brand(id), tool: "t", input: "{}", wire: "signed" },
    });
    const thought: Piece = {
      id: "4.1",
      role: "assistant",
      from: "gemini",
      block: { type: "reasoning", text: "r", wire: "w" },
    };
    const list = [part("4.0", "gemini"), thought, part("5.0", "chat"), text("6.0"), part("7.0", "gemini")];
    const bare = (id: string): Piece => ({
      id,
      role: "assistant",
      from: "gemini",
      block: { type: "tool-call", callId: brand(id), tool: "t", input: "{}" },
    });
    const all = applyEdits(list, [{ type: "unsigned", from: "4.0", to: "7.0" }], 9);
    expect(all).toEqual([bare("4.0"), thought, list[2], list[3], bare("7.0")]);
    expect(applyEdits(list, [{ type: "unsigned", from: "1.0", to: "7.0" }], 9)).toEqual(list);
    expect(applyEdits(list, [{ type: "unsigned", from: "7.0", to: "4.0" }], 9)).toEqual(list);
  });

  test("a result keeps its call, a call its tool; images and reasoning are not text and stay", () => {
    const result: Piece = {
      id: "5.0",
      role: "user",
      kind: "result",
      block: { type: "tool-result", callId: brand("c"), tool: "t", text: "old", isError: true },
    };
    expect(applyEdits([result], [replace("5.0")], 7)).toEqual([{ ...result, block: { ...result.block, text: "new" } }]);
    const others: readonly Piece[] = [
      { id: "6.0", role: "user", kind: "image", block: { type: "image", mediaType: "image/png", data: "x" } },
      { id: "6.2", role: "assistant", from: "chat", block: { type: "reasoning", text: "hm" } },
    ];
    expect(
      applyEdits(
        others,
        others.map(({ id }) => replace(id)),
        7,
      ),
    ).toEqual(others);
    const callId: CallId = brand("c");
    const call = { type: "tool-call", callId, tool: "t" } as const;
    const made: Piece = { id: "6.1", role: "assistant", from: "chat", block: { ...call, input: "{}", wire: "{ }" } };
    expect(applyEdits([made], [replace("6.1")], 7)).toEqual([{ ...made, block: { ...call, input: "new" } }]);
  });
});

test("what waits is dropped where an edit says so, and is the same list where none does", () => {
  expect(withoutDropped(pieces, [put("1.0"), replace("1.0"), drop("9.0")])).toBe(pieces);
  expect(shown(withoutDropped(pieces, [drop("1.0"), drop("2.1", "3.0")]))).toBe("2.0");
});
