import { describe, expect, test } from "vitest";
import { parseCommandFile } from "../../src/workspace/command-file.ts";

const place = { file: "/w/.claude/commands/test.md", name: "test", scope: "project" } as const;
const parsed = (text: string) => parseCommandFile(text, place);

describe("a command's file", () => {
  test("may be text alone: its first line describes it", async () => {
    expect(await parsed("# Run the tests\n\nAll of them.")).toMatchObject({
      type: "ok",
      command: {
        name: "test",
        description: "Run the tests",
        context: "inline",
        model: null,
        limits: { allowed: null, disallowed: [] },
        body: "# Run the tests\n\nAll of them.",
      },
    });
  });

  test("says in its fields what it is for and what it may use", async () => {
    const fields = [
      "description: Fix it",
      "argument-hint: [issue]",
      "arguments: issue repo",
      "allowed-tools: Bash(git status:*), Read",
      "disallowed-tools: [WebFetch]",
      "model: inherit",
      "effort: high",
      "context: fork",
    ];
    expect(await parsed(`---\n${fields.join("\n")}\n---\nFix $issue`)).toMatchObject({
      type: "ok",
      command: {
        argumentHint: "issue",
        argumentNames: ["issue", "repo"],
        limits: { allowed: ["Bash(git status:*)", "Read"], disallowed: ["WebFetch"] },
        model: null,
        effort: "high",
        context: "fork",
        body: "Fix $issue",
      },
      notes: [],
    });
  });

  test.each([
    ["fields that cannot be read", "---\nallowed-tools: Read\nglobs: *.ts\n---\nx", 3],
    ["fields that do not end", "---\nallowed-tools: Read\nx", 1],
    ["a limit that is no list", "---\ndescription: a\nallowed-tools: {a: b}\n---\nx", 3],
    ["a limit by another spelling", "---\nallowedTools: Read\n---\nx", 2],
    ["a refusal that is no rule", "---\ndisallowed-tools: Bash (rm:*)\n---\nx", 2],
    ["a lane that is not known", "---\ncontext: elsewhere\n---\nx", 2],
    ["hooks", "---\nhooks: {}\n---\nx", 2],
    ["no text", "---\ndescription: a\n---\n  \n", 2],
  ])("C-095 · with %s it is not run, and the line is named", async (_what, text, line) => {
    const read = await parsed(text);
    expect(read.type).toBe("bad");
    expect(read.type === "bad" ? read.why[0] : "").toContain(`test.md:${line}:`);
  });

  test("an unknown field is a note", async () => {
    expect(await parsed("---\nicon: x\n---\nx")).toMatchObject({
      type: "ok",
      notes: [expect.stringContaining("icon")],
    });
  });
});
