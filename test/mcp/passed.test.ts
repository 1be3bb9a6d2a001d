import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Json } from "../../src/kernel/canonical.ts";
import { checkArguments } from "../../src/mcp/arguments.ts";
import { passedInput } from "../../src/mcp/passed.ts";

const records = JSON.stringify(Array.from({ length: 8_000 }, (_, id) => ({ id, note: "x".repeat(180) })));
const stored: Readonly<Record<string, string>> = { abc123: records, def456: "plain words" };
const passed = async (input: Json) => await passedInput(input, async (handle) => stored[handle] ?? null);

describe("C-043 · a stored result is passed on by its handle, without being printed", () => {
  test("anywhere in the input, as often as it is named", async () => {
    const input = { a: { $recall: "abc123" }, b: [{ c: { $recall: "def456" } }, { $recall: "abc123" }], d: 1, e: null };
    expect(await passed(input)).toEqual({
      type: "ok",
      input: { a: records, b: [{ c: "plain words" }, records], d: 1, e: null },
    });
  });

  test("a tool that wants a list or an object gets one, one that wants a text gets the text", async () => {
    const given = await passed({ rows: { $recall: "abc123" }, text: { $recall: "abc123" } });
    const schema = { type: "object", properties: { rows: { type: "array" }, text: { type: "string" } } };
    const checked = checkArguments(schema, given.type === "ok" ? given.input : null);
    expect(checked).toEqual({ type: "ok", input: { rows: JSON.parse(records), text: records } });
  });

  test.each(["[abc123]", "handle=abc123", " ABC123 "])("as it is quoted: %s", async (handle) => {
    expect(await passed({ $recall: handle })).toEqual({ type: "ok", input: records });
  });

  test("a handle that is not known is named", async () => {
    expect(await passed({ a: { $recall: "nope" }, b: { $recall: "abc123" } })).toEqual({
      type: "bad",
      why: 'no result has the handle "nope" of $recall',
    });
  });

  test("a handle that is much too long for one is none, and is answered at once", async () => {
    for (const handle of [`[${" ".repeat(100_000)}]x`, "[".repeat(100_000)])
      expect(await passed({ a: { $recall: handle } })).toMatchObject({ type: "bad" });
  });

  test("an object with other keys, or another value, is what it is", async () => {
    const input = { a: { $recall: "abc123", more: 1 }, b: { $recall: 1 }, c: "$recall" };
    expect(await passed(input)).toEqual({ type: "ok", input });
  });

  test("what a stored text holds is not looked through again", async () => {
    const text = '{"$recall":"abc123"}';
    expect(await passedInput({ a: { $recall: "x" } }, async () => text)).toEqual({ type: "ok", input: { a: text } });
  });

  test("more than bounds.captureBytesMax in all is refused", async () => {
    const half = "x".repeat(bounds.captureBytesMax / 2 + 1);
    const given = await passedInput([{ $recall: "x" }, { $recall: "x" }], async () => half);
    expect(given).toMatchObject({ type: "bad" });
  });
});
