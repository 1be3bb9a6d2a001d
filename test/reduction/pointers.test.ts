import { describe, expect, test } from "vitest";
import { openPointing, type ShownResult } from "../../src/digest/carriers.ts";
import type { Pointing } from "../../src/digest/pointers.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { Segment } from "../../src/prompt/segment.ts";
import type { Memo } from "../../src/reduction/memo.ts";
import { plan } from "../../src/reduction/plan.ts";
import { settledPointers, withoutPointers } from "../../src/reduction/pointers.ts";
import { lostPointers, pointersOf } from "../support/resolved.ts";
import { costs, did, later, message, type Part, worked } from "../support/worked.ts";

const rows = (from: number, to: number, name = "row") =>
  Array.from(
    { length: to - from + 1 },
    (_, at) => `${from + at}\t${name} ${from + at} of a file, with words of its own`,
  );
const text = (...parts: readonly (string | readonly string[])[]) => parts.flat().join("\n");

/** Results that enter one after the other, each with pointers into those in front of it. */
function entered(...reads: readonly (readonly [callId: string, result: string])[]) {
  const point = openPointing();
  const parts: Part[] = [message("look")];
  const pointing = new Map<string, Pointing>();
  const shown: ShownResult[] = [];
  for (const [callId, result] of reads) {
    const handle = handleOf(hashOf(callId));
    const call = JSON.stringify({ path: `${callId}.ts` });
    const input = { tool: "Read", text: result, exitCode: null, form: "range", handle, call } as const;
    const made = point(input, { whole: true, text: result }, [...shown]);
    if (made !== null) pointing.set(callId, made);
    parts.push(...did(callId, "Read", call, made?.text ?? result));
    const own = { name: callId, tool: "Read", input: () => call, handle: () => handle };
    shown.push({ ...own, text: made?.text ?? result, isPointed: made !== null });
  }
  const originals = new Map(reads.map(([callId, result]) => [String(handleOf(hashOf(callId))), result]));
  return { parts, pointing, originalOf: (handle: string) => originals.get(handle) ?? null };
}

function withMemo({ parts, pointing }: Pick<ReturnType<typeof entered>, "parts" | "pointing">) {
  const { segments, memo } = worked(parts);
  const of = ({ kind, callId }: Segment) => (kind === "tool-result" ? (pointing.get(callId ?? "") ?? null) : null);
  const known: Memo = { ...memo, pointersOf: of, nameOf: ({ callId }) => callId ?? "" };
  return { segments, memo: known };
}

/** The results behind a break that takes these away. */
function behind(made: ReturnType<typeof entered>, gone: readonly string[], unsent: readonly string[] = []) {
  const { segments, memo: known } = withMemo(made);
  const memo: Memo = { ...known, isUnsent: (id) => unsent.includes(segments[id]?.callId ?? "") };
  const after = ({ callId = "", text: own }: Segment) => (gone.includes(callId) ? null : own);
  const written = settledPointers(segments, memo, after);
  const texts = new Map(written.map((one) => [segments[one.segment]?.callId, one]));
  const left = segments.filter((one) => one.kind === "tool-result" && after(one) !== null);
  const results = left.map((one) => ({ text: texts.get(one.callId)?.text ?? one.text ?? "", isResult: true }));
  return { written: texts, results, lost: lostPointers(results, made.originalOf) };
}

const a = text("begin a", rows(1, 30), "end a");
const b = text("begin b", rows(1, 30), "new in b", "end b");
const c = text("begin c", rows(1, 30), "new in c", "end c");

describe("when a break takes a carrier away", () => {
  test("the newest pointer into it is written out, and older ones lead to that", () => {
    const made = entered(["a", a], ["b", b], ["c", c]);
    const { written, lost, results } = behind(made, ["a"]);
    expect(lost).toEqual([]);
    expect(written.get("c")).toMatchObject({ text: c, pointers: null });
    expect(written.get("b")?.pointers?.points.map(({ carrier }) => carrier)).toEqual(["c"]);
    expect(pointersOf(results[0]?.text ?? "")).toHaveLength(1);
  });

  test("a pointer into what stays is left as it is", () => {
    const other = text("begin", rows(50, 80, "other"), "end");
    const both = text("x", rows(1, 30), "between", rows(50, 80, "other"), "y", "z");
    const made = entered(["a", a], ["o", other], ["both", both]);
    const { written, lost } = behind(made, ["a"]);
    expect(lost).toEqual([]);
    expect(written.get("both")?.pointers?.points.map(({ carrier }) => carrier)).toEqual(["o"]);
    expect(written.get("both")?.text).toContain(text("x", rows(1, 30), "between"));
  });

  test("one that was not sent yet is written out, and nothing is led to it: it may still get another form", () => {
    const made = entered(["a", a], ["b", b], ["c", c]);
    const { written, lost } = behind(made, ["a"], ["c"]);
    expect(lost).toEqual([]);
    expect(written.get("c")).toMatchObject({ text: c, pointers: null });
    expect(written.get("b")).toMatchObject({ text: b, pointers: null });
  });

  test("lines of a carrier that is written out have other numbers, and pointers to them say so", () => {
    const made = entered(
      ["a", a],
      ["b", text("begin b", rows(1, 30), rows(50, 80, "new"), "end b")],
      ["d", text("begin d", rows(50, 80, "new"), "more", "end d")],
    );
    expect(pointersOf(made.parts.at(-1)?.text ?? "").map(({ there }) => there)).toEqual([[3, 33]]);
    const { written, lost } = behind(made, ["a"]);
    expect(lost).toEqual([]);
    expect(pointersOf(written.get("d")?.text ?? "").map(({ there }) => there)).toEqual([[32, 62]]);
  });

  test("nothing leads to it: nothing is written", () => {
    expect(behind(entered(["a", a], ["b", "short"]), ["a"]).written.size).toBe(0);
    expect(behind(entered(["a", a], ["b", b]), []).written.size).toBe(0);
    expect(behind(entered(["a", a], ["b", b]), ["a", "b"]).written.size).toBe(0);
  });

  test("what was settled once is settled again when its new carrier goes", () => {
    const made = entered(["a", a], ["b", b], ["c", c]);
    const first = behind(made, ["a"]).written;
    const pointing = new Map(made.pointing);
    const parts = made.parts
      .filter(({ callId }) => callId !== "a")
      .map((part) => {
        const one = part.kind === "tool-result" ? first.get(part.callId) : undefined;
        if (one === undefined) return part;
        if (one.pointers === null) pointing.delete(part.callId ?? "");
        else pointing.set(part.callId ?? "", one.pointers);
        return { ...part, text: one.text };
      });
    const again = behind({ ...made, parts, pointing }, ["c"]);
    expect(again.written.get("b")).toMatchObject({ text: b, pointers: null });
    expect(again.lost).toEqual([]);
  });
});

describe("plan", () => {
  const long = text("begin", rows(1, 900), "end");
  const made = entered(["a", long], ["b", text("again", rows(100, 300), "new", "end")]);

  test("what it takes away, it settles in the same break, and says what is saved net of it", () => {
    const old = { ...made, parts: [...made.parts.slice(0, 3), ...later(30), ...made.parts.slice(3), ...later(1, "t")] };
    const { segments, memo } = withMemo(old);
    const plain = plan(segments, { ...memo, pointersOf: () => null }, costs({ cache: "cold", lineTokens: 20_000 }));
    const settled = plan(segments, memo, costs({ cache: "cold", lineTokens: 20_000 }));
    if (plain.type !== "break" || plain.reason !== "cleared") throw new Error("nothing was cleared");
    if (settled.type !== "break" || settled.reason !== "cleared") throw new Error("nothing was cleared");
    expect(settled.stubs).toEqual(plain.stubs);
    expect(settled.written?.map(({ segment }) => segments[segment]?.callId)).toEqual(["b"]);
    expect(settled.numbers.savedTokens).toBeLessThan(plain.numbers.savedTokens);
  });

  test("a list of what was done quotes lines, not the words of pointers", () => {
    const all = entered(["a", text(rows(1, 40), "x")], ["b", text(rows(1, 40), "y", "z", "end")], ["c", "last"]);
    const { segments, memo } = withMemo({ ...all, parts: [...all.parts, message("go on"), ...later(1)] });
    expect(segments.some((one) => one.text?.startsWith("[… "))).toBe(true);
    const lineTokens = Math.floor(segments.reduce((sum, one) => sum + memo.tokensOf(one), 5_000) * 0.9);
    const next = plan(segments, memo, costs({ pressure: "hard", clearing: "off", collapsing: "off", lineTokens }));
    if (next.type !== "break" || next.reason !== "compacted" || next.fold.type !== "fold") throw new Error(next.type);
    expect(next.fold.block?.text).toContain("row 1 of a file");
    expect(pointersOf(next.fold.block?.text ?? "")).toEqual([]);
  });
});

test("sizes stay those of what is sent, also where the lines are looked at", () => {
  const made = entered(["a", a], ["b", b]);
  const { segments, memo } = withMemo(made);
  const whole = withoutPointers(segments, memo);
  expect(whole.segments.map(({ text: own }) => own)).toContain(b);
  expect(whole.segments.map((one) => whole.memo.tokensOf(one))).toEqual(segments.map((one) => memo.tokensOf(one)));
});
