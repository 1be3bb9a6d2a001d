import { expect, test } from "vitest";
import { progressLine } from "../../src/cli/progress.ts";
import { printable } from "../../src/cli/terminal.ts";

test("C-127 · what reaches a terminal has no escape sequences and no control characters", () => {
  const evil = "Bash\u001b]0;EVIL\u0007\u001b[31m\u009b2J\u0000x\ty\nz";
  expect(printable(evil)).not.toMatch(/[^\P{Cc}\n\t]/u);
  expect(printable("a\tb\nc 日本")).toBe("a\tb\nc 日本");
  const line = progressLine({ type: "waiting", untilMs: 0, why: evil });
  expect(printable(line ?? "")).not.toMatch(/[^\P{Cc}\n\t]/u);
});
