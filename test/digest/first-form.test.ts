import fc from "fast-check";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { firstForm, limitBytes } from "../../src/digest/first-form.ts";
import type { FormInput } from "../../src/digest/form.ts";
import { utf8Bytes } from "../../src/digest/text.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";

const handle = "abcdef012345";
function form(text: string, more: Partial<FormInput> = {}) {
  return firstForm({ tool: "Bash", text, exitCode: null, form: "output", handle: brand(handle), ...more });
}
const many = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n + 1)).join("\n");

describe("C-061 · a long output keeps what matters", () => {
  const text = `${many(50_000, (n) => `ok ${n}`)}\nFAILED: 3 of 900\n[exit code 1]`;
  const shown = form(text, { exitCode: 1 }).text;

  test("beginning, end, the failure, the exit code, the count of what is missing and the way to it", () => {
    expect(shown.startsWith("ok 1\nok 2\n")).toBe(true);
    expect(shown).toContain("ok 50000\nFAILED: 3 of 900\n[exit code 1]\n");
    const gaps = [
      ...shown.matchAll(
        /^\[… (?:lines )?(\d+)-(\d+) (?:left out: (\d+) lines(?:, \d+ characters| more like it) )?…\]$/gm,
      ),
    ];
    const sizes = gaps.map(([, from, to, count]) => {
      if (count !== undefined) expect(Number(count)).toBe(Number(to) - Number(from) + 1);
      return Number(to) - Number(from) + 1;
    });
    const missing = sizes.reduce((sum, size) => sum + size, 0);
    expect(shown.split("\n").length - gaps.length - 1 + missing).toBe(50_002);
    const [, from, to] = gaps[sizes.indexOf(Math.max(...sizes))] ?? [];
    expect(shown).toContain(
      `[50002 lines, ${text.length} characters in all; the rest: recall handle=${handle} startLine=${from} endLine=${to}; truncated: ${missing} lines left out at […]; sha256 ${handle}]`,
    );
  });

  test("the failure is kept wherever it stands, with its place, whatever fills the rest", () => {
    const lines = many(30_000, (n) =>
      n === 17_000 ? "src/a.ts:12:5 - error TS2345: wrong\n  12 | foo()\n     | ^" : `building module ${n}`,
    );
    expect(form(lines).text).toContain("src/a.ts:12:5 - error TS2345: wrong\n  12 | foo()\n     | ^");
  });

  test("of too many failures the first and the newest are kept", () => {
    const shownMany = form(many(20_000, (n) => `${n}: error: nope`)).text;
    expect(shownMany).toContain("1: error: nope");
    expect(shownMany).toContain("20000: error: nope");
    const middle = form(
      `${many(900, (n) => `ok ${n}`)}\n${many(9_000, (n) => `FAIL number ${n} x`)}\n${many(900, (n) => `ok ${n}`)}`,
    ).text;
    for (const n of [1, 2, 3, 8_999, 9_000]) expect(middle).toContain(`FAIL number ${n} x`);
    expect(middle).not.toContain("FAIL number 4500 x");
  });

  test("reports of success are no failures, and matches of a search are not either", () => {
    const zeros = many(90_000, (n) => (n === 45_000 ? "pass 12, 0 failed, no errors" : `line ${n}`));
    expect(form(zeros).text).not.toContain("0 failed");
    const grep = many(90_000, (n) => (n === 45_000 ? "src/b.ts:4: error text" : `src/b.ts:${n}: text`));
    expect(form(grep).text).not.toContain("error text");
  });

  test("a failing exit code is said even where the output does not say it; 0 is not", () => {
    expect(form("boom", { exitCode: 3 })).toEqual({ whole: false, text: "boom\n[exit code 3]" });
    expect(form("fine", { exitCode: 0 })).toEqual({ whole: true, text: "fine" });
    expect(form(many(9_000, String), { exitCode: 137 }).text).toContain("[exit code 137]");
  });
});

describe("C-063 · the limit is in bytes", () => {
  test.each(["output", "range"] as const)("%s: up to it the text is byte-equal, one byte above it is cut", (kind) => {
    const limit = limitBytes(kind);
    const lines = "a line of 40 bytes, its line end with it\n".repeat(limit).slice(0, limit);
    expect(form(lines, { form: kind })).toEqual({ whole: true, text: lines });
    const more = form(`${lines}x`, { form: kind });
    expect(more.whole).toBe(false);
    expect(more.text).toContain(`recall handle=${handle}`);
    const wide = "字".repeat(Math.floor(limit / 3));
    expect(form(wide, { form: kind }).whole).toBe(true);
    expect(form(`${wide}字`, { form: kind }).whole).toBe(false);
  });

  test("18,000 three-byte characters are cut, 200 lines of 205 characters are cut only where that is above the limit", () => {
    expect(form("字".repeat(18_000)).whole).toBe(false);
    expect(
      form(
        many(150, () => "x".repeat(205)),
        { form: "range" },
      ).whole,
    ).toBe(true);
    expect(
      form(
        many(200, () => "x".repeat(205)),
        { form: "range" },
      ).whole,
    ).toBe(false);
  });

  test("the form `whole` is never cut", () => {
    const text = "x\n".repeat(100_000);
    expect(form(text, { form: "whole" })).toEqual({ whole: true, text });
  });
});

const giants: [string, string][] = [
  ["numbered lines", many(50_000, (n) => `ok ${n}`)],
  ["one ASCII line", "x".repeat(1_700_000)],
  ["one JSON line", `[${'{"id":123456,"name":"a b"},'.repeat(9_000)}]`],
  ["CJK", "字".repeat(100_000)],
  ["CJK lines", many(5_000, (n) => `第${n}行 日本語のテキスト`)],
  ["emoji", "😀".repeat(60_000)],
  ["digits", "0123456789".repeat(30_000)],
  ["source", many(20_000, (n) => `  const value${n} = compute(${n}); // note`)],
  ["errors", many(20_000, (n) => `src/a${n}.ts:${n}:3 - error TS2345: not assignable`)],
  ["empty lines", "\n".repeat(100_000)],
];
test.each(giants)("100k-token output (%s) fits its cap in real tokens", (_name, text) => {
  expect(encode(form(text).text).length).toBeLessThanOrEqual(bounds.outputTokensMax);
  expect(encode(form(text, { form: "range" }).text).length).toBeLessThanOrEqual(bounds.readTokensMax);
});

describe("C-065 · one very long line", () => {
  test("is cut in its middle and says where, of how much, and how to go on", () => {
    const { text } = form(`${"a".repeat(1_700_000)}`);
    const [, at] = /\[… line 1 cut at (\d+) of 1700000 characters, \d+ left out …\]/.exec(text) ?? [];
    expect(Number(at)).toBeGreaterThan(100);
    expect(text).toContain(`recall handle=${handle} startLine=1 column=${Number(at) + 1}; sha256 ${handle}]`);
  });

  test("shown and left-out characters add up, also in characters of two units", () => {
    const { text } = form("😀".repeat(60_000));
    const [note, at, total, out] = /\[… line 1 cut at (\d+) of (\d+) characters, (\d+) left out …\]/.exec(text) ?? [];
    const [head = "", tail = ""] = text.split("\n")[0]?.split(note ?? "") ?? [];
    expect([Number(at), Number(total)]).toEqual([[...head].length, 60_000]);
    expect([...head].length + [...tail].length + Number(out)).toBe(60_000);
  });
});

describe("terminal codes", () => {
  test("colours, titles, links and drawn-over progress are left out, the handle leads to the original", () => {
    const bar = Array.from({ length: 40 }, (_, n) => `\rprogress ${n}%`).join("");
    const text = `\x1b[31mred\x1b[0m\x1b]0;title\x07\n${bar}\r\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\nplain\b\0`;
    expect(form(text)).toEqual({
      whole: false,
      text: `red\nprogress 39%\nlink\nplain\n[terminal codes left out; recall handle=${handle}]`,
    });
  });

  test("a range is shown as it is: its codes may be what the model wants to edit", () => {
    const text = `\x1b[31mred\x1b[0m\rdata\r\n${"\x1b[1m".repeat(50)}`;
    expect(form(text, { form: "range" })).toEqual({ whole: true, text });
  });

  test("a form that would be larger than the original is not used", () => {
    expect(form("\x1b[1mhi\x1b[0m")).toEqual({ whole: true, text: "\x1b[1mhi\x1b[0m" });
  });
});

describe("laws of every form", () => {
  const piece = fc.constantFrom(
    "a",
    "字",
    "😀",
    "👩‍👩‍👧‍👦",
    "🇩🇪",
    "e\u0301",
    "\n",
    "\r",
    "\x1b[1m",
    "error: ",
    "ok 1 ",
    "0 failed",
    "\0",
    "한",
  );
  const anyText = fc
    .tuple(fc.array(piece, { maxLength: 30 }), fc.nat({ max: 3_000 }), fc.array(piece, { maxLength: 30 }))
    .map(([parts, times, end]) => parts.join("").repeat(times) + end.join(""));
  const anyForm = fc.constantFrom<"range" | "output">("range", "output");

  test("never larger, never half a character, deterministic, the same number of lines accounted for", () => {
    fc.assert(
      fc.property(anyText, anyForm, (text, kind) => {
        const made = form(text, { form: kind });
        expect(utf8Bytes(made.text)).toBeLessThanOrEqual(utf8Bytes(text));
        expect(made.text.isWellFormed()).toBe(true);
        expect(form(text, { form: kind })).toEqual(made);
        expect(made.whole).toBe(made.text === text);
        if (!made.whole) expect(made.text).toContain(handle);
      }),
      { numRuns: 200 },
    );
  });

  test("what people see as one character is never parted", () => {
    for (const one of ["👩‍👩‍👧‍👦", "🇩🇪", "e\u0301", "👍🏽"]) {
      const whole = form(one.repeat(20_000)).text.split("\n")[0] ?? "";
      const [head = "", tail = ""] = whole.split(/\[…[^\]]*\]/);
      expect(head.replaceAll(one, "")).toBe("");
      expect(tail.replaceAll(one, "")).toBe("");
    }
  });

  test("empty text stays empty", () => {
    expect(form("")).toEqual({ whole: true, text: "" });
  });
});

describe("law 10 · the sizes at which a form begins", () => {
  const whole = (text: string, form: "output" | "range", call?: string) =>
    firstForm({
      tool: "Read",
      text,
      exitCode: null,
      form,
      handle: brand(handle),
      ...(call === undefined ? {} : { call }),
    }).whole;
  const prose = (bytes: number) => "some words of a text ".repeat(Math.ceil(bytes / 21)).slice(0, bytes);

  test("an output of bounds.formBytesWhole is whole, and a longer one of one line is not", () => {
    expect(whole(prose(bounds.formBytesWhole), "output")).toBe(true);
    expect(whole(prose(bounds.formBytesWhole * 20), "output")).toBe(false);
  });

  test("a file that was read without a range is whole up to bounds.fileBytesWhole, a named range further", () => {
    const text = Array.from({ length: 900 }, (_, n) => `const name${n} = ${n};`).join("\n");
    expect(text.length).toBeGreaterThan(bounds.fileBytesWhole);
    expect(whole(text.slice(0, bounds.fileBytesWhole), "range", '{"file_path": "a.ts"}')).toBe(true);
    expect(whole(text, "range", '{"file_path": "a.ts"}')).toBe(false);
    expect(whole(text, "range", '{"file_path": "a.ts", "offset": 1, "limit": 900}')).toBe(true);
  });

  test("JSON above bounds.jsonFormCharsMax is shown by its lines, not parsed", () => {
    const rows = JSON.stringify(Array.from({ length: 40 }, (_, id) => ({ id, name: `n${id}`, tags: ["a", "b"] })));
    const padded = `{"rows":${rows},"pad":"${"x".repeat(bounds.jsonFormCharsMax)}"}`;
    const form = firstForm({ tool: "t", text: padded, exitCode: null, form: "output", handle: brand(handle) });
    expect(form.whole).toBe(false);
    expect(form.text).toContain(handle);
  });
});
