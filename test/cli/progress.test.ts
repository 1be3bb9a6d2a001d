import { describe, expect, test } from "vitest";
import { progressLine } from "../../src/cli/progress.ts";
import { endingInLine } from "../../src/cli/terminal.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { EntryOf } from "../../src/log/entry.ts";

type Blocks = EntryOf<"response-received">["blocks"];

const answered = (blocks: Blocks) =>
  progressLine({
    type: "entry",
    entry: {
      seq: 1,
      at: 0,
      type: "response-received",
      request: brand("r"),
      wire: "chat",
      model: "m",
      messageId: "m1",
      blocks,
      stop: "end-turn",
      usage: null,
      firstTokenMs: null,
      report: null,
    },
  });

const returned = (more: Partial<EntryOf<"tool-returned">>) =>
  progressLine({
    type: "entry",
    entry: {
      seq: 1,
      at: 0,
      type: "tool-returned",
      callId: brand("c"),
      tool: "Bash",
      ending: "failed",
      output: "no such file",
      handle: brand("abc"),
      exitCode: 1,
      files: [],
      images: [],
      ...more,
    },
  });

describe("progress for people", () => {
  const text = { type: "text", text: "I look.", wire: "" } as const;
  test("what is said beside a call is progress", () => {
    const call: Blocks[number] = {
      type: "tool-call",
      callId: brand("c"),
      tool: "Read",
      input: '{"path":"a"}',
      wire: "",
    };
    expect(answered([text, call])).toBe("I look.\n> Read a");
  });
  test("the answer itself is the result, on stdout, and not said twice", () => {
    expect(answered([text])).toBeNull();
  });
  test("a failure says its exit code, also where its output is too long to show", () => {
    expect(returned({})).toBe("  Bash failed (exit 1): no such file");
    expect(returned({ output: { blob: brand("0".repeat(64)), chars: 56_749 } })).toBe(
      "  Bash failed (exit 1): (56,749 characters)",
    );
  });
  test("a notice that ends because the question was answered is no news; one that failed is", () => {
    const noticed = (outcome: "interrupted" | "failed") =>
      progressLine({
        type: "entry",
        entry: {
          seq: 1,
          at: 0,
          type: "hook-ended",
          run: brand("hook_1"),
          event: "Notification",
          command: "notify-send hi",
          outcome,
          exitCode: outcome === "failed" ? 1 : null,
          ms: 1,
          detail: "why",
        },
      });
    expect(noticed("interrupted")).toBeNull();
    expect(noticed("failed")).toBe("  hook at Notification failed (notify-send hi): why");
  });
  test("a wait says until when", () => {
    const untilMs = new Date(2026, 10, 29, 20, 11, 5).getTime();
    expect(progressLine({ type: "waiting", untilMs, why: "Overloaded" })).toBe("waiting until 20:11:05: Overloaded");
  });
});

test("a text ends in one line end, its own or ours; nothing stays nothing", () => {
  expect(["", "a", "a\n"].map(endingInLine)).toEqual(["", "a\n", "a\n"]);
});
