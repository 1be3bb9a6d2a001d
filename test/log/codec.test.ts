import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import { decodeLine, encodeLine, formatOf, lineStart } from "../../src/log/codec.ts";
import type { WrittenBody } from "../../src/log/codec-body.ts";
import { logFormat } from "../../src/log/entry.ts";
import { anyLine, bodies } from "./codec-arbitrary.ts";

describe("a line", () => {
  for (const [type, body] of Object.entries(bodies)) {
    test(`of any ${type} is read back as it was written, with its place in the chain`, () => {
      fc.assert(
        fc.property(anyLine, body, ({ seq, at, fence, prev }, given) => {
          const text = encodeLine({ seq, at, fence, prev, body: given });
          expect(decodeLine(text)).toEqual({
            type: "ok",
            entry: { seq, at, ...given },
            fence,
            prev,
            hash: hashOf(text),
          });
        }),
        { numRuns: 60 },
      );
    });
  }

  test("is one line, of valid UTF-8, and begins like no text inside it can", () => {
    fc.assert(
      fc.property(anyLine, (line) => {
        const text = encodeLine(line);
        expect(text.includes("\n") || text.includes("\r")).toBe(false);
        expect(Buffer.from(text).toString("utf8")).toBe(text);
        expect(text.lastIndexOf(lineStart)).toBe(0);
      }),
    );
  });

  test("with any byte changed, put in or taken out is read or refused, and never throws", () => {
    const change = fc.record({ at: fc.nat(), byte: fc.nat(255), how: fc.constantFrom("change", "put in", "take out") });
    fc.assert(
      fc.property(anyLine, fc.array(change, { minLength: 1, maxLength: 4 }), (line, changes) => {
        const bytes = [...Buffer.from(encodeLine(line))];
        for (const { at, byte, how } of changes) {
          const place = at % (bytes.length + 1);
          bytes.splice(place, how === "put in" ? 0 : 1, ...(how === "take out" ? [] : [byte]));
        }
        const text = Buffer.from(bytes).toString("utf8");
        const read = decodeLine(text);
        expect(read.type === "ok" ? read.hash : read.why.length > 0).toBeTruthy();
        expect(formatOf(text).type).toMatch(/^(format|refused)$/);
      }),
      { numRuns: 500 },
    );
  });

  test("that lacks any one of its fields is refused and the field is named", () => {
    const rows: readonly (readonly [string, fc.Arbitrary<WrittenBody>])[] = Object.entries(bodies);
    for (const [type, body] of rows) {
      const [given] = fc.sample(body, { numRuns: 1, seed: 7 });
      if (given === undefined) throw new Error(type);
      const line: Record<string, unknown> = JSON.parse(encodeLine({ seq: 1, at: 1, fence: 1, prev: "", body: given }));
      const mayLack = new Set(optional[type] ?? []);
      for (const key of Object.keys(line).filter((name) => !mayLack.has(name))) {
        const { [key]: _, ...rest } = line;
        const read = decodeLine(JSON.stringify(rest));
        expect([type, key, read.type]).toEqual([type, key, "bad"]);
        if (read.type === "bad" && key !== "type") expect(read.why).toContain(key);
      }
    }
  });

  const optional: Readonly<Record<string, readonly string[]>> = {
    "limit-learned": ["basis"],
    "reminder-added": ["side", "effort", "until"],
    "epoch-opened": ["facts", "attached", "clearing", "providerClearing"],
    "estimate-corrected": ["headTokens"],
    "placeholder-ended": ["tool", "what"],
    "hook-started": ["callId"],
    "hook-ended": ["message", "stops"],
    "response-received": ["cleared"],
    "summary-ended": ["cleared"],
  };

  const good = { seq: 3, fence: 1, prev: "", at: 5, type: "message-added", text: "hi" };
  const rows: readonly { readonly name: string; readonly line: unknown; readonly why: string | null }[] = [
    { name: "as it should be", line: good, why: null },
    { name: "with fields that this version does not know", line: { ...good, mood: "bright" }, why: null },
    { name: "of an unknown type", line: { ...good, type: "dreamt" }, why: "unknown entry type dreamt" },
    {
      name: "of a type that objects have by nature",
      line: { ...good, type: "constructor" },
      why: "unknown entry type",
    },
    { name: "that only a reader may put in", line: { ...good, type: "line-unreadable" }, why: "unknown entry type" },
    { name: "with number 0", line: { ...good, seq: 0 }, why: "`seq`" },
    { name: "with a broken number", line: { ...good, seq: 1.5 }, why: "`seq`" },
    { name: "with a number as text", line: { ...good, seq: "3" }, why: "`seq`" },
    { name: "without a time", line: { ...good, at: null }, why: "`at`" },
    { name: "with a fence below 0", line: { ...good, fence: -1 }, why: "`fence`" },
    { name: "with a chain that is no hash", line: { ...good, prev: "abc" }, why: "`prev`" },
    { name: "with text of another kind", line: { ...good, text: 5 }, why: "`text`" },
    {
      name: "with a blob that could lead out of its folder",
      line: { ...good, text: { blob: "../x", chars: 1 } },
      why: "blob",
    },
    { name: "that is a list", line: [good], why: "not an object" },
    { name: "that is null", line: null, why: "not an object" },
  ];
  for (const { name, line, why } of rows) {
    test(`${name} is ${why === null ? "read" : "refused"}`, () => {
      const read = decodeLine(JSON.stringify(line));
      if (why === null) expect(read).toMatchObject({ type: "ok", entry: { seq: 3, text: "hi" } });
      else expect(read).toEqual({ type: "bad", why: expect.stringContaining(why) });
    });
  }

  test("keeps the fields that this version does not know, and leaves out what only the line has", () => {
    const read = decodeLine(JSON.stringify({ ...good, mood: "bright" }));
    expect(read.type === "ok" ? read.entry : null).toEqual({
      seq: 3,
      at: 5,
      type: "message-added",
      text: "hi",
      mood: "bright",
    });
  });
});

describe("the format of a log", () => {
  const first = {
    ...{ seq: 1, fence: 1, prev: "", at: 5, type: "session-started", format: 1 },
    ...{ session: "s", lane: "main", project: null, cwd: "/", version: "0" },
  };
  const rows: readonly { readonly name: string; readonly line: unknown; readonly want: number | RegExp }[] = [
    { name: "is what the first line says", line: first, want: 1 },
    { name: "of a project too", line: { ...first, type: "project-started", project: "p" }, want: 1 },
    {
      name: "is the newest where the head was lost",
      line: { ...first, type: "message-added", text: "" },
      want: logFormat,
    },
    {
      name: "newer than ours is refused, whatever else it holds",
      line: { type: "session-started", format: 9 },
      want: /format 9/,
    },
    { name: "below the first is refused", line: { ...first, format: 0 }, want: /no known format/ },
    { name: "that is missing is refused", line: { ...first, format: undefined }, want: /no known format/ },
    { name: "of a broken first line is refused", line: { ...first, cwd: 1 }, want: /`cwd`/ },
    { name: "of something else is refused", line: "text", want: /not an entry/ },
  ];
  for (const { name, line, want } of rows) {
    test(name, () => {
      const found = formatOf(JSON.stringify(line));
      if (typeof want === "number") expect(found).toEqual({ type: "format", format: want });
      else expect(found).toEqual({ type: "refused", why: expect.stringMatching(want) });
    });
  }

  test("without a decoder reads no line", () => {
    expect(decodeLine(JSON.stringify(first), 9)).toEqual({ type: "bad", why: "no decoder for format 9" });
  });
});
