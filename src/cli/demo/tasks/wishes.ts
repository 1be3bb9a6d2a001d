import { create, edit, importAfter, lines, look, read, run, tableRow } from "../moves.ts";
import type { Step, Task } from "../plan.ts";
import { testSummary } from "../test-output.ts";
import { wishButton, wishesLink, wishesPage, wishProvider, wishReducer, wishStyles } from "./wishes-code.ts";

const explore: readonly Step[] = [
  look("What the tests for the wish list ask for.", [read("tests/wishlist.test.tsx", 1, 160)]),
  look("The cart is the nearest thing to it: its rules, its provider, its page.", [
    read("src/cart/cart.ts", 1, 80),
    read("src/cart/CartPage.tsx", 1, 120),
  ]),
  look("Where a product is shown, and how a page gets the catalogue.", [
    read("src/catalog/ProductCard.tsx", 1, 60),
    read("src/catalog/ProductPage.tsx", 1, 80),
    read("src/catalog/useProducts.ts", 1, 50),
  ]),
  look("Who uses the button, and whether it can be pressed already.", [
    { tool: "Grep", input: { pattern: "<Button", path: "src", mode: "count" } },
    { tool: "Grep", input: { pattern: "aria-", path: "src" } },
    read("src/components/Button.tsx", 1, 40),
  ]),
  run("They fail as expected?", "npx vitest run tests/wishlist.test.tsx"),
];

const parts: readonly Step[] = [
  create("The rules: pure, as the cart's.", "src/wishes/wishes.ts", wishReducer),
  create("Who wishes for what, as a context.", "src/wishes/WishProvider.tsx", wishProvider),
  edit("The button learns to be pressed.", {
    path: "src/components/Button.tsx",
    present: "readonly pressed?: boolean;",
    change: lines(
      /^ {2}readonly label\?: string;\n/m,
      (old) =>
        `${old}  /** For buttons that stay down; undefined: it is none of these. */\n  readonly pressed?: boolean;\n`,
    ),
  }),
  edit("It takes the new property.", {
    path: "src/components/Button.tsx",
    present: "label, pressed, onClick",
    change: lines(
      /^export function Button\(\{.*\n/m,
      () =>
        `export function Button(props: ButtonProps) {\n  const { children, kind = "plain", type = "button", disabled = false, label, pressed, onClick } = props;\n`,
    ),
  }),
  edit("And says it to screen readers.", {
    path: "src/components/Button.tsx",
    present: "aria-pressed={pressed}",
    change: lines(
      /^ {4}<button type=\{type\}.*\n/m,
      () => `    <button
      type={type}
      className={\`button button-\${kind}\`}
      disabled={disabled}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
`,
    ),
  }),
  create("The button for one wish.", "src/wishes/WishButton.tsx", wishButton),
  create(
    "The page.",
    "src/wishes/WishesPage.tsx",
    wishesPage,
    "Hooks first, then the early return. Sold out products stay wishes when the rest goes into the cart.",
  ),
];

const wiring: readonly Step[] = [
  edit("The route.", {
    path: "src/router.ts",
    present: '| { readonly page: "wishes" }',
    change: lines(/^ {2}\| \{ readonly page: "cart" \}\n/m, (old) => old + old.replace("cart", "wishes")),
  }),
  edit("Its path.", {
    path: "src/router.ts",
    present: 'if (clean === "/wishes")',
    change: lines(/^ {2}if \(clean === "\/cart"\).*\n/m, (old) => old + old.replaceAll("cart", "wishes")),
  }),
  edit("The app imports page and provider.", {
    path: "src/App.tsx",
    present: 'from "./wishes/WishesPage.tsx";',
    change: lines(
      /^import .*"\.\/(?:router|session\/SessionProvider)\.tsx?";\n(?!import)/m,
      (old) =>
        `${old}import { WishesPage } from "./wishes/WishesPage.tsx";\nimport { WishProvider } from "./wishes/WishProvider.tsx";\n`,
    ),
  }),
  edit("The provider goes inside the cart's: header and pages both ask it.", {
    path: "src/App.tsx",
    present: "<WishProvider>",
    change: lines(/^( *)<CartProvider>\n(?:\1 +.*\n)+\1<\/CartProvider>\n/m, (old) => {
      const [open = "", ...rest] = old.trimEnd().split("\n");
      const close = rest.pop() ?? "";
      const pad = `${/^ */.exec(open)?.[0] ?? ""}  `;
      return [
        open,
        `${pad}<WishProvider>`,
        ...rest.map((line) => `  ${line}`),
        `${pad}</WishProvider>`,
        close,
        "",
      ].join("\n");
    }),
  }),
  edit("The page for the route.", {
    path: "src/App.tsx",
    present: "return <WishesPage api={api} router={router} />;",
    change: lines(
      /^ {4}case "not-found":\n/m,
      (old) => `    case "wishes":\n      return <WishesPage api={api} router={router} />;\n${old}`,
    ),
  }),
  importAfter("src/components/Header.tsx", "../router.ts", "{ useWishes }", "../wishes/WishProvider.tsx"),
  edit("The header asks for the wishes.", {
    path: "src/components/Header.tsx",
    present: "const { wishes } = useWishes();",
    change: lines(/^ {2}const \{ lines \} = useCart\(\);\n/m, (old) => `${old}  const { wishes } = useWishes();\n`),
  }),
  edit("And links to them, before the cart.", {
    path: "src/components/Header.tsx",
    present: '<Link to="/wishes"',
    change: lines(/^ {8}<Link to="\/cart".*\n/m, (old) => wishesLink + old),
  }),
  importAfter("src/catalog/ProductCard.tsx", "../types.ts", "{ WishButton }", "../wishes/WishButton.tsx"),
  edit("A card can be wished for.", {
    path: "src/catalog/ProductCard.tsx",
    present: "<WishButton product={product} />",
    change: lines(/^ {4}<\/li>\n/m, (old) => `      <WishButton product={product} />\n${old}`),
  }),
  importAfter("src/catalog/ProductPage.tsx", "../types.ts", "{ WishButton }", "../wishes/WishButton.tsx"),
  edit("So can a product on its own page.", {
    path: "src/catalog/ProductPage.tsx",
    present: "<WishButton product={product} />",
    change: lines(/^ {4}<\/>\n/m, (old) => `      <WishButton product={product} />\n${old}`),
  }),
];

const verify: readonly Step[] = [
  run("Now the tests of the wish list.", "npx vitest run tests/wishlist.test.tsx"),
  edit("The newest wish has to stand first: I put it last.", {
    path: "src/wishes/wishes.ts",
    present: "return [action.productId, ...wishes];",
    change: lines(
      /^ {6}return \[\.\.\.wishes, action\.productId\];\n/m,
      () => "      return [action.productId, ...wishes];\n",
    ),
  }),
  run("Again.", "npx vitest run tests/wishlist.test.tsx"),
  edit("A wish should look like one.", {
    path: "src/styles.css",
    present: ".wishes-sum {",
    change: lines(/^\.button:disabled \{\n(?: .*\n)+\}\n/m, (old) => old + wishStyles),
  }),
  tableRow("README.md", "`/cart`", ["`/wishes`", "what the visitor wishes for", "`src/wishes/WishesPage.tsx`"]),
  run("And the pages it stands on.", "npx vitest run wishlist login shop cart"),
  look("A last look at the page's frame.", [read("src/App.tsx", 1, 110), read("src/components/Header.tsx", 1, 70)]),
];

/** A second feature, on the pattern of the first. */
export const wishes: Task = {
  id: "wishes",
  message:
    "Now a wish list at /wishes, with a button on every product and a link in the header; tests/wishlist.test.tsx says " +
    "what it has to do. Nothing is stored for now.",
  steps: [...explore, ...parts, ...wiring, ...verify],
  summary: testSummary("the wish list is in place"),
};
