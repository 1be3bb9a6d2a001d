import { symlinkSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { findMatches, fitted } from "../../src/tools/edit-match.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

async function edit(content: string | Uint8Array, change: object) {
  world.put("f", content);
  await world.run("Read", { path: "f" });
  const outcome = await world.run("Edit", { path: "f", ...change });
  return { outcome, after: world.get("f").toString("utf8") };
}

describe("C-071 · line ends and byte-order marks: one word becomes two lines", () => {
  const rows: [string, string, string][] = [
    ["CRLF", "a\r\nword x\r\nb\r\n", "a\r\none\r\ntwo x\r\nb\r\n"],
    ["LF", "a\nword x\nb\n", "a\none\ntwo x\nb\n"],
    ["mixed, the line ends with CRLF", "a\nword x\r\nb\n", "a\none\r\ntwo x\r\nb\n"],
    ["mixed, the line ends with LF", "a\r\nword x\nb\r\n", "a\r\none\ntwo x\nb\r\n"],
    ["bare CR as data", "a\rq\nword\rx\nb\n", "a\rq\none\ntwo\rx\nb\n"],
    ["bare CR as line end", "a\rword\rb", "a\rone\rtwo\rb"],
    ["BOM and CRLF", "\uFEFFword\r\nb", "\uFEFFone\r\ntwo\r\nb"],
    ["no final newline", "a\r\nword", "a\r\none\r\ntwo"],
    ["a single line", "word", "one\ntwo"],
  ];
  test.each(rows)("%s", async (_name, before, after) => {
    const done = await edit(before, { old: "word", new: "one\ntwo" });
    expect(done).toMatchObject({
      after,
      outcome: { ending: "done", files: [{ how: "written", hash: hashOf(after) }] },
    });
  });

  const spans: [string, string, string, string, string][] = [
    ["LF text finds CRLF", "a\r\nb\r\nc\r\nd", "b\nc", "B\nC", "a\r\nB\r\nC\r\nd"],
    ["unchanged lines keep their ends", "a\nb\r\nc\nd\r\ne", "a\nb\nc\nd", "a\nb\nX\nc\nd", "a\nb\r\nX\nc\nd\r\ne"],
    ["CRLF text finds LF and becomes LF", "a\nb\nc", "a\r\nb", "x\r\ny", "x\ny\nc"],
    ["two line ends are not found in one CRLF", "a\r\nb", "a\n\nb", "x", "a\r\nb"],
    ["removed lines leave the others", "a\r\nb\r\nc\n", "b\n", "", "a\r\nc\n"],
    ["a line end alone", "a\r\nb\n", "a\n", "a\nz\n", "a\r\nz\r\nb\n"],
    ["pattern characters are plain text", "x(\r\n[a]$\r\n", "x(\n[a]$", "y$&\nz", "y$&\r\nz\r\n"],
    ["a CR that is data is part of the text", "k\rv\nx\n", "k\rv", "k\rw", "k\rw\nx\n"],
  ];
  test.each(spans)("%s", async (_name, before, old, replacement, after) => {
    expect((await edit(before, { old, new: replacement })).after).toBe(after);
  });

  test("every byte outside the edited span is unchanged, whatever the file", () => {
    const part = fc.constantFrom("a", "b", "\n", "\r\n", "\r", "ä", "😀", " ");
    const anyText = fc.array(part, { maxLength: 20 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(anyText, anyText, anyText, (before, behind, replacement) => {
        const text = `${before}<old\r\nspan>${behind}`;
        const [match] = findMatches(text, "<old\nspan>") ?? [];
        expect(match).toEqual({ from: before.length, to: before.length + 11 });
        const plain = fitted(text, { from: before.length, to: before.length + 11 }, replacement).replace(/\r\n/g, "\n");
        expect(plain).toBe(replacement.replace(/\r\n/g, "\n"));
      }),
    );
  });
});

describe("encodings", () => {
  test("Latin-1 stays Latin-1; characters it lacks are refused", async () => {
    const latin = new Uint8Array([0x67, 0xfc, 0x6e, 0x0a, 0xff]);
    await edit(latin, { old: "gün", new: "grün" });
    expect([...world.get("f")]).toEqual([0x67, 0x72, 0xfc, 0x6e, 0x0a, 0xff]);
    expect((await edit(latin, { old: "g", new: "字" })).outcome).toMatchObject({
      ending: "failed",
      output: expect.stringContaining("Latin-1"),
    });
    expect([...world.get("f")]).toEqual([...latin]);
  });

  test("UTF-16 stays UTF-16; good UTF-8 beside a broken byte is found", async () => {
    await edit(new Uint8Array([0xff, 0xfe, 0x61, 0, 0x62, 0]), { old: "b", new: "ä" });
    expect([...world.get("f")]).toEqual([0xff, 0xfe, 0x61, 0, 0xe4, 0]);
    await edit(Buffer.concat([Buffer.from("字 x "), Buffer.from([0xff])]), { old: "字 x", new: "語" });
    expect(world.get("f")).toEqual(Buffer.concat([Buffer.from("語 "), Buffer.from([0xff])]));
  });

  test("a binary file is refused", async () => {
    const bytes = new Uint8Array([0, 1]);
    world.put("bin", bytes);
    world.seen.set(world.file("bin"), hashOf(bytes));
    expect(await world.text("Edit", { path: "bin", old: "a", new: "b" })).toContain("is a binary file");
  });
});

describe("what is not clear is not done", () => {
  test("a file that was not read, or has changed since, is refused and stays", async () => {
    world.put("unread", "a");
    expect(await world.run("Edit", { path: "unread", old: "a", new: "b" })).toMatchObject({
      ending: "failed",
      output: expect.stringContaining("has not been read"),
    });
    await world.run("Read", { path: "unread" });
    world.put("unread", "a changed");
    expect(await world.text("Edit", { path: "unread", old: "a", new: "b" })).toContain("has changed since");
    expect(world.get("unread").toString()).toBe("a changed");
  });

  test("an edit after an edit needs no second read; another name of the file counts as the file", async () => {
    await edit("a b", { old: "a", new: "c" });
    symlinkSync("f", world.file("alias"));
    expect((await world.run("Edit", { path: "alias", old: "b", new: "d" })).ending).toBe("done");
    expect(world.get("f").toString()).toBe("c d");
  });

  test("several places: count and lines are said; all changes them all", async () => {
    const text = "x\ny\nx\nz x\n";
    const { outcome, after } = await edit(text, { old: "x", new: "w" });
    expect(outcome).toMatchObject({
      ending: "failed",
      output: expect.stringContaining("occurs 3 times (lines 1, 3, 4)"),
    });
    expect(after).toBe(text);
    expect((await edit(text, { old: "x", new: "w", all: "true" })).after).toBe("w\ny\nw\nz w\n");
    expect((await edit("x\n".repeat(50), { old: "x", new: "w" })).outcome.output).toContain("9, 10, …");
  });

  test("places that overlap are as unclear as several; all takes them one after the other", async () => {
    for (const [text, old] of [
      ["x\nx\nx\n", "x\nx"],
      ["x\r\nx\r\nx\r\n", "x\nx"],
      ["aaa", "aa"],
    ] as const) {
      const { outcome, after } = await edit(text, { old, new: "y" });
      expect(outcome).toMatchObject({
        ending: "failed",
        output: expect.stringContaining("occurs again within itself"),
      });
      expect(after).toBe(text);
    }
    expect((await edit("aaaaa", { old: "aa", new: "b", all: true })).after).toBe("bba");
    expect((await edit("a\r\n\r\nb", { old: "\n\n", new: "\n" })).after).toBe("a\r\nb");
  });

  test(`law 10 · more than ${bounds.replacementsMax} places are refused`, async () => {
    const { outcome } = await edit("x".repeat(bounds.replacementsMax + 1), { old: "x", new: "y", all: true });
    expect(outcome).toMatchObject({ ending: "failed", output: expect.stringContaining("too many times") });
  });

  test("not found: white space, line numbers or the most similar place are shown", async () => {
    const text = `first\n\tconst total = sum(a, b);\n  return total;\nlast\n${"filler line\n".repeat(30)}`;
    const why = async (old: string) => (await edit(text, { old, new: "x" })).outcome.output;
    expect(await why("  const total = sum(a, b);\n  return total;")).toContain(
      "only in white space from line 2:\n2\t\tconst total",
    );
    expect(await why("1\tfirst\n2\t\tconst total")).toContain("leave number and tab out");
    expect(await why("const totals = sum(a, c);")).toContain("most similar place is line 2:");
    expect(await why("ZZZZQQQQ")).toContain("Nothing similar");
    expect(await why("#")).toContain("Nothing similar");
  });

  test("the look for a similar place is bounded", async () => {
    const { outcome } = await edit(`${"some filler line\n".repeat(bounds.nearestLinesMax)}const almost = 1;\n`, {
      old: "const almost = 2;",
      new: "x",
    });
    expect(outcome.output).toContain("Nothing similar");
  });

  test("an edit that only differs in line ends changes nothing and says so", async () => {
    expect((await edit("a\r\nb", { old: "a\nb", new: "a\r\nb" })).outcome.output).toContain("nothing would change");
  });
});

test("C-089 · an edit at the end of a 20 MB one-line file says little, and so did the read before it", async () => {
  world.put("giant", `${"x".repeat(20_000_000)}THE-END-10`);
  const before = await world.run("Read", { path: "giant" });
  const after = await world.run("Edit", { path: "giant", old: "THE-END-10", new: "the-end-11" });
  expect(after).toMatchObject({ ending: "done", output: "Edited giant, line 1." });
  expect(before.output.length + after.output.length).toBeLessThan(5_000);
  const bytes = world.get("giant");
  expect([bytes.length, bytes.subarray(-10).toString()]).toEqual([20_000_010, "the-end-11"]);
  expect((await world.text("Edit", { path: "giant", old: "not there", new: "x" })).length).toBeLessThan(5_000);
});
