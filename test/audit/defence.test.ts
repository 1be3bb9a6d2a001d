import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linesOfDefence } from "../../src/audit/defence.ts";
import { lineNames } from "../../src/audit/defence-line.ts";
import { pricedLines } from "../../src/audit/defence-money.ts";
import { defenceText } from "../../src/audit/defence-text.ts";
import { brand } from "../../src/kernel/ids.ts";
import { charsOfText } from "../../src/log/block.ts";
import type { PieceEdit } from "../../src/log/entry.ts";
import { pendingPieces, reduce, reduceAll } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import { arbitraryMoves } from "../support/arbitrary-log.ts";
import { play } from "../support/play-log.ts";
import { charsIn, type HandLog, handLog, lineIn, missed, prices, text, workOf } from "./defence-log.ts";

const drop = (from: string, to: string): PieceEdit => ({ type: "dropped", from, to });
const stub = (piece: string, chars: number): PieceEdit => ({ type: "replaced", piece, text: text(chars, "s") });
const block = (chars: number, before?: string): PieceEdit => ({
  type: "inserted",
  before: before ?? null,
  kind: "fold",
  text: text(chars, "f"),
  original: { handle: brand("hfold"), text: "all of it" },
});

describe("first forms and pointers", () => {
  test("save what is left out once at the price of new tokens, then at read price in each later request", () => {
    const log = handLog();
    log.open("start");
    log.say("go");
    log.step([{ id: "a" }], "");
    log.result("a", text(5_000));
    log.form("a", text(2_000));
    log.step([], "one");
    log.say("on");
    log.step([], "two");
    log.say("on");
    log.step([], "three");
    // 3,000 tokens: 12 when they would have been sent first, then twice 1: 3,000 x 14 / 1e6.
    expect(lineIn(log, "first-forms")).toEqual({
      line: "first-forms",
      times: 1,
      tokensKeptOut: 3_000,
      savedUsd: 0.042,
      spentUsd: 0,
      worthUsd: 0.042,
    });
    expect(lineIn(log, "pointers")).toMatchObject({ times: 0, savedUsd: 0, worthUsd: 0 });
  });

  test("are told apart where a result has both", () => {
    const log = handLog();
    log.open("start");
    log.step([{ id: "a" }], "");
    log.result("a", text(5_000));
    log.form("a", text(500), text(3_000));
    log.step([], "one");
    // The form leaves out 2,000, its pointers 2,500 more; once new: x 12.
    expect(lineIn(log, "first-forms")).toMatchObject({ tokensKeptOut: 2_000, savedUsd: 0.024 });
    expect(lineIn(log, "pointers")).toMatchObject({ times: 1, tokensKeptOut: 2_500, savedUsd: 0.03 });
  });

  test("of a result larger than the window count no more than the window", () => {
    const log = handLog();
    log.open("start");
    log.step([{ id: "a" }], "");
    log.result("a", text(90_000));
    log.form("a", text(1_000));
    log.step([], "one");
    expect(lineIn(log, "first-forms", 10_000)).toMatchObject({ tokensKeptOut: 9_000 });
  });
});

/** A result of 5,000 and two answers of 500 behind it; cleared to 500 before the third request. */
function cleared(reasoningTokensLost = 0) {
  const log = handLog();
  log.open("start");
  log.say("go");
  log.step([{ id: "a" }], "");
  const result = log.result("a", text(5_000));
  const first = log.step([], text(500, "a"));
  log.say("on");
  const second = log.step([], text(500, "b"));
  log.say("on");
  log.open("cleared", [stub(`${result}.0`, 500)], reasoningTokensLost);
  log.step([], "three", { row: missed("break:cleared") });
  return { log, result, first, second };
}

describe("clear", () => {
  test("saves read price in each request, and pays for what it makes the next one write again and for lost reasoning", () => {
    const { log } = cleared(100);
    log.say("on");
    log.step([], "four");
    // Saved: 4,500 x 1 in two requests. Spent: behind the cut stand the stub (500), an answer (500) and `on` (2), sent before;
    // the second answer was never sent. 1,002 x (12 - 1), and 100 lost at 12.
    expect(lineIn(log, "clear")).toEqual({
      line: "clear",
      times: 1,
      tokensKeptOut: 4_500,
      savedUsd: 0.009,
      spentUsd: 0.012222,
      worthUsd: -0.003222,
    });
  });

  test("saves nothing more once a compaction takes the same work", () => {
    const { log, result } = cleared();
    const before = lineIn(log, "clear");
    log.say("on");
    log.open("compacted", [drop("2.0", `${result}.0`), block(300, "5.0")]);
    log.step([], "four", { row: missed("break:compacted") });
    expect(lineIn(log, "clear")).toEqual(before);
  });

  test("behind a cache that was lost anyway pays nothing for writing, and saves what writing would have cost", () => {
    const log = handLog();
    log.open("start");
    log.step([{ id: "a" }], "");
    const result = log.result("a", text(5_000));
    log.step([], "one");
    log.open("cleared", [stub(`${result}.0`, 500)]);
    log.step([], "two", { usage: { cacheRead: 0 }, row: missed("expired") });
    // All of that prompt was written: 4,500 x 12.
    expect(lineIn(log, "clear")).toMatchObject({ savedUsd: 0.054, spentUsd: 0 });
  });

  test("ends what a first form saves of the same result, as it would have taken the original as well", () => {
    const log = handLog();
    log.open("start");
    log.step([{ id: "a" }], "");
    const result = log.result("a", text(5_000));
    log.form("a", text(2_000));
    log.step([], "one");
    log.open("cleared", [stub(`${result}.0`, 500)]);
    log.step([], "two", { row: missed("break:cleared") });
    expect(lineIn(log, "first-forms")).toMatchObject({ savedUsd: 0.036 });
    expect(lineIn(log, "clear")).toMatchObject({ tokensKeptOut: 1_500, savedUsd: 0.0015 });
  });

  test("by the provider itself counts as long as it is reported, and of these results nothing else is kept out", () => {
    const log = handLog();
    log.open("start");
    log.step([{ id: "a" }], "");
    log.result("a", text(5_000));
    log.form("a", text(2_000));
    log.step([{ id: "b" }], "");
    log.result("b", text(100));
    const cleared = { results: 1, tokens: 1_900 };
    log.step([], "two", { cleared, usage: { cacheRead: 1_000, cacheWrite5m: 400 }, row: missed("break:cleared") });
    log.say("on");
    log.step([], "three", { cleared });
    // The form: 3,000 x 12 when it was new. The provider: 1,900 x 1 twice, and 300 written instead of read:
    // 100 of the 400 were new.
    expect(lineIn(log, "first-forms")).toMatchObject({ savedUsd: 0.036 });
    expect(lineIn(log, "clear")).toMatchObject({ times: 1, tokensKeptOut: 1_900, savedUsd: 0.0038, spentUsd: 0.0033 });
  });

  test("by the provider itself counts in a request for a summary as well, and afresh behind the compaction", () => {
    const log = handLog();
    log.open("start");
    log.step([{ id: "a" }], "");
    const result = log.result("a", text(5_000));
    log.step([], "one");
    log.summary("accepted", { cacheRead: 1_000, cacheWrite5m: 200 }, { results: 1, tokens: 4_900 });
    // 4,900 x 1. Of the 200 all but the answer were written again, as far as the report says.
    expect(lineIn(log, "clear")).toMatchObject({ times: 1, tokensKeptOut: 4_900, savedUsd: 0.0049 });
    log.open("compacted", [drop("3.0", `${result}.0`), block(300, "6.0")]);
    log.step([{ id: "b" }], "", { row: missed("break:compacted") });
    log.result("b", text(3_000));
    log.step([], "two", { cleared: { results: 1, tokens: 2_900 }, row: missed("break:cleared") });
    expect(lineIn(log, "clear")).toMatchObject({ times: 2, tokensKeptOut: 7_800, savedUsd: 0.0078 });
  });

  test("pays for a recall of what it took: its part of the step, then its text as long as it stands", () => {
    const { log } = cleared();
    const before = lineIn(log, "clear")?.spentUsd ?? 0;
    log.say("on");
    const calls = [{ id: "r", tool: "recall", input: '{"handle":"[HA]"}' }, { id: "b" }];
    log.step(calls, "", { usage: { cacheRead: 9_000, cacheWrite5m: 1_000, output: 200 } });
    log.result("r", text(800));
    log.result("b", "seen");
    log.step([], "five");
    log.say("on");
    log.step([], "six");
    // Half of the step: (10,000 x 1 + 200 x 50) / 2 = 10,000; its text: 800 x 12 new, 800 x 1 carried.
    expect((lineIn(log, "clear")?.spentUsd ?? 0) - before).toBeCloseTo(0.0204, 6);
  });

  test("does not pay for a search that names no handle, nor for a recall of what nothing took", () => {
    const { log } = cleared();
    const before = lineIn(log, "clear");
    log.say("on");
    log.step([{ id: "r", tool: "recall", input: '{"search":"x"}' }], "");
    log.result("r", text(10));
    log.step([{ id: "s", tool: "recall", input: '{"handle":"nobody"}' }], "");
    expect(lineIn(log, "clear")?.spentUsd).toBe(before?.spentUsd);
  });
});

describe("collapse", () => {
  test("is credited with the span less the line in its place", () => {
    const log = handLog();
    log.open("start");
    log.say("go");
    const call = log.step([{ id: "a" }], "");
    const result = log.result("a", text(3_000));
    const said = log.step([], text(400, "a"));
    log.say("on");
    log.step([], "two");
    log.say("on");
    log.open("collapsed", [drop(`${call}.0`, `${result}.0`), block(100, `${said}.0`)]);
    log.step([], "three");
    // Saved: 2,900 x 1. Spent: the line (100), the answer (400) and `on` (2) are written again: 502 x 11.
    expect(lineIn(log, "collapse")).toMatchObject({
      times: 1,
      tokensKeptOut: 2_900,
      savedUsd: 0.0029,
      spentUsd: 0.005522,
    });
  });
});

/** A result of 3,000 sent, then summed up in 200. */
function compacted() {
  const log = handLog();
  log.open("start");
  log.say("go");
  log.step([{ id: "a" }], "");
  const result = log.result("a", text(3_000));
  log.step([], "one");
  log.say("on");
  log.summary("junk", { cacheRead: 1_000, cacheWrite5m: 0, output: 100 });
  log.summary("accepted", { cacheRead: 1_000, cacheWrite5m: 0, output: 100 });
  const seq = log.open("compacted", [drop("2.0", `${result + 2}.0`), block(200)]);
  return { log, seq };
}

describe("compact", () => {
  test("pays for every summary that was asked for, refused ones too, and for files shown again", () => {
    const { log } = compacted();
    log.add({ type: "reminder-added", source: "files", text: text(50) });
    log.step([], "two", { row: missed("break:compacted") });
    // Kept out: `go` (2), the result (3,000) and `one` (3), less the block (200): 2,805 x 1.
    // Summaries: 2 x (1,000 x 1 + 100 x 50) = 12,000; the block is written: 200 x 11; files: 50 x 12.
    expect(lineIn(log, "compact")).toEqual({
      line: "compact",
      times: 1,
      tokensKeptOut: 2_805,
      savedUsd: 0.002805,
      spentUsd: 0.0148,
      worthUsd: -0.011995,
    });
  });

  test("that takes the block of another one ends its savings, and counts only what it took itself", () => {
    const { log, seq } = compacted();
    log.step([], "two", { row: missed("break:compacted") });
    const before = lineIn(log, "compact");
    log.say("on");
    log.open("compacted", [drop(`${seq}.2`, `${seq}.2`), block(150)]);
    log.step([], "three", { row: missed("break:compacted") });
    const after = lineIn(log, "compact");
    expect((after?.tokensKeptOut ?? 0) - (before?.tokensKeptOut ?? 0)).toBe(50);
    expect((after?.savedUsd ?? 0) - (before?.savedUsd ?? 0)).toBeCloseTo(0.00005, 9);
  });

  test("that is undone saves nothing from then on, and what first forms had saved goes on", () => {
    const log = handLog();
    log.open("start");
    log.say("go");
    log.step([{ id: "a" }], "");
    const result = log.result("a", text(5_000));
    log.form("a", text(2_000));
    log.step([], "one");
    log.open("compacted", [drop(`${result - 1}.0`, `${result}.0`), block(200)]);
    log.say("on");
    log.step([], "two", { row: missed("break:compacted") });
    const [forms, compact] = [lineIn(log, "first-forms"), lineIn(log, "compact")];
    log.open("undone");
    log.say("on");
    log.step([], "three");
    expect(lineIn(log, "compact")?.savedUsd).toBe(compact?.savedUsd);
    // 3,000 x 1 more.
    expect((lineIn(log, "first-forms")?.savedUsd ?? 0) - (forms?.savedUsd ?? 0)).toBeCloseTo(0.003, 9);
  });
});

describe("what is billed", () => {
  test("a request that failed carries nothing: its costs and savings come with the next", () => {
    const { log } = cleared();
    const again = handLog();
    again.entries.push(...log.entries.slice(0, -2));
    again.rows.push(...log.rows.slice(0, -1));
    again.failedStep();
    again.step([], "three", { row: missed("break:cleared") });
    expect(lineIn(again, "clear")).toEqual(lineIn(log, "clear"));
  });

  test("two breaks before one request do not write the same text twice", () => {
    const { log, result, first } = cleared();
    const usage = { cacheRead: 10_000, cacheWrite5m: 600 };
    log.say("on");
    log.open("cleared", [stub(`${result}.0`, 400)]);
    log.open("collapsed", [drop(`${result - 1}.0`, `${result}.0`), block(10, `${first}.0`)]);
    const before = lineIn(log, "clear");
    log.step([], "four", { usage, row: missed("break:cleared") });
    // Of 600 that were not read 7 are new, the rest are the clear's; nothing is left for the collapse.
    expect((lineIn(log, "clear")?.spentUsd ?? 0) - (before?.spentUsd ?? 0)).toBeCloseTo(593 * 11e-6, 9);
    expect(lineIn(log, "collapse")?.spentUsd).toBe(0);
  });

  test("an unknown price is unknown, in figures and in words; what did nothing was worth nothing", () => {
    const log = handLog("nobody-knows");
    log.open("start");
    log.step([{ id: "a" }], "");
    log.result("a", text(5_000));
    log.form("a", text(2_000));
    log.step([], "one");
    const lines = pricedLines(workOf(log), log.rows, prices);
    expect(lines[0]).toMatchObject({ times: 1, tokensKeptOut: 3_000, savedUsd: null, spentUsd: null, worthUsd: null });
    expect(lines[2]).toMatchObject({ times: 0, worthUsd: 0 });
    expect(defenceText(lines)[1]).toMatch(/first forms +1 +3,000 +unknown +unknown +unknown/);
    expect(defenceText(lines).at(-1)).toContain("no price");
  });

  test("a loss is shown as one, and said", () => {
    const { log } = cleared(100);
    const told = defenceText(pricedLines(workOf(log), log.rows, prices));
    expect(told[3]).toMatch(/-\$0\.0\d+$/);
    expect(told.at(-1)).toContain("loss");
  });
});

/** What may happen between two requests, with numbers that choose sizes and places. */
const happening = fc.record({
  type: fc.constantFrom(
    "work" as const,
    "work" as const,
    "clear" as const,
    "collapse" as const,
    "compact" as const,
    "undo" as const,
  ),
  a: fc.nat(3_000),
  b: fc.nat(3_000),
});

type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

function happen(log: HandLog, { type, a, b }: Happening): void {
  const { live } = reduceAll(emptyState, log.entries);
  const ids = live.map(({ id }) => id);
  const from = ids[a % ids.length] ?? "";
  const upto = ids[Math.max(b % ids.length, ids.indexOf(from))] ?? "";
  const results = live.filter(({ block }) => block.type === "tool-result");
  const wanted = results.filter((_, at) => (a + at) % 3 === 0);
  if (type === "clear")
    log.open(
      "cleared",
      wanted.map(({ id }) => stub(id, b % 50)),
    );
  else if (type === "collapse") log.open("collapsed", [drop(from, upto), block(b % 100, ids[ids.indexOf(upto) + 1])]);
  else if (type === "compact")
    log.open("compacted", [drop(ids[0] ?? "", upto), block(b % 200, ids[ids.indexOf(upto) + 1])]);
  else if (type === "undo") log.open("undone");
  else {
    const id = `c${log.entries.length}`;
    log.step([{ id }], text(a % 100, "a"));
    log.result(id, text(a + b));
    log.form(id, text(a), text(a + (b % 50)));
  }
}

describe("any session", () => {
  test("worth is saved less spent, and at no request do the lines keep out more than was ever there", () => {
    fc.assert(
      fc.property(fc.array(happening, { minLength: 3, maxLength: 25 }), (happenings) => {
        const log = handLog();
        log.open("start");
        log.say("go");
        log.step([], "one");
        for (const one of happenings) {
          happen(log, one);
          log.say("on");
          log.step([], text(one.b % 300, "b"));
        }
        expectNothingTwice(log);
        for (const { savedUsd, spentUsd, worthUsd } of pricedLines(workOf(log), log.rows, prices))
          expect(worthUsd).toBeCloseTo((savedUsd ?? 0) - (spentUsd ?? 0), 9);
      }),
      { numRuns: 150 },
    );
  });

  test("gives a row for each line, in their order, from the log, its texts and its ledger", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryMoves, async (moves) => {
        const { entries, texts } = await play("anthropic", moves);
        const lines = linesOfDefence(entries, [], { texts, prices, windowTokens: 1_000_000 });
        expect(lines.map(({ line }) => line)).toEqual(lineNames);
      }),
      { numRuns: 20 },
    );
  });
});

/** At each request: all that ever entered, each piece at its largest, is at least what is shown and what was kept out. */
function expectNothingTwice(log: HandLog): void {
  const { changes } = workOf(log);
  const whole = new Map<string, number>();
  let state = emptyState;
  for (const entry of log.entries) {
    const shown = [...state.live, ...pendingPieces(state)];
    for (const piece of shown) whole.set(piece.id, Math.max(whole.get(piece.id) ?? 0, charsIn(piece)));
    if (entry.type === "tool-returned") whole.set(`${entry.seq}.0`, charsOfText(entry.output));
    if (entry.type === "request-sent") {
      const kept = (changes.get(entry.request) ?? []).filter(({ what }) => what.startsWith("kept-out"));
      const out = kept.reduce((sum, { amount }) => sum + amount, 0);
      const all = [...whole.values()].reduce((sum, chars) => sum + chars, 0);
      expect(out).toBeLessThanOrEqual(all - shown.reduce((sum, piece) => sum + charsIn(piece), 0));
    }
    state = reduce(state, entry);
  }
}
