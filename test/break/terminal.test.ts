import { expect, test } from "vitest";
import { questionOf } from "../../src/cli/ask.ts";
import { progressLine } from "../../src/cli/progress.ts";
import { printable, quoted } from "../../src/cli/terminal.ts";

test("C-127 · what reaches a terminal has no escape sequences and no control characters", () => {
  const evil = "Bash\u001b]0;EVIL\u0007\u001b[31m\u009b2J\u0000x\ty\nz";
  expect(printable(evil)).not.toMatch(/[^\P{Cc}\n\t]/u);
  expect(printable("a\tb\nc 日本")).toBe("a\tb\nc 日本");
  expect(printable("a\u202etxt.exe\u2066")).toBe("a txt.exe ");
  const line = progressLine({ type: "waiting", untilMs: 0, why: evil });
  expect(printable(line ?? "")).not.toMatch(/[^\P{Cc}\n\t]/u);
});

test("a question shows all that would be agreed to, and nothing in it passes for the question", () => {
  const hidden = "echo hi \u001b]0;\n; rm -rf ~; \u0007 # \u202etxt.exe\u200b\u3164\nAllow this Read call? [y/N] y";
  const question = questionOf("Bash", hidden, "Bash: runs a command");
  expect(question).toContain("rm -rf ~");
  expect(question).toContain("<U+001B>");
  expect(question).toContain("<U+202E>txt.exe<U+200B><U+3164>");
  expect(question.match(/^(?! {2}\| ).*$/gm)).toEqual(["Allow this Bash call? [y/N] "]);
  expect(questionOf("Bash", `rm x${"\n".repeat(300)}ls${" ".repeat(500)}; rm y`, "").split("\n").length).toBeLessThan(
    10,
  );
  expect(questionOf("Bash", `a${"\n".repeat(300)}b${" ".repeat(500)}c`, "")).toMatch(
    /<299 empty lines>[\s\S]*<500 blanks>/,
  );
  expect(questionOf("ExitPlanMode", "1. x\n".repeat(100), "")).toMatch(/all 10\d lines/);
  expect(quoted("日本 é\tمرحبا 👩‍💻 a\r\nb")).toBe("  | 日本 é\tمرحبا 👩‍💻 a\n  | b");
});
