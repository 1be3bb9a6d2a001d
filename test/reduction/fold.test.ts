import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { fold } from "../../src/reduction/fold.ts";
import type { FoldGoal } from "../../src/reduction/fold-goal.ts";
import { call, context, folded, message, type Part, reminder, result, says, thinks, words, world } from "./parts.ts";

const goal = (changes: Partial<FoldGoal> = {}): FoldGoal => ({
  targetTokens: 300,
  textTokensMax: 200,
  closeLoop: false,
  reasoning: "bound",
  ...changes,
});
const folds = (parts: readonly Part[], changes: Partial<FoldGoal> = {}) => {
  const { segments, memo } = world(...parts);
  const made = fold(segments, memo, goal(changes));
  if (made.type === "nothing") return { kept: segments.map(({ id }) => id), text: "", made };
  const gone = new Set(made.drops.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n)));
  return { kept: segments.map(({ id }) => id).filter((id) => !gone.has(id)), text: made.block?.text ?? "", made };
};

const longWork: readonly Part[] = [
  context,
  message("rename foo to bar"),
  says("I look"),
  call("a", { path: "src/foo.ts", startLine: 3 }),
  result("a", `first line\n${words(400)}\nlast line`),
  says("renamed"),
  message("write the README section"),
  says("reading"),
  call("b", { path: "README.md" }),
  result("b", words(300)),
];

describe("a fold", () => {
  test("keeps context, newest request and unseen results; the rest is one line each, with handles", () => {
    const { kept, text, made } = folds(longWork);
    expect(kept).toEqual([0, 6, 7, 8, 9]);
    expect(text).toContain("User: rename foo to bar");
    expect(text).toContain("Said: I look");
    expect(text).toMatch(
      /- Read src\/foo\.ts from line 3: 3 lines, first "first line", last "last line" \[[0-9a-f]{12}\]/,
    );
    expect(made).toMatchObject({ type: "fold", block: { before: 6 }, reasoningTokensLost: 0 });
  });

  test("in the place of an older one it is smaller than that: the reasoning behind would go for nothing", () => {
    const tight = { targetTokens: 0, tight: true } as const;
    const newest = [message("go on"), thinks(words(200)), call("z", { path: "z.ts" }), result("z", "z")];
    let older = folds([...longWork, says("done"), ...newest], tight).text;
    for (let time = 0; time < 10; time++) {
      const again = folds([context, folded(older), ...newest], tight);
      if (again.made.type === "nothing") return;
      expect(estimate(again.text)).toBeLessThan(estimate(older));
      older = again.text;
    }
    throw new Error("it comes to no rest");
  });

  test("says of a shortened result what the whole is: its lines, and the last that is its own", () => {
    const note = "[90 lines, 5760 characters in all; the rest: recall handle=abc startLine=2 endLine=89; sha256 abc]";
    const { text } = folds([
      context,
      message("rename foo to bar"),
      call("a", { path: "src/foo.ts" }),
      result("a", `first line\n${words(400)}\n[… 3-89 …]\nlast line\n${note}`),
      says("renamed"),
      message("go on"),
    ]);
    expect(text).toContain('- Read src/foo.ts: 90 lines, first "first line", last "last line"');
  });

  test("keeps newest steps while they fit, and what stood in front of the request too", () => {
    expect(folds(longWork, { targetTokens: 2_000, textTokensMax: 50 }).kept).toEqual(longWork.map((_, id) => id));
    expect(folds(longWork, { targetTokens: 1_000, textTokensMax: 50 }).kept.length).toBeGreaterThan(5);
  });

  test("of nothing is nothing, and says why", () => {
    const { made } = folds([context, message("go")]);
    expect(made).toEqual({ type: "nothing", why: expect.stringContaining("newest request") });
  });

  test("that would be no smaller is none (law 8)", () => {
    const { made } = folds([context, message("a"), says("ok"), message("b")], { targetTokens: 0 });
    expect(made).toEqual({ type: "nothing", why: expect.stringContaining("no smaller") });
  });

  test("leaves reasoning out whole where the provider binds it, keeps that of kept steps where it does not", () => {
    const thought = [...longWork.slice(0, 7), thinks(words(20)), ...longWork.slice(7)];
    expect(folds(thought).kept).not.toContain(7);
    expect(folds(thought).made).toMatchObject({ reasoningTokensLost: estimate(words(20)) });
    expect(folds(thought, { reasoning: "free" }).kept).toContain(7);
  });

  test("of reasoning alone needs no block, and leaves that of the open tool loop where it is", () => {
    const loop = [thinks(words(50)), call("x", {}), result("x", "r")];
    const parts = [context, message("go"), thinks(words(900)), call("w", {}), result("w", "r"), ...loop];
    const { made, kept } = folds(parts, { targetTokens: 5_000 });
    expect(made).toMatchObject({ type: "fold", block: null });
    expect(kept).toEqual([0, 1, 3, 4, 5, 6, 7]);
  });

  test("of reasoning alone takes nothing of the whole open loop, where the provider refuses the loop without it", () => {
    const loop = [
      thinks(words(900)),
      call("w", {}),
      result("w", "r"),
      thinks(words(50)),
      call("x", {}),
      result("x", "r"),
    ];
    const made = (reasoning: FoldGoal["reasoning"]) =>
      folds([context, message("go"), ...loop], { targetTokens: 5_000, reasoning }).made.type;
    expect(made("bound-loop")).toBe("nothing");
    expect(made("bound")).toBe("fold");
  });

  test("keeps a reminder nobody has seen, and no other", () => {
    const old = [message("a"), reminder("old"), says(words(900)), message("go on"), says("ok")];
    const { kept } = folds([context, ...old, reminder("a file changed"), message("b")]);
    expect(kept).toEqual([0, 5, 6, 7]);
  });

  test("closing the loop keeps no step; results nobody has seen are quoted whole", () => {
    const { kept, text } = folds(longWork, { closeLoop: true });
    expect(kept).toEqual([0, 6]);
    expect(text).toContain(`Newest result of Read:\n${words(300)}`);
    expect(text).toContain("- Read README.md");
  });

  test("carries an older fold's lines on, without its frame and without the results it quoted", () => {
    const first = folds(longWork, { closeLoop: true }).text;
    const again = folds([context, folded(first), message("next"), says(words(400)), message("more")], {
      textTokensMax: 2_000,
    });
    expect(again.text).toContain("- Read src/foo.ts");
    expect(again.text.match(/<folded-history>/g)).toHaveLength(1);
    expect(again.text.match(/<\/folded-history>/g)).toHaveLength(1);
    expect(again.text).not.toContain("Newest result of");
  });

  test("cannot be ended by a message that quotes its frame", () => {
    const old = [message("look at </folded-history> please"), says(words(900)), message("and"), says("ok")];
    const parts = [context, ...old, message("now")];
    expect(folds(parts).text.match(/<\/folded-history>/g)).toHaveLength(1);
  });

  test("with more lines than it may show names the rest by number and handle; the list is whole under that handle", () => {
    const many = Array.from({ length: 60 }, (_, n) => [
      call(`c${n}`, { path: `src/file-${n}.ts` }),
      result(`c${n}`, words(60)),
    ]).flat();
    const { text, made } = folds([context, message("go"), ...many, says("ok"), message("on")]);
    if (made.type === "nothing" || made.block === null) return expect.fail("nothing was folded");
    const [, left, handle] =
      /\[(\d+) older lines left out; recall handle=([0-9a-f]{12}) returns all \d+\]/.exec(text) ?? [];
    expect(Number(left)).toBeGreaterThan(0);
    expect(handle).toBe(made.block.original.handle);
    expect(made.block.original.handle).toBe(handleOf(hashOf(made.block.original.text)));
    const { text: whole } = made.block.original;
    for (let n = 0; n < 58; n++) expect(whole).toContain(`src/file-${n}.ts`);
    expect(text).toContain(whole.split("\n").at(-1));
    // The list, and what is read off the work: a share of the target for files (DESIGN 6).
    expect(estimate(text)).toBeLessThanOrEqual(200 + 30 + 30 + 60);
  });

  const part = fc.oneof(
    fc.string({ maxLength: 40 }).map(message),
    fc.nat(300).map((count) => says(words(count))),
    fc.nat(200).map((count) => thinks(words(count))),
    fc.constant(reminder("note")),
    fc.nat(300).map((count) => result("x", words(count))),
    fc.constant(call("x", { path: "p" })),
  );
  test("is deterministic, keeps the newest request, and its drops are ranges in order (any history)", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), fc.nat(2_000), fc.boolean(), (parts, targetTokens, closeLoop) => {
        const all = [context, ...parts, message("newest")];
        const once = folds(all, { targetTokens, closeLoop });
        expect(folds(all, { targetTokens, closeLoop }).made).toEqual(once.made);
        expect(once.kept).toContain(0);
        expect(once.kept).toContain(all.length - 1);
        if (once.made.type === "nothing") return;
        const ends = once.made.drops.flat();
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
      }),
      { numRuns: 200 },
    );
  });
});
