import { describe, expect, test } from "vitest";
import type { TextKind } from "../../src/digest/form.ts";
import { kindOf } from "../../src/digest/kinds.ts";

const rows: readonly (readonly [TextKind, string])[] = [
  ["json", '{"id": 1, "name": "a"}'],
  ["json", '[\n  {"id": 1},\n  {"id": 2}\n]\n'],
  ["html", "<!doctype html>\n<html><head><title>x</title></head></html>"],
  ["snapshot", '- link "Home" [ref=e1]\n- button "Go" [ref=e2]\n- text: hi\n- textbox "Name" [ref=e3]'],
  ["diff", "diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b"],
  ["tests", "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \tmod/a\t0.1s"],
  ["tests", "============ test session starts ============\ncollected 2 items\n\na.py ..\n"],
  ["tests", "test_a (m.T) ... ok\n\n----\nRan 1 test in 0.1s\n\nOK"],
  ["tests", "TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2"],
  ["tests", "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\ntest result: FAILED. 1 passed"],
  ["tests", "[INFO] -----\n[INFO]  T E S T S\n[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0"],
  ["tests", " ✓ adds\n ✓ subtracts\n ✗ divides\n"],
  ["build", "Exit code 1\n$ biome check .\nChecked 12 files in 30ms. No fixes applied.\nFound 1 error."],
  ["build", "src/a.ts(3,4): error TS2304: Cannot find name 'x'.\nsrc/b.ts(5,6): error TS2322: Type"],
  ["build", "a/b.go:17:2: unused variable x (unused)\na/c.go:1:2: bad name (revive)\n2 issues:"],
  ["build", "   Compiling serde v1.0.2\n   Compiling app v0.1.0\nerror[E0308]: mismatched types"],
  ["build", "a.c:3:4: error: expected ';'\na.c:9:1: warning: unused variable\nmake: *** [a.o] Error 1"],
  ["log", "2026-01-02T03:04:05Z INFO a\n2026-01-02T03:04:06Z INFO b\n2026-01-02T03:04:07Z WARN c"],
  ["trace", "Error: x\n    at a (/x/a.ts:1:2)\n    at b (/x/b.ts:3:4)\n    at c (/x/c.ts:5:6)"],
  ["search", "src/a.ts:1:one\nsrc/b.ts:22:two\nsrc/c.ts:3:three"],
  ["history", "1a2b3c4 first change\n2b3c4d5 second change\n3c4d5e6 third change"],
  ["listing", "src/a/b.ts\nsrc/a/c.ts\nsrc/d/e.ts"],
  ["listing", "total 12\n-rw-r--r-- 1 u g 10 Jan  1 10:00 a\ndrwxr-xr-x 2 u g 10 Jan  1 10:00 b"],
  ["table", "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"],
  ["table", "NAME    READY   STATUS\nweb     1/1     Running\ndb      1/1     Running"],
  ["table", "id,name,size\n1,a,3\n2,b,4"],
  ["source", "     1→import a\n     2→\n     3→def f():\n     4→  return 1"],
  ["prose", "# One\n\ntext\n\n## Two\n\nmore\n\n## Three\n\nend"],
  ["command", "added 12 packages\nfound something\ndone"],
  ["command", ""],
  ["binary", "\0"],
  ["binary", `\u007fELF${"\0\u0001\ufffd".repeat(40)}`],
];

describe("what a text is, is told by its first lines", () => {
  test.each(rows)("%s: %j", (kind, text) => {
    expect(kindOf({ tool: "Bash", form: "output" }, text)).toBe(kind);
  });

  test("where it looks like nothing, the tool's name says it", () => {
    expect(kindOf({ tool: "Grep", form: "output" }, "one\ntwo\nthree")).toBe("search");
    expect(kindOf({ tool: "Glob", form: "output" }, "one\ntwo\nthree")).toBe("listing");
  });

  test("a file that was read is source, whatever it quotes", () => {
    expect(kindOf({ tool: "Read", form: "range" }, "--- FAIL: TestA\n--- FAIL: TestB")).toBe("source");
  });
});
