import { create, edit, line, lines, look, read, run } from "../moves.ts";
import type { Step, Task } from "../plan.ts";
import { testSummary } from "../test-output.ts";
import { moneyModule, moneyTests } from "./prices-code.ts";

const explore: readonly Step[] = [
  look("What the structure's tests say.", [read("tests/structure.test.ts", 1, 60)]),
  look("Everybody who writes, types or imports money.", [
    { tool: "Grep", input: { pattern: "\\bmoney\\b|€", path: "src" } },
    { tool: "Grep", input: { pattern: "\\bCents\\b", path: "src" } },
    { tool: "Grep", input: { pattern: "\\bmoney\\b|\\bCents\\b|€", glob: "{server,scripts,tests}/**/*.{ts,tsx}" } },
  ]),
  look("Where it lives now, and the price that somebody typed.", [
    read("src/format.ts", 1, 40),
    read("src/types.ts", 1, 70),
    read("src/components/Footer.tsx", 1, 20),
  ]),
  look("The order desk writes prices into its log.", [
    read("server/orders.ts", 1, 90),
    { tool: "Grep", input: { pattern: 'from "', path: "server" } },
  ]),
  run("Where the structure's tests stand.", "npx vitest run tests/structure.test.ts"),
];

const pin: readonly Step[] = [
  create(
    "Nothing tests `money` by itself. First I pin what it does today, in the old place.",
    "tests/money.test.ts",
    moneyTests,
    "A move must change no price. Tests written before it say so better than reading the diff.",
  ),
  run("They describe what is: green before I move anything.", "npx vitest run tests/money.test.ts"),
];

/** In the import of `from`, `name` goes, and comes from the new module behind it. */
function moved(path: string, name: string, from: string, to: string): Step {
  const isType = name.startsWith("type ");
  const added = isType ? `import type { ${name.slice(5)} } from "${to}";` : `import { ${name} } from "${to}";`;
  const bare = isType ? name.slice(5) : name;
  const change = line(
    (text) => new RegExp(`^import .*\\b${bare}\\b.*`).test(text) && text.endsWith(` from "${from}";`),
    (old) => {
      const head = old.slice(0, old.indexOf("{"));
      const names = old.slice(old.indexOf("{") + 1, old.indexOf("}")).split(",");
      const left = names.map((one) => one.trim()).filter((one) => one !== bare && one !== "");
      return left.length === 0 ? [added] : [`${head}{ ${left.join(", ")} } from "${from}";`, added];
    },
  );
  return edit(`${path} takes ${bare} from the new place.`, { path, present: added, change });
}

const move: readonly Step[] = [
  create("The new module: the type and the one function that writes it.", "src/money.ts", moneyModule),
  edit("format.ts keeps the rest.", {
    path: "src/format.ts",
    present: "// Prices are written in money.ts.",
    change: lines(
      /^import type \{ Cents \}.*\n\n\/\*\* `1290`.*\n(?:.*\n)*?}\n/m,
      () => "// Prices are written in money.ts.\n",
    ),
  }),
  moved("src/cart/cart.ts", "type Cents", "../types.ts", "../money.ts"),
  moved("src/cart/CartPage.tsx", "money", "../format.ts", "../money.ts"),
  moved("src/catalog/ProductCard.tsx", "money", "../format.ts", "../money.ts"),
  moved("src/catalog/ProductPage.tsx", "money", "../format.ts", "../money.ts"),
  moved("src/checkout/CheckoutPage.tsx", "money", "../format.ts", "../money.ts"),
  moved("src/wishes/WishesPage.tsx", "money", "../format.ts", "../money.ts"),
  moved("server/orders.ts", "money", "../src/format.ts", "../src/money.ts"),
  moved("server/orders.ts", "type Cents", "../src/types.ts", "../src/money.ts"),
  edit("The type leaves types.ts, which imports it now.", {
    path: "src/types.ts",
    present: 'import type { Cents } from "./money.ts";',
    change: lines(
      /^\/\*\* Money is in cents.*\nexport type Cents = number;\n/m,
      () => 'import type { Cents } from "./money.ts";\n',
    ),
  }),
  edit("The footer's price was typed by hand: it imports the limit and the writing of it.", {
    path: "src/components/Footer.tsx",
    present: 'import { money } from "../money.ts";',
    change: lines(
      /^export function Footer\(\)/m,
      (old) => `import { freeShippingFrom } from "../cart/cart.ts";\nimport { money } from "../money.ts";\n\n${old}`,
    ),
  }),
  edit("And says what the cart does.", {
    path: "src/components/Footer.tsx",
    present: "{money(freeShippingFrom)}",
    change: lines(/^ *<p>Orders over €75\.00.*\n/m, (old) => old.replace("€75.00", "{money(freeShippingFrom)}")),
  }),
  moved("tests/money.test.ts", "money", "../src/format.ts", "../src/money.ts"),
];

const verify: readonly Step[] = [
  look("Is anybody left who takes it from the old places?", [
    { tool: "Grep", input: { pattern: '(money|Cents)\\b.*from ".*(format|types)\\.ts"', path: "." } },
    { tool: "Grep", input: { pattern: 'money\\.ts"', path: ".", mode: "count" } },
  ]),
  run("The pins and the structure.", "npx vitest run tests/money.test.ts tests/structure.test.ts"),
  edit("The README says where prices are written.", {
    path: "README.md",
    present: "in `src/money.ts`",
    change: lines(
      /^- \*\*Prices\*\* are whole cents.*\n/m,
      () =>
        "- **Prices** are whole cents (`Cents`); `money` writes them. Both live in `src/money.ts`, and nowhere else is a price written.\n",
    ),
  }),
  run("The whole suite.", "npx vitest run"),
  run("Does it build?", "npx vite build --logLevel warn"),
  look("Two of the files that changed most.", [read("src/format.ts", 1, 30), read("src/components/Footer.tsx", 1, 20)]),
];

/** A refactor across many files that must change nothing for the visitor. */
export const prices: Task = {
  id: "prices",
  message:
    "Prices are all over the place: the type in types.ts, money() in format.ts, one price typed by hand. Move all of it " +
    "into src/money.ts, let everybody import it from there, leave no re-exports. tests/structure.test.ts says when you " +
    "are done; no visitor may notice.",
  steps: [...explore, ...pin, ...move, ...verify],
  summary: testSummary("money lives in one module"),
};
