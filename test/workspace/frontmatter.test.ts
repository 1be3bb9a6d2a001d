import fc from "fast-check";
import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { parseFrontmatter } from "../../src/workspace/frontmatter.ts";

test("fields come with their lines, and the body with its first", async () => {
  const read = await parseFrontmatter("---\nname: a\n\n# why\nlist:\n  - x\n---\nbody\n");
  expect(read).toEqual({
    type: "ok",
    fields: new Map<string, unknown>([
      ["name", { value: "a", line: 2 }],
      ["list", { value: ["x"], line: 5 }],
    ]),
    body: "body\n",
    bodyLine: 8,
  });
});

test("a byte order mark and CRLF change nothing", async () => {
  const read = await parseFrontmatter("\uFEFF---\r\nname: 你好\r\n---\r\nbody\r\n");
  expect(read).toEqual({
    type: "ok",
    fields: new Map([["name", { value: "你好", line: 2 }]]),
    body: "body\n",
    bodyLine: 4,
  });
});

test("a file without fields is all body", async () => {
  expect(await parseFrontmatter("# Title\n---\n")).toEqual({ type: "none", body: "# Title\n---\n", bodyLine: 1 });
  expect(await parseFrontmatter("")).toEqual({ type: "none", body: "", bodyLine: 1 });
});

test.each([
  ["---\nname: a\n", 1, /second line of ---/],
  ["---\nname: a\nglobs: *.ts\n---\n", 3, /./],
  ["---\nname: a\nname: b\n---\n", 3, /unique/],
  ["---\n- a\n---\n", 2, /key: value/],
  [
    "---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n---\n",
    2,
    /aliases/,
  ],
])("what cannot be read is named by its line: %j", async (text, line, why) => {
  const read = await parseFrontmatter(text);
  expect(read).toMatchObject({ type: "bad", line, why: expect.stringMatching(why) });
});

test.each([
  ["keys", Array.from({ length: 4_000 }, (_, at) => `k${at}:`).join("\n")],
  ["aliases", `q: &x 1\na:\n${"- *x\n".repeat(4_000)}`],
  ["values that look like aliases", `a:\n${"- *x\n".repeat(4_000)}`],
])("a stranger's file keeps nobody waiting: more than fieldsCharsMax of %s are not read", async (_, fields) => {
  expect(fields.length).toBeGreaterThan(bounds.fieldsCharsMax);
  const read = await parseFrontmatter(`---\n${fields}\n---\nbody`);
  expect(read).toMatchObject({ type: "bad", line: 1, why: expect.stringContaining("more than"), body: "body" });
});

test("more aliases than anybody writes are refused before they are followed", async () => {
  const read = await parseFrontmatter(`---\nq: &x 1\na:\n${"- *x\n".repeat(3_000)}---\nbody`);
  expect(read).toMatchObject({ type: "bad", why: expect.stringMatching(/aliases/) });
});

test("no text makes it fail", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      const { type } = await parseFrontmatter(`---\n${text}\n---\nbody`);
      expect(["ok", "bad"]).toContain(type);
    }),
  );
});
