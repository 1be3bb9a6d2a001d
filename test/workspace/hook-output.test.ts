import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { HookEvent } from "../../src/log/hook.ts";
import type { HookEnd } from "../../src/ports/hooks.ts";
import { hookSaid } from "../../src/workspace/hook-output.ts";

const exited = (exitCode: number): HookEnd => ({ type: "exited", exitCode });
const said = (event: HookEvent, output: unknown, end: HookEnd = exited(0), errorOutput = "") =>
  hookSaid(event, { end, output: typeof output === "string" ? output : JSON.stringify(output), errorOutput });
const own = (event: HookEvent, fields: object) => ({ hookSpecificOutput: { hookEventName: event, ...fields } });

describe("exit codes", () => {
  test("0 without a word is an ok without an opinion", () => {
    expect(said("PreToolUse", "")).toMatchObject({ outcome: "done", permission: null, context: "", stops: null });
  });
  test("0 with plain words: what starts a session or a prompt gives them to the model, anything else to nobody", () => {
    expect(said("SessionStart", "remember\n").context).toBe("remember");
    expect(said("UserPromptSubmit", "remember").context).toBe("remember");
    expect(said("PostToolUse", "formatted").context).toBe("");
    expect(said("PreToolUse", "checked, ok")).toMatchObject({ outcome: "done", permission: null });
  });
  test("2 blocks with what the second stream says, and denies a call", () => {
    expect(said("PreToolUse", "", exited(2), "no rm\n")).toMatchObject({
      outcome: "blocked",
      detail: "no rm",
      permission: "deny",
    });
    expect(said("Stop", "", exited(2), "tests fail")).toMatchObject({ outcome: "blocked", permission: null });
    expect(said("Stop", "", exited(2)).detail).toBe("no reason was given");
  });
  test("any other is a failure that blocks nothing, and says its code", () => {
    expect(said("PostToolUse", "", exited(1), "boom")).toMatchObject({
      outcome: "failed",
      detail: "exit code 1: boom",
      permission: null,
    });
  });
});

test.each<[HookEnd]>([
  [exited(1)],
  [exited(127)],
  [{ type: "killed", signal: "SIGSEGV" }],
  [{ type: "timed-out" }],
  [{ type: "flooded" }],
  [{ type: "not-started", why: "no bash" }],
])("a guard that ends with %j fails closed: the call is asked for, whatever it had printed", (end) => {
  const allows = own("PreToolUse", { permissionDecision: "allow" });
  expect(said("PreToolUse", allows, end).permission).toBe("ask");
});

test.each([
  ["broken JSON", '{"hookSpecificOutput": {"permissionDec'],
  ["a list", "[]"],
  ["bytes that are no text", "\ufffd\ufffd\0"],
  ["JSON behind the words of a shell", 'welcome\n{"decision":"block"}'],
  ["what another language takes for JSON, behind words", "welcome\n{'permissionDecision': 'deny'}"],
  [
    "an answer that stands twice",
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecision":"allow"}}',
  ],
  ["an answer without its braces", '"permissionDecision": "deny"'],
  ["a wrong word", own("PreToolUse", { permissionDecision: "maybe" })],
  ["a wrong type", { continue: "no" }],
  ["a reason that is no text", { reason: 3 }],
  ["another event's answer", own("PostToolUse", { permissionDecision: "deny" })],
  ["no event", { hookSpecificOutput: { permissionDecision: "deny" } }],
  ["a mistyped key", own("PreToolUse", { permissionDecison: "deny" })],
  ["a key in the wrong place", { permissionDecision: "deny" }],
  ["an input that is no object", own("PreToolUse", { updatedInput: "rm" })],
])("a guard that prints %s fails closed, and is told what was expected", (_what, output) => {
  const { outcome, permission, detail } = said("PreToolUse", output);
  expect({ outcome, permission }).toEqual({ outcome: "unreadable", permission: "ask" });
  expect(detail).not.toBe("");
});

test("who is no guard may say what we do not know; wrong types are reported all the same", () => {
  expect(said("PostToolUse", { ...own("PostToolUse", { updatedToolOutput: "x" }), more: 1 }).outcome).toBe("done");
  expect(said("PostToolUse", { continue: "no" })).toMatchObject({ outcome: "unreadable", permission: null });
});

test.each([
  [own("PreToolUse", { permissionDecision: "allow" }), "allow"],
  [own("PreToolUse", { permissionDecision: "ask" }), "ask"],
  [own("PreToolUse", { permissionDecision: "defer" }), "ask"],
  [own("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "why" }), "deny"],
  [{ decision: "approve" }, "allow"],
  [{ decision: "block", reason: "why" }, "deny"],
  [{ suppressOutput: true }, null],
  [{ systemMessage: null, hookSpecificOutput: null }, null],
])("of a call %j means %j", (output, permission) => {
  expect(said("PreToolUse", output)).toMatchObject({
    permission,
    ...(permission === "deny" ? { outcome: "blocked", detail: "why" } : { outcome: "done" }),
  });
});

test.each([
  [{ decision: "block", reason: "why", ...own("PreToolUse", { permissionDecision: "allow" }) }, "deny"],
  [{ decision: "approve", ...own("PreToolUse", { permissionDecision: "deny" }) }, "deny"],
  [{ decision: "approve", ...own("PreToolUse", { permissionDecision: "ask" }) }, "ask"],
  [own("PreToolUse", { permissionDecision: "allow", decision: { behavior: "deny" } }), "deny"],
])("who says two things of a call is taken at the stricter: %j means %j", (output, permission) => {
  expect(said("PreToolUse", output).permission).toBe(permission);
});

test("a permission request is answered in its own shape", () => {
  const answer = (decision: object) => said("PermissionRequest", own("PermissionRequest", { decision }));
  expect(answer({ behavior: "allow", updatedInput: { a: 1 } })).toMatchObject({
    permission: "allow",
    rewrites: { input: { a: 1 } },
  });
  expect(answer({ behavior: "deny", message: "no", interrupt: true })).toMatchObject({
    permission: "deny",
    detail: "no",
    stops: "no",
  });
});

test("words for the model, words for the user, another input and an end of the turn are told apart", () => {
  expect(
    said("PreToolUse", {
      continue: false,
      stopReason: "enough",
      systemMessage: "to the user",
      ...own("PreToolUse", { updatedInput: { command: "ls" }, additionalContext: "to the model" }),
    }),
  ).toMatchObject({
    stops: "enough",
    message: "to the user",
    context: "to the model",
    rewrites: { input: { command: "ls" } },
  });
});

test("who denies rewrites nothing", () => {
  expect(
    said("PreToolUse", own("PreToolUse", { permissionDecision: "deny", updatedInput: { a: 1 } })).rewrites,
  ).toBeNull();
});

test("each text is cut to its limit and says by how much", () => {
  const long = "x".repeat(bounds.hookTextCharsMax + 7);
  const { context } = said("SessionStart", long);
  expect(context).toBe(`${long.slice(7)} … and 7 more characters`);
  expect(said("Stop", "", exited(2), long).detail).toHaveLength(context.length);
});

describe("a guard that was told only how a text begins", () => {
  const beginning = (event: HookEvent, output: unknown, exitCode = 0) =>
    hookSaid(event, { end: exited(exitCode), output: JSON.stringify(output), errorOutput: "no", told: "beginnings" });

  test("allows nothing and gives no other input: the call is asked for", () => {
    const allows = own("PreToolUse", { permissionDecision: "allow", updatedInput: { content: "cut" } });
    expect(beginning("PreToolUse", allows)).toMatchObject({ permission: "ask", rewrites: null });
    expect(beginning("PreToolUse", {}).permission).toBe("ask");
    expect(beginning("PreToolUse", {}).detail).toContain(String(bounds.hookInputCharsMax));
    const request = own("PermissionRequest", { decision: { behavior: "allow" } });
    expect(beginning("PermissionRequest", request).permission).toBe("ask");
  });
  test("still refuses", () => {
    expect(beginning("PreToolUse", {}, 2)).toMatchObject({ permission: "deny", detail: "no" });
  });
  test("who guards nothing is as before", () => {
    expect(beginning("PostToolUse", {}).permission).toBeNull();
  });
});
