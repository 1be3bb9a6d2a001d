/** Texts in the shapes that programs give, written for the benches: faulty code, a page, its snapshot, a report. */

/** Half of these fail, each in its own way. */
export const faultyTests = `import assert from "node:assert/strict";
import { describe, test } from "node:test";

const sum = (items) => items.reduce((total, item) => total + item.price * item.count, 0);

describe("the sum of a basket", () => {
${Array.from({ length: 24 }, (_, n) => {
  const expected = n % 3 === 0 ? n * 2 + 1 : n * 2;
  return `  test("basket ${n} with ${n} pieces at 2", () => {
    assert.equal(sum([{ price: 2, count: ${n} }]), ${expected});
  });`;
}).join("\n")}
  test("a basket that is none is refused", () => {
    assert.throws(() => sum(null), /basket/);
  });
});
`;

export const faultyTypes = Array.from(
  { length: 18 },
  (_, n) => `export const price${n}: number = "${n}";
export function total${n}(items: readonly { price: number }[]): string {
  let unused${n} = 0;
  return items.reduce((sum, item) => sum + item.prise, 0);
}
`,
).join("\n");

export const throwing = `function readOrder(n) {
  if (n === 0) throw new TypeError("the order has no lines");
  return readOrder(n - 1);
}
function handle(n) {
  try {
    readOrder(n);
  } catch (error) {
    throw new Error(\`order \${n} could not be read\`, { cause: error });
  }
}
for (const n of [3, 5, 7, 9, 11, 13]) {
  try {
    handle(n);
  } catch (error) {
    console.error(error);
  }
}
handle(15);
`;

export function shopPage(products: number): string {
  const items = Array.from({ length: products }, (_, n) => {
    const stock = n % 7 === 0 ? "sold out" : `${(n * 13) % 40} on the shelf`;
    return `      <li class="product" id="p-${n}">
        <a href="/products/p-${n}"><img src="/pictures/p-${n}.webp" alt="Cup ${n}"></a>
        <h3>Cup number ${n}</h3>
        <p class="price">${(5 + (n % 9) * 1.5).toFixed(2)} €</p>
        <p class="stock">${stock}</p>
        <button type="button" data-product="p-${n}">Put cup ${n} into the basket</button>
      </li>`;
  });
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Cups of the potter's shop</title>
    <meta name="description" content="All cups that the shop has">
    <link rel="stylesheet" href="/assets/index.css">
    <script type="module" src="/assets/index.js"></script>
  </head>
  <body>
    <header><h1>Cups</h1><nav><a href="/">Home</a> <a href="/wishes">Wishes</a> <a href="/basket">Basket</a></nav></header>
    <form action="/search"><input name="q" type="search" placeholder="What are you looking for?"></form>
    <ul>
${items.join("\n")}
    </ul>
    <footer><h2>About</h2><p>Thrown by hand, fired twice.</p><a href="/imprint">Imprint</a></footer>
  </body>
</html>
`;
}

export function shopSnapshot(products: number): string {
  const items = Array.from(
    { length: products },
    (_, n) => `      - listitem [ref=e${20 + n * 4}]:
        - link "Cup ${n}" [ref=e${21 + n * 4}] [cursor=pointer]:
          - /url: /products/p-${n}
        - heading "Cup number ${n}" [level=3] [ref=e${22 + n * 4}]
        - button "Put cup ${n} into the basket" [ref=e${23 + n * 4}]${n % 7 === 0 ? " [disabled]" : ""}`,
  );
  return `### Ran Playwright code
\`\`\`js
await page.getByRole('link', { name: 'Home' }).click();
\`\`\`
### Page
- Page URL: http://localhost:5173/
- Page Title: Cups of the potter's shop
- Console: 1 errors, 0 warnings
### Snapshot
\`\`\`yaml
- generic [ref=e2]:
  - banner [ref=e3]:
    - heading "Cups" [level=1] [ref=e4]
    - link "Wishes" [ref=e5] [cursor=pointer]:
      - /url: /wishes
    - searchbox "What are you looking for?" [active] [ref=e6]
  - main [ref=e7]:
    - list [ref=e8]:
${items.join("\n")}
  - contentinfo [ref=e9]:
    - heading "About" [level=2] [ref=e10]
    - link "Imprint" [ref=e11]:
      - /url: /imprint
\`\`\`
`;
}

const links = Array.from({ length: 10 }, (_, n) => ({
  title: `Glazing notes ${n}: ${["celadon", "tenmoku", "shino", "ash"][n % 4]} at cone ${6 + n}`,
  url: `https://example.com/notes/glaze-${n}`,
}));

export const searchAnswer = `Web search results for query: "celadon glaze at cone 6"

Links: ${JSON.stringify(links)}

${links.map(({ title, url }) => `**${title}** says that the glaze runs if it is put on thicker than two millimetres ([source](${url})).`).join("\n\n")}

## What most agree on

- Iron between 1 and 3 percent gives green in reduction.
- Cone 6 needs a frit; cone 10 does not.
- Important: let the piece dry for a day before the second coat.
`;

/** A report as a helper writes one, with sections, a table and paths. */
export function reportText(sections: number): string {
  const parts = Array.from(
    { length: sections },
    (_, n) => `### ${n + 1}. Module ${n}

The module \`src/parts/part-${n}.ts\` exports \`makePart${n}\` and is used by **${(n * 7) % 5} callers**.

- It reads \`config/part-${n}.json\` once at the start.
- Its tests stand in \`tests/part-${n}.test.ts\`${n % 6 === 5 ? "; two of them are skipped" : ""}.
`,
  );
  const rows = Array.from(
    { length: sections },
    (_, n) => `| part-${n} | ${(n * 37) % 211} | ${n % 4 === 0 ? "yes" : "no"} |`,
  );
  return `# What was found

**Status:** complete

## Modules

${parts.join("\n")}
## Sizes

| module | lines | exported |
| --- | --- | --- |
${rows.join("\n")}

See https://example.com/guide for the way it is meant to be.
`;
}
