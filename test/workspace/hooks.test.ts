import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { hooksDue, hooksIn } from "../../src/workspace/hooks.ts";

const ours = { file: "/w/.varve/settings.json", written: "ours" } as const;
const foreign = { file: "/w/.claude/settings.json", written: "foreign" } as const;
const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });
const on = (event: string, matcher: unknown, ...hooks: readonly unknown[]) => ({ [event]: [{ matcher, hooks }] });

function read(value: unknown, source: typeof ours | typeof foreign = ours) {
  const found = hooksIn(value, source);
  if (found.type === "bad") throw new Error(`${found.field}: ${found.why}`);
  return found;
}
const takes = (matcher: string, subject: string) =>
  hooksDue(read(on("PreToolUse", matcher, command("x"))).hooks, "PreToolUse", subject).length === 1;

test.each([
  ["", "Bash", true],
  ["  ", "Bash", true],
  ["|", "Bash", true],
  ["Bash|", "Bash", true],
  ["Bash|", "Write", false],
  ["*", "Bash", true],
  ["Bash", "Bash", true],
  ["Bash", "BashOutput", false],
  ["Write|Edit", "Edit", true],
  ["Write | Edit", "Edit", true],
  ["Write,Edit", "Write", true],
  ["Write|Edit", "MultiEdit", false],
  ["bash", "Bash", false],
  ["mcp__my-server__get", "mcp__my-server__get", true],
  [".*", "Bash", true],
  ["mcp__memory__.*", "mcp__memory__read", true],
  ["mcp__memory__.*", "mcp__other__read", false],
  ["^Edit", "MultiEdit", false],
  ["Edit.?", "MultiEdit", true],
  ["(Write|Edit)$", "MultiEdit", true],
])("the matcher %j and %j: %j", (matcher, subject, expected) => {
  expect(takes(matcher, subject)).toBe(expected);
});

test("a matcher on which backtracking engines hang costs nothing", () => {
  expect(takes("(a+)+$", `${"a".repeat(5_000)}!`)).toBe(false);
});

test("a hook keeps its file, its command and its time; without one it has the usual time", () => {
  expect(read(on("Stop", undefined, command("a"), command("b", { timeout: 2.5 }))).hooks).toMatchObject([
    { event: "Stop", command: "a", timeoutMs: bounds.hookMsDefault, file: ours.file, matcher: "" },
    { event: "Stop", command: "b", timeoutMs: 2_500 },
  ]);
});

test("where an event names nothing, a matcher has nothing to look at and counts as none", () => {
  const { hooks } = read(on("Stop", "Bash", command("x")));
  expect(hooksDue(hooks, "Stop", "")).toHaveLength(1);
});

test("one command runs once for an event, the strongest file's; other events do not count", () => {
  const first = read(on("PreToolUse", "Bash", command("same"), command("other"))).hooks;
  const second = read(
    { ...on("PreToolUse", "*", command("same")), ...on("Stop", "", command("third")) },
    foreign,
  ).hooks;
  const due = hooksDue([...first, ...second], "PreToolUse", "Bash");
  expect(due.map((hook) => [hook.command, hook.file])).toEqual([
    ["same", ours.file],
    ["other", ours.file],
  ]);
  expect(hooksDue([...first, ...second], "PreToolUse", "Read").map((hook) => hook.file)).toEqual([foreign.file]);
});

test.each([
  ["no object", [], "hooks"],
  ["an unknown event", on("PreToolUsed", "", command("x")), "hooks.PreToolUsed"],
  ["no list of groups", { Stop: {} }, "hooks.Stop"],
  ["a group that is no object", { Stop: ["x"] }, "hooks.Stop[0]"],
  ["no list of hooks", { Stop: [{ hooks: "x" }] }, "hooks.Stop[0].hooks"],
  ["a matcher that is no text", on("PreToolUse", 3, command("x")), "hooks.PreToolUse[0].matcher"],
  ["a broken pattern", on("PreToolUse", "(Bash", command("x")), "hooks.PreToolUse[0].matcher"],
  ["a pattern that looks behind", on("PostToolUse", "(?<!x)Bash", command("x")), "hooks.PostToolUse[0].matcher"],
  ["a hook that is no object", on("Stop", "", "x"), "hooks.Stop[0].hooks[0]"],
  ["another type", on("Stop", "", { type: "http", url: "x" }), "hooks.Stop[0].hooks[0].type"],
  ["no command", on("Stop", "", command("  ")), "hooks.Stop[0].hooks[0].command"],
  ["a NUL in a command", on("Stop", "", command("a\0b")), "hooks.Stop[0].hooks[0].command"],
  ["no time", on("Stop", "", command("x", { timeout: 0 })), "hooks.Stop[0].hooks[0].timeout"],
  ["too much time", on("Stop", "", command("x", { timeout: 601 })), "hooks.Stop[0].hooks[0].timeout"],
  ["an unknown key of a hook", on("Stop", "", command("x", { once: true })), "hooks.Stop[0].hooks[0].once"],
  ["an unknown key of a group", { Stop: [{ match: "", hooks: [] }] }, "hooks.Stop[0].match"],
  ["too many", on("Stop", "", ...Array.from({ length: bounds.hooksMax + 1 }, () => command("x"))), "hooks"],
])("in our own files %s is an error that names its place", (_what, value, field) => {
  expect(hooksIn(value, ours)).toMatchObject({ type: "bad", field });
});

test.each([
  ["an unknown event", on("WorktreeCreate", "", command("x")), "hooks.WorktreeCreate"],
  ["another type", on("PreToolUse", "", { type: "prompt", prompt: "x" }), "hooks.PreToolUse[0].hooks[0].type"],
  ["a broken pattern", on("PostToolUse", "[", command("x")), "hooks.PostToolUse[0].matcher"],
  ["no list of groups", { Stop: {} }, "hooks.Stop"],
])("in another agent's file %s is a note that names file and place, and the rest holds", (_what, value, field) => {
  const found = read({ ...value, ...on("SessionStart", "", command("rest")) }, foreign);
  expect(found.notes).toHaveLength(1);
  expect(found.notes[0]).toContain(`${foreign.file}: ${field}: `);
  expect(found.hooks.map((hook) => hook.command)).toEqual(["rest"]);
});

test("in another agent's file an unknown key is a note and the hook runs without it; too much time is cut", () => {
  const found = read(on("PreToolUse", "Bash", command("x", { if: "Bash(git *)", timeout: 3_600 })), foreign);
  expect(found.notes).toHaveLength(1);
  expect(found.hooks).toMatchObject([{ command: "x", timeoutMs: bounds.hookMsMax }]);
});

test.each(["pretooluse", "preToolUse", "PRE_TOOL_USE", "pre-tool-use", "Permission Request"])(
  "a guard's event that is spelled %s is an error in any file: it would guard nothing",
  (event) => {
    expect(hooksIn(on(event, "Bash", command("x")), foreign)).toMatchObject({ type: "bad", field: `hooks.${event}` });
  },
);

test("a guard whose matcher cannot be read is an error in any file: skipped, it would let through what it holds back", () => {
  expect(hooksIn(on("PreToolUse", "(Bash", command("x")), foreign)).toMatchObject({ type: "bad" });
});
