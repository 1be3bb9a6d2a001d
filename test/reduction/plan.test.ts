import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { lineShares } from "../../src/budget/window.ts";
import { applyPlan } from "../../src/reduction/apply-plan.ts";
import type { Costs } from "../../src/reduction/costs.ts";
import { type Plan, plan } from "../../src/reduction/plan.ts";
import { costs, did, message, type Part, says, thinks, words, worked } from "../support/worked.ts";

/** Work of about 2,000 tokens a step. */
const runs = (count: number, name = "r") =>
  Array.from({ length: count }, (_, at) =>
    did(`${name}${at}`, "Bash", { command: `make ${name}${at}` }, words(1_000, name)),
  );
/** Reads of which little can be cleared: what a file holds stays, and the work is in the calls themselves. */
const small = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    did(`s${at}`, "Bash", { command: `check ${at} ${words(20)}` }, words(20, `s${at}`)),
  );
const planned = (parts: readonly (Part | readonly Part[])[], more: Partial<Costs>) => {
  const { segments, memo } = worked(...parts);
  return plan(segments, memo, costs(more));
};
const kindOf = (made: Plan) => (made.type === "break" ? made.reason : made.type);
const tokensIn = (parts: readonly (Part | readonly Part[])[]) =>
  parts.flat().reduce((sum, { text }) => sum + estimate(text), 0);
/** The line that these parts, and a head of 5,000 tokens, have just passed. */
const lineFor = (parts: readonly (Part | readonly Part[])[]) => Math.floor((tokensIn(parts) + 5_000) * 0.98);

describe("the order under pressure: what comes down to the mark is done, the lightest first", () => {
  const large = [message("go on"), ...runs(30)];
  const plain = [message("go on"), ...small(400)];
  const said = [
    message("go on"),
    ...Array.from({ length: 60 }, (_, at) => [
      says(words(200, `w${at}`)),
      ...did(`s${at}`, "Bash", { command: `check ${at}` }, words(20)),
    ]).flat(),
  ];

  test.each(["near", "hard"] as const)("%s: clear where results can be cleared", (pressure) => {
    expect(kindOf(planned(large, { pressure, lineTokens: lineFor(large) }))).toBe("cleared");
  });

  test.each(["near", "hard"] as const)("%s: collapse where each result alone is too small to clear", (pressure) => {
    expect(kindOf(planned(plain, { pressure, lineTokens: lineFor(plain) }))).toBe("collapsed");
  });

  test.each(["near", "hard"] as const)("%s: fold where what was said is the most of it", (pressure) => {
    expect(kindOf(planned(said, { pressure, lineTokens: lineFor(said) }))).toBe("compacted");
  });

  test("folded and too long all the same: over the hard line the older block goes for a shorter one, and that is the end of it", () => {
    const lines = Array.from({ length: 120 }, (_, at) => `- Bash check ${at}: ${words(12, `o${at}`)} [0123456789ab]`);
    const block = {
      ...message(`<folded-history>\nWork done so far.\n${lines.join("\n")}\n</folded-history>`),
      as: "fold",
    } as const;
    const at = { lineTokens: lineFor([block]), clearing: "off", collapsing: "off" } as const;
    expect(kindOf(planned([block, message("go on")], { ...at, pressure: "near" }))).toBe("nothing");
    const shorter = (text: string) => {
      const made = planned([{ ...block, text }, message("go on")], { ...at, pressure: "hard" });
      return made.type === "break" && made.reason === "compacted" && made.fold.type === "fold" ? made.fold.block : null;
    };
    const first = shorter(block.text);
    expect(estimate(first?.text ?? "")).toBeLessThan(estimate(block.text) / 2);
    expect(first?.original.text).toContain("check 0:");
    // Each time smaller, so that it ends.
    let texts = [block.text];
    for (let next = first; next !== null && texts.length < 10; next = shorter(next.text)) texts = [next.text, ...texts];
    expect(shorter(texts[0] ?? "")).toBeNull();
    expect(texts.map(estimate)).toEqual(texts.map(estimate).toSorted((a, b) => a - b));
  });

  test("each left out is passed over", () => {
    const more = { pressure: "hard" as const, lineTokens: lineFor(large), clearing: "off" as const };
    expect(kindOf(planned(large, more))).toBe("collapsed");
    expect(kindOf(planned(large, { ...more, collapsing: "off" }))).toBe("compacted");
    expect(kindOf(planned(large, { ...more, collapsing: "off", folding: "off" }))).toBe("nothing");
  });

  test("a loop that needs its reasoning is neither cleared nor collapsed in front of it: it is folded", () => {
    const open = [
      message("go on"),
      thinks("why"),
      ...runs(30).flat(),
      thinks("so"),
      ...did("n", "Bash", { command: "x" }, "y"),
    ];
    expect(kindOf(planned(open, { pressure: "hard", lineTokens: lineFor(open), closeLoop: true }))).toBe("compacted");
  });
});

describe("near the line", () => {
  const huge = [message("go on"), did("c", "Read", { file_path: "a.ts" }, words(20_000))];
  test("nothing that no answer has seen is cut, over the hard line it is", () => {
    expect(kindOf(planned(huge, { pressure: "near", lineTokens: 20_000 }))).toBe("nothing");
    expect(kindOf(planned(huge, { pressure: "hard", lineTokens: 20_000 }))).toBe("compacted");
  });

  test("what does not come down to the mark is left until the hard line, but what pays goes", () => {
    const kept = [message(words(20_000)), ...runs(2), ...small(3)];
    const line = Math.floor(((tokensIn(kept) + 5_000) / lineShares.auto) * lineShares.hard);
    expect(kindOf(planned(kept, { pressure: "near", lineTokens: line }))).toBe("nothing");
    const ripe = [message(words(20_000)), ...runs(8), ...small(40)];
    const nearLine = Math.floor(((tokensIn(ripe) + 5_000) / lineShares.auto) * lineShares.hard);
    const made = planned(ripe, { pressure: "near", lineTokens: nearLine });
    expect(made).toMatchObject({ type: "break", reason: "cleared", numbers: { reason: "rent" } });
  });

  test("where the head alone is most of the line, a mark beyond reach is not the aim", () => {
    const parts = [message("go on"), ...small(60)];
    const made = planned(parts, {
      pressure: "hard",
      headTokens: 60_000,
      lineTokens: Math.floor((tokensIn(parts) + 60_000) * 0.98),
    });
    expect(["collapsed", "compacted"]).toContain(kindOf(made));
  });
});

describe("C-005 · over the hard line something always goes, oldest first", () => {
  const shapes = fc.array(
    fc.record({
      type: fc.constantFrom("run" as const, "read" as const, "write" as const, "say" as const, "ask" as const),
      size: fc.integer({ min: 200, max: 2_000 }),
      thinks: fc.boolean(),
    }),
    { minLength: 4, maxLength: 30 },
  );
  const made = (
    shape: { readonly type: string; readonly size: number; readonly thinks: boolean },
    at: number,
  ): readonly Part[] => {
    const text = words(shape.size, `w${at}`);
    const thought = shape.thinks ? [thinks(`t${at}`)] : [];
    if (shape.type === "say") return [...thought, says(text), message(`next ${at}`)];
    if (shape.type === "ask") return [...thought, says("ok"), message(text)];
    if (shape.type === "write")
      return [...thought, ...did(`c${at}`, "Write", { file_path: "a.ts", content: text }, "done")];
    const input = shape.type === "run" ? { command: `make ${at}` } : { file_path: `f${at}.ts` };
    return [...thought, ...did(`c${at}`, shape.type === "run" ? "Bash" : "Read", input, text)];
  };
  const hard = (parts: readonly Part[], more: Partial<Costs>): Costs =>
    costs({ pressure: "hard", lineTokens: lineFor(parts), ...more });

  test("whatever the conversation: it is smaller after it, and what the newest answer has not seen is not cleared", () => {
    fc.assert(
      fc.property(shapes, fc.constantFrom("free" as const, "bound" as const), (list, reasoning) => {
        const parts = [message("begin"), ...list.flatMap(made), ...did("end", "Bash", { command: "x" }, "the newest")];
        const { segments, memo } = worked(...parts);
        const next = plan(segments, memo, hard(parts, { reasoning }));
        expect(next.type).toBe("break");
        const left = applyPlan(parts, next, {
          clipped: (part, { text }) => ({ ...part, text }),
          cleared: (part, { text }) => ({ ...part, text }),
          folded: ({ text }) => message(text),
          written: (part, { text }) => ({ ...part, text }),
        });
        expect(tokensIn(left)).toBeLessThan(tokensIn(parts));
        expect(left.some(({ text }) => text.includes("the newest"))).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  test("one step below the mark is not enough, but better than nothing", () => {
    const parts = [message(words(30_000)), ...runs(12), ...small(2)].flat();
    const next = planned(parts, { pressure: "hard", lineTokens: lineFor(parts), folding: "off", collapsing: "off" });
    if (next.type !== "break" || next.reason !== "cleared") throw new Error(`nothing was cleared: ${kindOf(next)}`);
    expect(parts[next.stubs[0]?.segment ?? 0]?.callId).toBe("r0");
  });
});
