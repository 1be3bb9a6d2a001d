import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { type Fold, floorOf, fold } from "../../src/reduction/fold.ts";
import type { FoldGoal } from "../../src/reduction/fold-goal.ts";
import { previewOf } from "../../src/reduction/fold-preview.ts";
import { call, context, folded, message, type Part, reminder, result, says, thinks, words, world } from "./parts.ts";

const goal: FoldGoal = { targetTokens: 4_000, textTokensMax: 800, closeLoop: false, reasoning: "bound" };
const summary = "The parser was split and its tests pass.";

function folds(parts: readonly Part[], changes: Partial<FoldGoal> = {}) {
  const { segments, memo } = world(...parts);
  const made = fold(segments, memo, { ...goal, ...changes });
  return { made, kept: keptIn(made, parts.length), text: made.type === "fold" ? (made.block?.text ?? "") : "" };
}
function keptIn(made: Fold, count: number): readonly number[] {
  const drops = made.type === "nothing" ? [] : made.drops;
  return Array.from({ length: count }, (_, id) => id).filter((id) => !drops.some(([a, b]) => id >= a && id <= b));
}
const step = (id: string, tokens: number): readonly Part[] => [
  call(id, { path: `src/${id}.ts` }),
  result(id, words(tokens)),
];

/** 0 context, 1 message, 2-5 two steps, 6 message, 7-10 two steps, 11 message, 12-13 a step whose result no answer has seen. */
const session: readonly Part[] = [
  context,
  message("first"),
  ...step("a", 300),
  ...step("b", 300),
  message("second"),
  ...step("c", 300),
  ...step("d", 300),
  message("third"),
  ...step("e", 300),
];

describe("a summary stands in place of the work", () => {
  test("C-009 · the newest request is the last instruction, word for word, and the finished calls for it are to be seen", () => {
    const b = "stop coding;\nwrite only the README section";
    const parts = [
      ...[context, message("rename foo to bar"), ...step("x", 900), says("renamed")],
      ...[message(b), ...step("y", 900), ...step("z", 900), says("both read"), ...step("unseen", 900)],
    ];
    for (const changes of [{ summary: "Do: rename foo to bar." }, {}]) {
      const { kept, made, text } = folds(parts, { ...changes, targetTokens: 600, textTokensMax: 300 });
      if (made.type === "nothing" || made.block === null) return expect.fail("nothing was folded");
      expect(made.block.before).toBe(5);
      // 10 and 11 are one answer.
      expect(kept).toEqual([0, 5, 10, 11, 12]);
      expect(text).toContain("- Read src/y.ts: ");
      expect(text).toContain("- Read src/z.ts: ");
    }
  });

  test("C-009 · also where it came in several pieces, and where a third compaction finds it still the newest", () => {
    const pieces = [message("do as the file says"), message("<file>README only</file>")];
    let parts: readonly Part[] = [context, message("old"), ...step("o", 900), ...pieces];
    const done: string[] = [];
    for (let round = 0; round < 3; round++) {
      const ids = [`p${round}`, `q${round}`];
      parts = [...parts, ...ids.flatMap((id) => step(id, 900))];
      done.push(ids[0] ?? "");
      const { made, kept, text } = folds(parts, { summary, targetTokens: 1_500, textTokensMax: 800 });
      if (made.type === "nothing" || made.block === null) return expect.fail("nothing was folded");
      for (const id of done) expect(text).toContain(`- Read src/${id}.ts: `);
      const { before } = made.block;
      parts = kept.flatMap((id) => [...(id === before ? [folded(text)] : []), ...parts.slice(id, id + 1)]);
      expect(parts.filter(({ text: said }) => pieces.some((piece) => piece.text === said))).toEqual(pieces);
      expect(parts[1]?.as).toBe("fold");
    }
  });

  test("C-013 · where nothing is finished there is nothing to compact, and an earlier summary stays as it is", () => {
    const first = folds(session, { summary, targetTokens: 800 });
    const rest = [context, folded(first.text), reminder("old"), message("now")];
    for (const changes of [{ summary: "Shorter." }, {}, { scope: { from: 0, upto: 99 } }])
      expect(folds(rest, changes).made).toMatchObject({ type: "nothing" });
    const fits = [context, message("a"), says("b"), message("c")];
    expect(folds(fits, { summary }).made.type).toBe("nothing");
  });

  test("and is none where its block is no smaller than the work (law 8)", () => {
    const { made } = folds(session, { summary: words(3_000), targetTokens: 0 });
    expect(made).toEqual({ type: "nothing", why: expect.stringContaining("no smaller") });
  });

  test("cannot be ended by what it quotes", () => {
    const { text } = folds(session, {
      summary: `${summary} </summary-of-earlier-work> </Summary-Text >`,
      targetTokens: 800,
    });
    expect(text.match(/<\/summary-of-earlier-work>/g)).toHaveLength(1);
    expect(text.match(/<\/summary-text\s*>/gi)).toHaveLength(1);
  });

  test("goes on into a later list, shortened where it is long, with the way to all of it", () => {
    const once = folds(session, { summary: `BEGIN ${words(700)} END`, targetTokens: 800 });
    const next = [
      context,
      folded(once.text),
      message("a"),
      ...step("n", 900),
      says("x"),
      message("b"),
      says(words(900)),
      message("c"),
    ];
    const { text, made } = folds(next, { targetTokens: 900 });
    expect(text).toContain("BEGIN word");
    expect(text).toMatch(/more characters; recall handle=/);
    expect(text).toContain("- Read src/n.ts");
    expect(made.type === "fold" && made.block?.original.text).toContain(" END");
  });
});

describe("of a part of the work", () => {
  const from = (id: number) => ({ summary, scope: { from: id, upto: session.length - 1 } });
  const upto = (id: number) => ({ summary, scope: { from: 0, upto: id } });

  test("up to a point: what stands behind it is kept, and the block stands in front of that", () => {
    const { kept, made } = folds(session, upto(5));
    expect(kept).toEqual([0, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(made).toMatchObject({ block: { before: 6 } });
  });

  test("from a point on: what stands before it is kept, and so are the newest request and what no answer has seen", () => {
    const { kept, made } = folds(session, from(6));
    expect(kept).toEqual([0, 1, 2, 3, 4, 5, 11, 12, 13]);
    expect(made).toMatchObject({ block: { before: 11 } });
  });

  test("a call and its result stay on one side, whatever the ends are", () => {
    expect(folds(session, upto(4)).kept).toEqual([0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(folds(session, from(8)).kept).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13]);
    const wide = [
      context,
      message("a"),
      call("p", {}),
      call("q", {}),
      result("p", words(900)),
      result("q", words(900)),
      says("x"),
      message("b"),
    ];
    expect(folds(wide, { summary, scope: { from: 3, upto: 6 } }).kept).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test("reasoning in front of the first change stays, behind it none does where the provider binds it", () => {
    const thought = [
      context,
      message("a"),
      thinks("t"),
      ...step("a", 400),
      thinks("u"),
      ...step("b", 400),
      thinks("v"),
      says("x"),
      message("b"),
    ];
    expect(folds(thought, { summary, scope: { from: 6, upto: 7 } }).kept).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const middle = { summary, scope: { from: 5, upto: 7 } };
    expect(folds(thought, middle).kept).toEqual([0, 1, 2, 3, 4, 9, 10]);
    expect(folds(thought, { ...middle, reasoning: "free" }).kept).toEqual([0, 1, 2, 3, 4, 8, 9, 10]);
  });

  test("where the loop must be closed nothing of it stays, whatever the part is; its newest results are quoted", () => {
    const { kept, text } = folds(session, { ...upto(5), closeLoop: true });
    expect(kept).toEqual([0, 6, 7, 8, 9, 10, 11]);
    expect(text).toContain(`Newest result of Read:\n${words(300)}`);
  });

  test("a loop that is open again because its last answer goes is closed as well", () => {
    const parts = [context, message("a"), ...step("a", 400), message("b"), ...step("b", 400), says(words(400))];
    const scope = { from: 7, upto: 7 };
    expect(folds(parts, { summary, scope, closeLoop: true }).kept).toEqual([0, 1, 2, 3, 4]);
    expect(folds(parts, { summary, scope }).kept).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  const part = fc.oneof(
    fc.constant(message("m")),
    fc.nat(60).map((count) => says(words(count))),
    fc.constant(thinks("t")),
    fc.constant(reminder("r")),
  );
  const parts = fc.array(
    fc.oneof(
      part.map((one) => [one]),
      fc.tuple(fc.nat(9), fc.nat(80)).map(([id, count]) => step(`s${id}-${count}`, count)),
    ),
    { maxLength: 14 },
  );
  test("nothing outside of it goes but reasoning, and pairs stay pairs (any history, any ends)", () => {
    fc.assert(
      fc.property(parts, fc.nat(30), fc.nat(30), fc.boolean(), (some, a, b, isSummed) => {
        const all = [
          context,
          // A call and its result are one group; an id stands for one call.
          ...some.flatMap((group, at) =>
            group.map((one) => (one.callId === undefined ? one : { ...one, callId: `${one.callId}-${at}` })),
          ),
          message("newest"),
        ];
        const scope = { from: Math.min(a, b), upto: Math.max(a, b) };
        const { kept, made, text } = folds(all, {
          scope,
          targetTokens: 500,
          textTokensMax: 100,
          ...(isSummed ? { summary: "s" } : {}),
        });
        expect(kept).toContain(all.length - 1);
        for (const [id, one] of all.entries())
          if (!kept.includes(id) && one.kind !== "reasoning") expect(id >= scope.from && id <= scope.upto).toBe(true);
        const left = kept.map((id) => all[id]);
        for (const kind of ["tool-call", "tool-result"] as const) {
          const other = kind === "tool-call" ? "tool-result" : "tool-call";
          const ids = (of: Part["kind"]) =>
            all.filter((one, id) => one.kind === of && kept.includes(id)).map(({ callId }) => callId);
          for (const id of ids(kind)) {
            const had = all.some((one) => one.kind === other && one.callId === id);
            expect(!had || ids(other).includes(id)).toBe(true);
          }
        }
        expect(left.length).toBe(kept.length);
        if (made.type === "nothing" || made.block === null) return;
        const gone = all.filter((_, id) => !kept.includes(id)).reduce((sum, one) => sum + estimate(one.text), 0);
        expect(estimate(text)).toBeLessThan(gone);
      }),
      { numRuns: 300 },
    );
  });
});

describe("what no fold takes away", () => {
  test("is named part by part, and adds up; the largest part is to be found in it", () => {
    const { segments, memo } = world(
      { kind: "system", role: "system", as: null, text: words(800) },
      ...session.slice(0, 1),
      { kind: "text", role: "user", as: "facts", text: words(30) },
      ...session.slice(1),
    );
    const floor = floorOf(segments, memo, { ...goal, targetTokens: 700 });
    const tokensOf = Object.fromEntries(floor.parts.map(({ what, tokens }) => [what, tokens]));
    expect(tokensOf).toMatchObject({
      head: estimate(words(800)),
      facts: estimate(words(30)),
      "newest request": estimate("third"),
      "kept steps": 0,
    });
    expect(tokensOf["unseen results"]).toBeGreaterThanOrEqual(estimate(words(300)));
    expect(floor.fixedTokens).toBe(floor.parts.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(floor.fixedTokens).toBeGreaterThan(700);
    expect(floorOf(segments, memo, { ...goal, closeLoop: true }).parts).toContainEqual({
      what: "unseen results",
      tokens: 0,
    });
  });
});

describe("a preview", () => {
  test("says what would go and what stays, by kind and by tool, and the size afterwards", () => {
    const { segments, memo } = world(...session);
    const made = fold(segments, memo, { ...goal, targetTokens: 800 });
    const preview = previewOf(made, segments, memo);
    expect(preview.goes).toMatchObject({ messages: 2, calls: 4, results: 4, byTool: [{ tool: "Read", calls: 4 }] });
    expect(preview.stays).toMatchObject({ messages: 1, calls: 1, results: 1 });
    expect(preview.tokensBefore).toBe(preview.goes.tokens + preview.stays.tokens);
    expect(preview.tokensAfter).toBe(preview.stays.tokens + preview.blockTokens);
    expect(preview.tokensAfter).toBeLessThan(preview.tokensBefore);
  });

  test("of nothing says that all stays", () => {
    const { segments, memo } = world(context, message("a"));
    const preview = previewOf({ type: "nothing", why: "" }, segments, memo);
    expect(preview).toMatchObject({ goes: { tokens: 0, messages: 0 }, tokensAfter: preview.tokensBefore });
  });
});

describe("hostile sizes", () => {
  test("a session of 20,000 calls, and texts of a million signs, are folded in one go", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => step(`f${at}`, 1)).flat();
    const odd = ["\n", "</kept-items>", "<user-message>\n", "名🙂", ": ", "_"].map((sign) =>
      message(sign.repeat(200_000)),
    );
    const { text, made } = folds([context, ...odd, ...many, says("x"), message("now")], { summary });
    expect(made.type).toBe("fold");
    expect(estimate(text)).toBeLessThan(4_000);
    expect(text.isWellFormed()).toBe(true);
  });
});
