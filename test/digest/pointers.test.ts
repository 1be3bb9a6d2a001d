import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { openPointing, type ShownResult } from "../../src/digest/carriers.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import type { FormInput } from "../../src/digest/form.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { lostPointers, pointersOf } from "../support/resolved.ts";

const rows = (from: number, to: number, name = "row") =>
  Array.from(
    { length: to - from + 1 },
    (_, at) => `${from + at}\t${name} ${from + at} of a file, with words of its own`,
  );
const text = (...parts: readonly (string | readonly string[])[]) => parts.flat().join("\n");

function shown(of: string, more: Partial<ShownResult> = {}): ShownResult {
  const handle = handleOf(hashOf(of));
  const input = () => '{"path":"src/deep/a.ts"}';
  return { name: handle, tool: "Read", input, handle: () => handle, text: of, isPointed: false, ...more };
}

function read(of: string, more: Partial<FormInput> = {}): FormInput {
  return { tool: "Read", text: of, exitCode: null, form: "range", handle: handleOf(hashOf(of)), call: "{}", ...more };
}

function point(input: FormInput, ...carriers: readonly ShownResult[]) {
  return openPointing()(input, firstForm(input), carriers);
}

const first = text("begin", rows(1, 40), "[lines 1-40 of 90]");
const second = text("other", rows(20, 60), "[lines 20-60 of 90]");

describe("lines that are still shown are not sent again", () => {
  test("a pointer names the carrier, its lines, and how recall brings the text itself", () => {
    const made = point(read(second), shown(first));
    const handle = handleOf(hashOf(second));
    expect(made?.text).toBe(
      text(
        "other",
        `[… 2-22: as lines 21-41 of Read deep/a.ts, ${handleOf(hashOf(first))}; recall handle=${handle} startLine=2 endLine=22]`,
        rows(41, 60),
        "[lines 20-60 of 90]",
      ),
    );
    expect(made?.full).toBe(second);
  });

  test("the longest run counts, and of equals the newest", () => {
    const short = text("x", rows(20, 30));
    const made = point(read(second), shown(short), shown(first), shown(`${first}\n`, { name: "newest" }));
    expect(made?.points).toEqual([{ carrier: "newest", first: 1, count: 21, line: 2 }]);
  });

  test("several runs of several results, each with what is new between them", () => {
    const other = text("there", rows(1, 9, "other"), "end");
    const now = text(rows(30, 40), "new", rows(2, 8, "other"), "the end");
    const made = point(read(now), shown(first), shown(other));
    expect(pointersOf(made?.text ?? "").map(({ here }) => here)).toEqual([
      [1, 11],
      [13, 19],
    ]);
    expect(made?.text.split("\n")).toContain("new");
  });

  test("never to the words of a pointer: what a carrier does not show is not looked for there", () => {
    const made = point(read(second), shown(first));
    const third = text("third", rows(20, 45), "end");
    const again = point(read(third), shown(made?.text ?? ""));
    expect(pointersOf(again?.text ?? "").map(({ here }) => here)).toEqual([[23, 27]]);
  });
});

describe("none where it would not serve", () => {
  const cases: readonly (readonly [why: string, input: FormInput, carriers: readonly ShownResult[]])[] = [
    ["two lines", read(text("a", rows(1, 2), "b")), [shown(first)]],
    ["fewer than 80 characters", read("a\n1\n2\n3\n4\n5\nz"), [shown("b\n1\n2\n3\n4\n5\nc")]],
    [
      "shorter than the words of the pointer",
      read(text("a", rows(1, 3, ""), "b")),
      [shown(text("b", rows(1, 3, ""), "a"))],
    ],
    ["what was asked for whole, as recalled text is", read(first, { form: "whole" }), [shown(first)]],
    ["nothing is shown", read(first), []],
    ["a carrier without a handle", read(second), [shown(first, { handle: () => null })]],
  ];
  test.each(cases)("%s", (_why, input, carriers) => {
    expect(point(input, ...carriers)).toBeNull();
  });

  test("page snapshots", () => {
    const page = Array.from({ length: 30 }, (_, at) => `- button "Take part ${at} of the page" [ref=e${at}]`).join(
      "\n",
    );
    expect(point(read(page, { tool: "mcp__browser__browser_snapshot", form: "output" }), shown(page))).toBeNull();
  });

  test("the same call again, behind a pointer: who asks again did not find it there", () => {
    const pointed = shown(second, { isPointed: true, input: () => '{"path":"b"}' });
    expect(point(read(second, { call: '{"path":"b"}' }), shown(first), pointed)).toBeNull();
    expect(point(read(second, { call: '{"path":"c"}' }), shown(first), pointed)).not.toBeNull();
  });
});

test("of an output failures, the exit code and the end stay to be seen, however often they were seen", () => {
  const lines = ["> npm test", ...rows(1, 6, "ok"), "FAIL src/a.test.ts:12:3 expected 1 to be 2", ...rows(7, 14, "ok")];
  const run = text(lines, "Tests: 1 failed, 14 passed", "[exit code 1]");
  const made = point(read(run, { tool: "Bash", form: "output", exitCode: 1 }), shown(run, { tool: "Bash" }));
  expect(made?.points.length).toBe(2);
  expect(made?.text).toContain("FAIL src/a.test.ts:12:3 expected 1 to be 2");
  expect(made?.text.endsWith(text("", rows(14, 14, "ok"), "Tests: 1 failed, 14 passed", "[exit code 1]"))).toBe(true);
});

test("notes of what a form leaves out are no lines, and pointers beside them count the lines of the original", () => {
  const long = text(rows(1, 900, "line"));
  const input = read(long, { tool: "Bash", form: "output" });
  const form = firstForm(input);
  const made = openPointing()(input, form, [shown(form.text, { tool: "Bash", name: "before" })]);
  expect(form.text).toContain("[… ");
  for (const { here, there } of pointersOf(made?.text ?? "")) {
    const original = long.split("\n").slice(here[0] - 1, here[1]);
    expect(form.text.split("\n").slice(there[0] - 1, there[1])).toEqual(original);
  }
  expect(made?.points.length).toBeGreaterThan(0);
});

test("whatever was shown: pointers lead to their lines, what they save is more than they say, nothing else changes", () => {
  const line = fc.constantFrom(
    "",
    "}",
    "a line of some length, which stands in many places",
    "漢字の行 🙂 と ことば",
    "x".repeat(200),
  );
  const some = fc.array(
    fc.oneof(
      line,
      fc.nat(30).map((n) => `line ${n} of it all, and more`),
    ),
    { maxLength: 40 },
  );
  const any = fc
    .oneof(
      some,
      fc.nat(20).map((n) => rows(n, n + 20)),
    )
    .map((list) => list.join("\n"));
  fc.assert(
    fc.property(fc.array(any, { maxLength: 5 }), any, fc.constantFrom("range", "output"), (before, now, form) => {
      const input = read(now, { form });
      const made = point(input, ...before.map((one, at) => shown(one, { name: String(at) })));
      if (made === null) return;
      expect(made.full).toBe(firstForm(input).text);
      expect(estimate(made.text)).toBeLessThan(estimate(made.full));
      const results = [made.text, ...before].map((one) => ({ text: one, isResult: true }));
      expect(lostPointers(results, () => now)).toEqual([]);
      expect(backAgain(made.text, now)).toBe(made.full);
    }),
    { numRuns: 300 },
  );
});

/** The form with each pointer's lines in its place, as recall would bring them. */
function backAgain(form: string, original: string): string {
  return form
    .split("\n")
    .flatMap((row) => {
      const [said] = pointersOf(row);
      return said === undefined ? [row] : original.split("\n").slice(said.here[0] - 1, said.here[1]);
    })
    .join("\n");
}

test("it is linear: a hundred times the lines that stand everywhere, and a line that never ends", () => {
  const input = read("}\n".repeat(200_000) + "y".repeat(2_000_000), { form: "range" });
  const made = openPointing()(input, { whole: true, text: input.text }, [shown("}\n".repeat(200_000), { name: "a" })]);
  expect(made?.points.length).toBe(1);
});
