import { describe, expect, test } from "vitest";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { candidatesOf } from "../../src/reduction/candidates.ts";
import { clearLimits, keptSteps } from "../../src/reduction/clear-table.ts";
import { did, later, message, type Part, says, words, worked } from "../support/worked.ts";

const big = words(600);
const pool = (...parts: readonly (Part | readonly Part[])[]) => {
  const { segments, memo } = worked(message("go on"), ...parts);
  return candidatesOf(segments, memo).map(({ at, as, work, ageSteps, dueSteps }) => {
    return { call: segments[at]?.callId, as, work, ageSteps, dueSteps };
  });
};
const one = (...parts: readonly (Part | readonly Part[])[]) => pool(...parts).find(({ call }) => call === "a");

describe("results grow old by the kind of their work", () => {
  const rows: readonly (readonly [tool: string, input: unknown, work: keyof typeof keptSteps])[] = [
    ["Read", { file_path: "/w/src/a.ts" }, "read"],
    ["read_file", { path: "src/a.ts" }, "read"],
    ["str_replace_editor", { command: "view", path: "/w/a.ts" }, "read"],
    ["str_replace_editor", { command: "create", path: "/w/a.ts" }, "edit"],
    ["shell", { command: ["bash", "-lc", "sed -n 1,80p a.ts"] }, "shell-read"],
    ["exec_command", { cmd: "cat a.ts | head -20" }, "shell-read"],
    ["Bash", { command: "rg -n foo src | head" }, "search"],
    ["Bash", { command: "cd src && find . -name '*.ts'" }, "search"],
    ["Grep", { pattern: "foo" }, "search"],
    ["Bash", { command: "npm test" }, "command"],
    ["Bash", { command: "cat a.ts && npm test" }, "command"],
    ["Edit", { file_path: "a.ts" }, "edit"],
    ["apply_patch", "*** Begin Patch", "edit"],
    ["recall", { handle: "abc" }, "recall"],
    ["mcp__files__read_file", { path: "a.ts" }, "other"],
    ["WebFetch", { url: "https://a.b" }, "other"],
    // No word can be made of such an object.
    ["Bash", { command: ["npm", { toString: 1 }, "test"] }, "command"],
  ];
  test.each(rows)("%s %j: %s", (tool, input, work) => {
    expect(one(did("a", tool, input, big), later(3))).toEqual({
      call: "a",
      as: "oldest",
      work,
      ageSteps: 3,
      dueSteps: 3 - keptSteps[work],
    });
  });
});

test.each([
  "Skill",
  "TodoWrite",
  "update_plan",
  "ExitPlanMode",
  "AskUserQuestion",
  "todo_read",
  "ToolSearch",
  "tool_search",
])("%s is never cleared, neither what it said nor what it was told", (tool) => {
  expect(pool(did("a", tool, { text: big }, big), later(100))).toEqual([]);
});

test("M-22 · a result that declares tools is never cleared, whatever tool it is of; others beside it are", () => {
  const parts = [did("a", "mcp__s__t", {}, big), did("b", "mcp__s__t", { n: 1 }, big), later(100)].flat();
  const { segments, memo } = worked(message("go on"), ...parts);
  const found = candidatesOf(segments, { ...memo, showsTools: ({ callId }) => callId === "a" });
  expect(found.map(({ at }) => segments[at]?.callId)).toEqual(["b"]);
});

describe("what was last used for an earlier request goes sooner", () => {
  const made = did("a", "Read", { file_path: "src/a.ts" }, big);
  const due = 3 - keptSteps.read;

  test("by a number of answers, from the message on that began the next request", () => {
    const done = [made, later(1), says("done")].flat();
    expect(one(done, later(1))?.dueSteps).toBe(2 - keptSteps.read);
    expect(one(done, message("next"), later(1))?.dueSteps).toBe(due + clearLimits.earlierRequestSteps);
    expect(
      one(done, message("next"), did("b", "Edit", { file_path: "src/a.ts" }, "ok"), later(1))?.dueSteps,
    ).toBeLessThan(0);
  });

  test("what is said while tools run begins none, so no harness makes work old by adding texts to results", () => {
    expect(one(made, message("hint"), later(1), message("hint"), later(2), message("hint"))?.dueSteps).toBe(due);
  });
});

test("a result that no answer has seen is no candidate, and neither is what is short", () => {
  expect(pool(did("a", "Bash", { command: "make" }, big))).toEqual([]);
  expect(pool(did("a", "Bash", { command: "make" }, "made"), later(50))).toEqual([]);
  expect(pool(did("a", "Bash", { command: "make" }, big), says("done"))).toHaveLength(1);
});

test("a later call that names its file is a use of it, whatever the path in front", () => {
  const read = did("a", "Read", { file_path: "/work/app/src/a.ts" }, big);
  const grep = did("g", "Bash", { command: "npx vitest run src/a.ts" }, "ok");
  expect(one(read, later(10))?.ageSteps).toBe(10);
  expect(one(read, later(6), grep, later(3, "t"))?.ageSteps).toBe(3);
});

describe("what is overtaken goes before what is only old", () => {
  const read = did("a", "Read", { file_path: "src/a.ts" }, big);
  const edit = (result: string) =>
    did("e", "Edit", { file_path: "/w/src/a.ts", old_string: "x", new_string: "y" }, result);

  test("a file that was edited since is stale", () => {
    expect(one(read, edit("edited"), later(5))).toMatchObject({ as: "stale", ageSteps: 5, dueSteps: 2 });
  });

  test("an edit that failed, or of another file of that name, makes nothing stale", () => {
    expect(one(read, edit("<tool_use_error>no such text</tool_use_error>"), later(5))?.as).toBe("oldest");
    expect(one(did("a", "Read", { file_path: "lib/a.ts" }, big), edit("edited"), later(5))?.as).toBe("oldest");
  });

  test("a patch edits the files it names", () => {
    const patch = did(
      "e",
      "apply_patch",
      "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** End Patch",
      "Done",
    );
    expect(one(read, patch, later(5))?.as).toBe("stale");
  });

  test("a page's picture is superseded by the next one, of the same server", () => {
    const picture = (callId: string, tool: string) =>
      did(callId, tool, {}, `${big}\n- button [ref=e1] [ref=e2] [ref=e3]`);
    expect(
      one(did("a", "mcp__pw__browser_snapshot", {}, big), picture("b", "mcp__pw__browser_click"), later(2)),
    ).toMatchObject({
      as: "superseded",
      dueSteps: 2,
    });
    expect(one(did("a", "mcp__pw__browser_snapshot", {}, big), picture("b", "mcp__x__look"), later(2))?.as).toBe(
      "oldest",
    );
  });
});

test("what has changed in a page takes no page's place, and goes with it when the next whole one comes", () => {
  const page = `${big}\n- button [ref=e1] [ref=e2] [ref=e3]`;
  const change = `[The same page as abc: 1 lines gone (<), 1 new (>)]\n${page}`;
  const parts = (text: string) => [
    did("a", "mcp__pw__browser_snapshot", {}, page),
    did("b", "mcp__pw__browser_snapshot", {}, change),
    ...(text === "" ? [] : [did("c", "mcp__pw__browser_snapshot", {}, text)]),
    later(2),
  ];
  expect(one(...parts(""))?.as).toBe("oldest");
  expect(pool(...parts(page)).map(({ as }) => as)).toEqual(["superseded", "superseded", "oldest"]);
});

describe("a failure is cleared only after the same thing has succeeded", () => {
  const failed = `${big}\nTypeError: x is not a function\n[exit code 1]`;
  const run = (callId: string, command: string, result: string) => did(callId, "Bash", { command }, result);

  test.each([
    ["Exit code 1\nFAIL a.test.ts", "as one harness says it"],
    ["Chunk ID: 1\nProcess exited with code 2\nOutput:", "as another"],
    ['{"output":"x","metadata":{"exit_code":1}}', "in JSON"],
    ["<tool_use_error>Invalid input</tool_use_error>", "as a refusal"],
  ])("%s", (start) => {
    expect(pool(run("a", "npm test", `${start}\n${big}`), later(60))).toEqual([]);
  });

  test("never where it did not, or something else did, or it failed again", () => {
    expect(pool(run("a", "npm test", failed), later(60))).toEqual([]);
    expect(one(run("a", "npm test", failed), run("b", "npm run build", "ok"), later(60))).toBe(undefined);
    expect(pool(run("a", "npm test", failed), run("b", "npm test", failed), later(60))).toEqual([]);
  });

  test.each(["npm test", "cd /w/app && npm test 2>&1 | tail -20", "npm   test 2>&1"])("settled by %s", (command) => {
    expect(one(run("a", "npm test", failed), run("b", command, "all passed"), later(3))).toMatchObject({
      as: "settled",
      dueSteps: 3,
    });
  });

  test("its stub keeps exit code and error lines", () => {
    const { segments, memo } = worked(run("a", "npm test", failed), run("b", "npm test", "ok"), later(3));
    const form = candidatesOf(segments, memo).find(({ as }) => as === "settled")?.form.text;
    expect(form).toContain("[exit code 1]");
    expect(form).toContain("TypeError: x is not a function");
  });

  test("where the result itself is marked as an error, whatever its text says", () => {
    const { segments, memo } = worked(run("a", "deploy", big), later(60));
    expect(candidatesOf(segments, memo)).toHaveLength(1);
    expect(candidatesOf(segments, { ...memo, isFailed: ({ callId }) => callId === "a" })).toEqual([]);
  });
});

test("a result without a handle cannot be brought back, so it stays", () => {
  const { segments, memo } = worked(did("a", "Bash", { command: "make" }, big), later(20));
  expect(candidatesOf(segments, { ...memo, handleOf: () => null })).toEqual([]);
});

describe("large inputs of calls", () => {
  const write = did("a", "Write", { file_path: "a.ts", content: big }, "written");

  test("are candidates of their own", () => {
    expect(one(write, later(3))).toMatchObject({ as: "input", work: "input", ageSteps: 3 });
  });

  test("stay with their failure", () => {
    const refused = did(
      "a",
      "Edit",
      { file_path: "a.ts", old_string: big },
      "<tool_use_error>not found</tool_use_error>",
    );
    const settled = did("b", "Edit", { file_path: "a.ts", old_string: "x" }, "edited");
    expect(pool(refused, later(9))).toEqual([]);
    expect(one(refused, settled, later(9))?.as).toBe("input");
  });
});

test("what was cleared is no candidate again", () => {
  const parts = [did("a", "Bash", { command: "make" }, big), did("b", "Write", { content: big }, "written"), later(9)];
  const { segments, memo } = worked(...parts);
  const forms = new Map(candidatesOf(segments, memo).map(({ at, form }) => [at, form.text]));
  expect(forms.size).toBe(2);
  const after = worked(...parts.flat().map((part, at) => ({ ...part, text: forms.get(at) ?? part.text })));
  expect(candidatesOf(after.segments, after.memo)).toEqual([]);
});

test("a text from outside that is over may go, and one in force may not; its handle brings it back", () => {
  const put = (text: string): Part => ({ kind: "text", role: "user", as: "reminder", text });
  const { segments, memo } = worked(message("go on"), put(`over ${big}`), put(`in force ${big}`), later(3));
  const over = handleOf(hashOf("over"));
  const overOf = ({ text }: { readonly text: string | null }) => (text?.startsWith("over") === true ? over : null);
  const [found, ...others] = candidatesOf(segments, { ...memo, overOf });
  expect(others).toEqual([]);
  expect(found).toMatchObject({ as: "over", dueSteps: 3, form: { handle: over } });
  expect(found?.form.text).toContain(`recall handle=${over}`);
});
