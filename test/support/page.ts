/** Pages as browser tools show them, made up: a table of orders between a bar of links, a form and a button behind all of it. */
export type PageOptions = {
  readonly rows?: number;
  readonly url?: string;
  /** Refs begin with it: each page of a browser has its own. */
  readonly refs?: string;
  /** What a row says in place of its usual state. */
  readonly states?: Readonly<Record<number, string>>;
  readonly button?: string;
};

/** Playwright's YAML in its Markdown. */
export function playwrightPage(options: PageOptions = {}): string {
  const { url = "http://127.0.0.1:8080/orders" } = options;
  return [
    "### Page",
    `- Page URL: ${url}`,
    "- Page Title: Orders",
    "### Snapshot",
    "```yaml",
    ...treeOf(options),
    "```",
  ].join("\n");
}

/** The same tree as Chrome's tools write it. */
export function devtoolsPage(options: PageOptions = {}): string {
  const lines = treeOf(options).flatMap((line) => {
    const found = /^( *)- (\w+)(.*) \[ref=([^\]]+)\]/.exec(line);
    return found === null ? [] : [`${found[1]}uid=1_${found[4]?.slice(1)} ${found[2]}${found[3]}`];
  });
  return ["# take_snapshot response", "## Latest page snapshot", ...lines].join("\n");
}

function treeOf({ rows = 300, refs = "", states = {}, button = "Export as CSV" }: PageOptions): readonly string[] {
  let count = 0;
  const ref = () => {
    count += 1;
    return `[ref=${refs}e${count}]`;
  };
  const links = Array.from({ length: 20 }, (_, n) => [
    `      - link "Section ${n}" ${ref()} [cursor=pointer]:`,
    `        - /url: /section/${n}`,
  ]).flat();
  const form = [
    `    - heading "Orders" [level=1] ${ref()}`,
    `      - textbox "Customer" ${ref()}`,
    `      - combobox "Status" ${ref()}:`,
    `      - checkbox "Only mine" ${ref()}`,
    `      - button "Search orders" ${ref()}`,
  ];
  const table = Array.from({ length: rows }, (_, n) => [
    `        - row ${ref()}:`,
    `          - cell "${1000 + n}" ${ref()}`,
    `          - cell "Customer ${n} Ltd" ${ref()}`,
    `          - cell "${(n * 37.5).toFixed(2)} EUR" ${ref()}`,
    `          - cell "${states[n] ?? ["open", "paid", "late"][n % 3]}" ${ref()}`,
    `          - cell ${ref()}:`,
    `            - button "Edit ${n}" ${ref()}`,
  ]).flat();
  return [
    `- generic [active] ${ref()}:`,
    `  - banner ${ref()}:`,
    `    - navigation ${ref()}:`,
    ...links,
    `  - main ${ref()}:`,
    ...form,
    `    - table ${ref()}:`,
    `      - rowgroup ${ref()}:`,
    ...table,
    `    - paragraph ${ref()}: Shown ${rows} of 4,200 orders`,
    `    - button "${button}" ${ref()}`,
    `  - contentinfo ${ref()}:`,
    `    - link "Imprint" ${ref()} [cursor=pointer]:`,
    "      - /url: /imprint",
  ];
}
