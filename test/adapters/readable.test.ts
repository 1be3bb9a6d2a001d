import { expect, test } from "vitest";
import { readablePage } from "../../src/adapters/readable.ts";
import { bounds } from "../../src/kernel/bounds.ts";

test.each([
  ["<html><p>x", "", "x"],
  ["<head><title>t</title></head><p>x", "t", "x"],
  ["<!-- c --><html lang=en><title> q\n r </title><body class=a><p>y</body></html>", "q r", "y"],
  ["plain words only", "", "plain words only"],
  ["<body>b", "", "b"],
  ["<HTML><BODY>up</BODY></HTML>", "", "up"],
  ["<p>a<table><tr><td>1<td>2</table>", "", "a\n\n| 1 | 2 |"],
  ['<p>see <img src=x alt="a dog"><img src=y><svg><title>no</title></svg>', "", "see [picture: a dog]"],
  ["<style>p{}</style><noscript>on</noscript><template>t</template><p>z", "", "z"],
  ["", "", ""],
])("%j is read whatever parts of its frame are missing", async (html, title, text) => {
  expect(await readablePage(html)).toEqual({ title, text });
});

test("a page without an article is kept whole, one with an article loses its frame", async () => {
  const words = "<p>Some words of prose, with commas, that go on. </p>".repeat(12);
  const frame = (body: string) => `<body><nav><a href="/a">Menu</a></nav>${body}<footer>Imprint</footer></body>`;
  expect((await readablePage(frame("<p>short"))).text).toContain("Menu");
  expect((await readablePage(frame(`<article>${words}</article>`))).text).not.toMatch(/Menu|Imprint/);
});

test.each([
  ["nested too deep", `${"<div>".repeat(20_000)}the words`],
  ["of too many parts", `${"<p>x <a href=y>z</a></p>".repeat(20_000)}<p>the words`],
  ["of nothing but brackets", `${"<".repeat(500_000)} the words`],
])("law 10 · a page %s is its words without the tags", async (_name, html) => {
  expect((await readablePage(html)).text).toContain("the words");
});

test("law 10 · of a huge page the beginning is looked through, and that is said", async () => {
  const { text } = await readablePage(`<p>begin</p>${"<!-- long -->".repeat(bounds.webHtmlCharsMax / 10)}`);
  expect(text).toMatch(/^begin[\s\S]*more characters of HTML were not looked through/);
});
