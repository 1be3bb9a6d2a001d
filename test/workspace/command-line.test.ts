import { describe, expect, test } from "vitest";
import { commandLine, literalSlash, nearNames } from "../../src/workspace/command-line.ts";

describe("a message calls a command by /name and nothing else", () => {
  test.each([
    ["/commit", "commit", ""],
    ["/commit  fix: a 'b' ", "commit", "fix: a 'b'"],
    ["/frontend:test a\nb", "frontend:test", "a\nb"],
    ["/x_1-y\n\nmore", "x_1-y", "more"],
    ["/prüfe das", "prüfe", "das"],
  ])("%j", (text, name, typed) => expect(commandLine(text)).toEqual({ name, typed }));

  test.each([
    "/etc/hosts is wrong",
    "/ ",
    "/",
    "//commit",
    " /commit",
    "/a.b",
    "/commit.",
    "x /commit",
    "",
    "/$(id)",
    "/:x",
  ])("%j is text", (text) => expect(commandLine(text)).toBeNull());

  test("a second slash in front says a command's name literally", () => {
    expect(literalSlash("//commit is a command")).toBe("/commit is a command");
    expect(literalSlash("// a comment")).toBeNull();
    expect(literalSlash("//etc/hosts")).toBeNull();
  });
});

test("names that were likely meant are listed, the likeliest first", () => {
  const names = ["commit", "compact", "context", "cost", "frontend:test", "help"];
  expect(nearNames("comit", names)).toEqual(["commit"]);
  expect(nearNames("ocmmit", names)).toEqual(["commit"]);
  expect(nearNames("HELP", names)).toEqual(["help"]);
  expect(nearNames("test", names)).toEqual(["frontend:test"]);
  expect(nearNames("comp", names)).toEqual(["compact"]);
  expect(nearNames("zzz", names)).toEqual([]);
});
