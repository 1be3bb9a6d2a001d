import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { progressBar, progressText } from "../../src/cli/audit-progress.ts";
import { columnsOf } from "../../src/ledger/columns.ts";

const state = {
  path: "/home/dev/.claude/projects/shop/session.jsonl",
  bytesDone: 42e6,
  bytesAll: 1e9,
  ms: 2_000,
  columns: 100,
};

describe("the progress bar", () => {
  test("says how much is done, of how much, how fast, how long still, and of which file", () => {
    expect(progressText(state)).toBe(
      "  4 % █░░░░░░░░░░░░░░░░░░░ 42 MB of 1.0 GB, 21 MB/s, 46 s left  …claude/projects/shop/session.jsonl",
    );
    expect(progressText({ ...state, ms: 100 })).not.toContain("left");
    expect(progressText({ ...state, bytesAll: 0, bytesDone: 0 })).toContain("100 %");
  });

  test("is never wider than the terminal, whatever the name", () => {
    const any = fc.record({
      path: fc.string({ unit: "grapheme", maxLength: 60 }),
      bytesDone: fc.nat(),
      bytesAll: fc.nat(),
      ms: fc.nat(1e7),
      columns: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(fc.property(any, (one) => columnsOf(progressText(one)) < Math.max(2, one.columns)));
  });

  test("is drawn over itself ten times a second at most, keeps no colour where none is wanted, and leaves no trace", () => {
    const written: string[] = [];
    const stream = { columns: 80, write: (text: string) => written.push(text) > 0 };
    let at = 1_000;
    for (const color of [true, false]) {
      written.length = 0;
      const progress = progressBar({ stream, bytesAll: 1_000, now: () => at, color });
      for (let n = 0; n < 50; n += 1) {
        at += 10;
        progress.file(`file ${n}`);
        progress.read(20);
      }
      progress.end();
      progress.read(1);
      expect(written.length).toBeLessThan(9);
      expect(written.join("").includes("\u001b[36m")).toBe(color);
      expect(written.at(-1)).toBe("\r\u001b[2K");
    }
  });
});
