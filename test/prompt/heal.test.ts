import { describe, expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import type { Piece } from "../../src/log/block.ts";
import { heal } from "../../src/prompt/heal.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";

/** A short way to write a history: `u` message, `a` answer, `c` call, `r` result, `i` image, `m` reminder, `s` system text. */
const piece = (word: string, at: number): Piece => {
  const [what = "", name = "", entry = `${at + 1}`] = word.split(":");
  const id = what === "a" || what === "c" ? `${entry}.${at}` : `${at + 1}.0`;
  const callId = brand<"CallId">(name);
  const made: Readonly<Record<string, Piece>> = {
    u: { id, role: "user", kind: "message", block: { type: "text", text: name } },
    m: { id, role: "user", kind: "reminder", block: { type: "text", text: name } },
    s: { id, role: "system", kind: "reminder", block: { type: "text", text: name } },
    i: { id, role: "user", kind: "image", block: { type: "image", mediaType: "image/png", data: name } },
    r: {
      id,
      role: "user",
      kind: "result",
      block: { type: "tool-result", callId, tool: "t", text: "ok", isError: false },
    },
    a: { id, role: "assistant", from: "chat", block: { type: "text", text: name } },
    c: { id, role: "assistant", from: "chat", block: { type: "tool-call", callId, tool: "t", input: "{}" } },
  };
  return made[what] ?? expect.fail(`no such piece: ${word}`);
};
const history = (text: string) => text.split(" ").map(piece);
const shown = (pieces: readonly Piece[]) =>
  pieces
    .map(({ id, block }) => {
      if (block.type === "tool-call") return `c:${block.callId}`;
      if (block.type === "tool-result") return id.endsWith(".lost") ? `lost:${block.callId}` : `r:${block.callId}`;
      return block.type === "image" ? `i:${String(block.data)}` : String(block.type === "text" ? block.text : "");
    })
    .join(" ");

describe("heal", () => {
  const rows: readonly (readonly [rule: string, before: string, healed: string])[] = [
    ["a call at the end is answered as interrupted", "u:go c:x:9 c:y:9", "go c:x c:y lost:x lost:y"],
    [
      "C-019 · so is one in the middle, in front of what was said next",
      "u:go c:x:9 u:more a:ok u:on",
      "go c:x lost:x more ok on",
    ],
    [
      "one of two has its result: the other gets one, in call order",
      "u:go c:x:9 c:y:9 r:y u:on",
      "go c:x c:y lost:x r:y on",
    ],
    [
      "C-027 · results first and in call order, then images, then the rest",
      "u:go c:x:9 c:y:9 r:y i:p u:hurry r:x m:note",
      "go c:x c:y r:x r:y i:p hurry note",
    ],
    [
      "a system text that was never answered keeps its place: words stand for the answer before more is said",
      "u:go s:mode u:more a:ok",
      "go mode (no answer) more ok",
    ],
    ["an answered one stays as it is", "u:go s:mode a:ok u:more", "go mode ok more"],
    [
      "right behind an answer, where the user's words were lost, it goes on the user's side",
      "u:go a:ok s:mode",
      "go ok <system-reminder>\nmode\n</system-reminder>",
    ],
    ["a result of no call is left out", "u:go r:z u:on", "go on"],
    ["a second result is left out", "u:go c:x:9 r:x r:x u:on", "go c:x r:x on"],
    [
      "a result that comes after another answer is no result of its call any more",
      "u:go c:x:8 u:wait a:so:9 r:x u:on",
      "go c:x lost:x wait so on",
    ],
    ["a call that stands twice stands once", "u:go c:x:8 r:x c:x:9 r:x u:on", "go c:x r:x on"],
    ["another answer right behind a call waits for its result", "u:go c:x:8 a:so:9 u:on", "go c:x lost:x so on"],
    ["two answers without calls stay one behind the other", "u:go a:one:8 a:two:9 u:on", "go one two on"],
  ];
  for (const [rule, before, want] of rows)
    test(rule, () => {
      const healed = heal(history(before));
      expect(shown(healed)).toBe(want);
      if (healed.at(-1)?.role === "user") expect(wellformed(healed)).toBeNull();
      expect(heal(healed)).toBe(healed);
    });

  test("a well-formed history comes back by reference", () => {
    const pieces = history("u:go a:look:9 c:x:9 c:y:9 r:x r:y i:p u:hurry a:done");
    expect(heal(pieces)).toBe(pieces);
    expect(heal([])).toEqual([]);
  });

  test("C-019 · gives the same bytes whatever came later", () => {
    const early = heal(history("u:go c:x:9 u:more"));
    const late = heal(history("u:go c:x:9 u:more a:ok c:z:12 u:on"));
    expect(JSON.stringify(late.slice(0, early.length))).toBe(JSON.stringify(early));
    expect(early.find(({ id }) => id.endsWith(".lost"))?.block).toMatchObject({
      isError: true,
      text: expect.stringContaining("Interrupted"),
    });
  });
});
