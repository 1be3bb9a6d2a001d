import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { instructionsText, namesFile } from "../../src/workspace/instructions-text.ts";

const imports = (...lines: readonly string[]) => instructionsText(lines.join("\n")).imports;
const text = (...lines: readonly string[]) => instructionsText(lines.join("\n")).text;

describe("an import is a path behind an @ that begins a word", () => {
  test.each([
    ["See @docs/style.md for more", ["docs/style.md"]],
    ["@README", ["README"]],
    ["- git: @docs/git.md", ["docs/git.md"]],
    ["@./a.md, @../b.md and @/c/d.md; @~/.claude/mine.md.", ["./a.md", "../b.md", "/c/d.md", "~/.claude/mine.md"]],
    ["@my\\ notes/today.md is it", ["my notes/today.md"]],
    ["@a.md#how-to and again @a.md", ["a.md"]],
    ["@документы/стиль.md", ["документы/стиль.md"]],
    ["write to me@example.org or x@y", []],
    ["an @ alone, @@twice, @(no)", []],
  ])("%s", (line, expected) => expect(imports(line)).toEqual(expected));

  test.each([
    ["a code span", ["Say `@a.md` and ``x ` @b.md`` but @c.md"]],
    ["a code span over two lines", ["Say `one", "@a.md two` but @c.md"]],
    ["a fence", ["```", "@a.md", "```", "@c.md"]],
    ["a fence of tildes with a shorter one in it", ["~~~~ sh", "@a.md", "~~~", "@b.md", "~~~~", "@c.md"]],
    ["a fence in a list", ["- do this:", "  ```sh", "  npm i @a.md", "  ```", "@c.md"]],
    ["indented code", ["Like so:", "", "    @a.md", "", "    @b.md", "", "@c.md"]],
    ["a comment", ["<!-- @a.md -->", "so <!-- @b.md --> @c.md"]],
  ])("not in %s", (_, lines) => expect(imports(...lines)).toEqual(["c.md"]));

  test("an unclosed fence is code to the end, an unclosed code span is text", () => {
    expect(imports("@a.md", "```", "@b.md")).toEqual(["a.md"]);
    expect(imports("a ` tick and @a.md", "", "another ` tick")).toEqual(["a.md"]);
    expect(imports("an escaped \\` tick and @a.md \\`")).toEqual(["a.md"]);
  });

  test("what lies deep in a list is no code", () => {
    expect(imports("- a", "    - see @a.md", "", "    and @b.md")).toEqual(["a.md", "b.md"]);
  });
});

describe("a comment that begins a line is left out", () => {
  test.each([
    ["on one line", ["one", "<!-- for people -->", "two"], "one\ntwo"],
    ["over lines, with empty ones", ["one", "<!-- for", "", "people -->", "two"], "one\ntwo"],
    ["words behind it stay", ["<!-- a --> one", "  <!-- b --><!-- c -->", "two"], " one\ntwo"],
    ["in code it stays", ["```html", "<!-- shown -->", "```"], "```html\n<!-- shown -->\n```"],
    ["inside a line it stays", ["one <!-- aside --> more"], "one <!-- aside --> more"],
    ["never closed it is text", ["one", "<!-- oops", "two"], "one\n<!-- oops\ntwo"],
    ["a fence in it opens nothing", ["<!--", "```", "-->", "@a.md"], "@a.md"],
  ])("%s", (_, lines, expected) => expect(text(...lines)).toBe(expected));
});

test("line ends of any kind are one, and empty lines around the text go", () => {
  expect(instructionsText("\r\n\r\n  one\r\ntwo\rthree\n\n").text).toBe("  one\ntwo\nthree");
});

test("a file says something, only what it imports, or nothing", () => {
  const says = (markdown: string) => instructionsText(markdown).says;
  expect([says("# Rules\n@a.md"), says("@a.md\n\n@b.md\n"), says("<!-- x -->\n \n"), says("")]).toEqual([
    "something",
    "imports",
    "nothing",
    "nothing",
  ]);
});

test("a missing file is worth a word only where the words can mean nothing else", () => {
  expect(["./x", "../x", "~/x", "/x", "a.md", "b/c.TXT"].map(namesFile)).toEqual(Array(6).fill(true));
  expect(["octocat", "types/node", "param", "2x"].map(namesFile)).toEqual(Array(4).fill(false));
});

test("as much of any mark as is ever looked at is read, without a loop that grows", () => {
  for (const piece of ["`", "<!--", "-->", "@a ", "- ", "\n", " ", "~~~\n", "`` ` ", "@", "\\ ", "@a_"]) {
    const markdown = piece.repeat(bounds.instructionCharsMax / piece.length);
    expect(instructionsText(markdown).imports.length).toBeLessThan(2);
  }
});
