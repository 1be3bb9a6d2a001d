import { describe, expect, test } from "vitest";
import { ownInput, toldInput } from "../../src/workspace/hook-input.ts";

const told = (tool: string, input: unknown) => toldInput(tool, input, "/w");

describe("what a hook is told of a call", () => {
  test("a file stands there under our name as it was said, and whole under the name that guards for Claude Code look for", () => {
    expect(told("Write", { path: "a/../.env", content: "x" })).toEqual({
      path: "a/../.env",
      file_path: "/w/.env",
      content: "x",
    });
    expect(told("Read", { path: "/etc/passwd" })).toMatchObject({ file_path: "/etc/passwd" });
  });

  test("the texts of an edit stand there under both names, those of several too", () => {
    const edit = { old: "a", new: "b", all: true };
    const both = { ...edit, old_string: "a", new_string: "b", replace_all: true };
    expect(told("Edit", { path: "x", ...edit })).toMatchObject(both);
    expect(told("MultiEdit", { path: "x", edits: [edit, "odd"] })).toMatchObject({ edits: [both, "odd"] });
  });

  test("other tools' inputs, and what is no input at all, stay as they are", () => {
    expect(told("Bash", { command: "ls", path: "x" })).toEqual({ command: "ls", path: "x" });
    expect(told("Write", "text")).toBe("text");
  });
});

describe("what a hook gives in its place", () => {
  const input = { path: "x", old: "a", new: "b" };
  const own = (given: unknown) => ownInput("Edit", given, told("Edit", input));

  test("what it was told is what the model said, and each name may be the one that it changes", () => {
    expect(own(told("Edit", input))).toEqual(input);
    expect(own({ ...input, file_path: "/w/y" })).toEqual({ ...input, path: "/w/y" });
    expect(own({ ...input, path: "y", file_path: "/w/x" })).toEqual({ ...input, path: "y" });
    expect(own({ file_path: "/w/y", old_string: "a", new_string: "c" })).toEqual({ path: "/w/y", old: "a", new: "c" });
    const many = { path: "x", edits: [{ old: "a", new: "b" }] };
    const given = {
      file_path: "/w/x",
      edits: [
        { old_string: "a", new_string: "c" },
        { old_string: "d", new_string: "" },
      ],
    };
    expect(ownInput("MultiEdit", given, told("MultiEdit", many))).toEqual({
      path: "/w/x",
      edits: [
        { old: "a", new: "c" },
        { old: "d", new: "" },
      ],
    });
  });

  test("two answers stay two, so that the tool refuses them", () => {
    expect(own({ ...input, path: "y", file_path: "/w/z" })).toMatchObject({ path: "y", file_path: "/w/z" });
  });
});
