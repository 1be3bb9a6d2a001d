import { create, edit, lines, look, read, run, tableRow } from "../moves.ts";
import type { Step } from "../plan.ts";
import { accountLinks, loginPage, loginStyles, sessionProvider, sessionTypes, validateLogin } from "./login-code.ts";

/** What makes the login page, in parts that a plan puts together as it likes. */

/** The shape of the project, and how a page is reached. */
export const loginStart: readonly Step[] = [
  look("I start with the shape of the project.", [
    { tool: "Glob", input: { pattern: "**/*.{ts,tsx,css,json}" } },
    read("README.md", 1, 60),
    read("package.json", 1, 40),
  ]),
  look("How a page is reached: the app, its routes, the entry.", [
    read("src/App.tsx", 1, 80),
    read("src/router.ts", 1, 90),
    read("src/main.tsx", 1, 30),
  ]),
];

/** What a login page has to do with, and what its tests ask for. */
export const loginExplore: readonly Step[] = [
  look("The client of the server and the types it speaks.", [read("src/api.ts", 1, 120), read("src/types.ts", 1, 80)]),
  look("What the tests for the login page ask for.", [read("tests/login.test.tsx", 1, 220)]),
  look("How the tests open the shop and fake the server.", [read("tests/helpers.tsx", 1, 100)]),
  run("Where the project stands before I change anything.", "npx vitest run"),
  look("The project's own way to share state, and whether anything knows of accounts already.", [
    { tool: "Grep", input: { pattern: "createContext|useContext", path: "src" } },
    { tool: "Grep", input: { pattern: "token|session|authorization|/login", path: "src" } },
    read("src/cart/CartProvider.tsx", 1, 40),
  ]),
  look("The checkout is the form to follow: its page and its validation.", [
    read("src/checkout/CheckoutPage.tsx", 1, 130),
    read("src/checkout/validateCheckout.ts", 1, 40),
  ]),
  look("The parts a form is made of, the header, which has to show who is signed in, and the styles.", [
    read("src/components/Field.tsx", 1, 70),
    read("src/components/Button.tsx", 1, 40),
    read("src/components/Header.tsx", 1, 50),
    read("src/styles.css", 1, 320),
  ]),
];

/** What a session is. */
export const loginTypes: readonly Step[] = [
  edit("Types first: what is sent to sign in, and what a session is.", {
    path: "src/types.ts",
    present: "export type Session = {",
    change: lines(/export type OrderReceipt = \{\n(?: .*\n)+\};\n/, (old) => old + sessionTypes),
  }),
];

/** The two calls of the client. */
export const loginClient: readonly Step[] = [
  edit("The client imports them.", {
    path: "src/api.ts",
    present: "import type { Credentials,",
    change: lines(/import type \{ Order, .* \} from "\.\/types\.ts";/, (old) =>
      old.replace("{ Order", "{ Credentials, Order").replace(" }", ", Session }"),
    ),
  }),
  edit("Two calls in the client's interface.", {
    path: "src/api.ts",
    present: "login(credentials: Credentials): Promise<Session>;",
    change: lines(
      /^ {2}placeOrder\(order: Order\).*\n/m,
      (old) =>
        `${old}  login(credentials: Credentials): Promise<Session>;\n  logout(token: string): Promise<unknown>;\n`,
    ),
  }),
  edit("A request may carry a token.", {
    path: "src/api.ts",
    present: "body?: unknown, token?: string",
    change: lines(
      /^ {2}async function request<T>.*\n.*\n.*content-type.*\n/m,
      (old) =>
        `${old.replace("body?: unknown)", "body?: unknown, token?: string)")}    if (token !== undefined) headers.authorization = \`Bearer \${token}\`;\n`,
    ),
  }),
  edit("And the calls themselves.", {
    path: "src/api.ts",
    present: 'login: (credentials) => request("POST", "/api/login"',
    change: lines(
      /^ {4}placeOrder: \(order\) => .*\n/m,
      (old) =>
        `${old}    login: (credentials) => request("POST", "/api/login", credentials),\n    logout: (token) => request("POST", "/api/logout", undefined, token),\n`,
    ),
  }),
];

/** The new files. */
export const loginFiles: readonly Step[] = [
  create(
    "Who is signed in, as a context like the cart's.",
    "src/session/SessionProvider.tsx",
    sessionProvider,
    "The token must not survive the page: no storage. Signing out must work for the visitor even when the server does not answer.",
  ),
  create("The validation: pure, messages by field, as at the checkout.", "src/login/validateLogin.ts", validateLogin),
  create(
    "The page itself.",
    "src/login/LoginPage.tsx",
    loginPage,
    "Same form pattern as the checkout. 401 means wrong credentials here only, so the sentence belongs to this page and not to messageFor.",
  ),
];

/** The way to the page. */
export const loginRoute: readonly Step[] = [
  edit("The route, as a member of the union.", {
    path: "src/router.ts",
    present: '| { readonly page: "login" }',
    change: lines(/^ {2}\| \{ readonly page: "checkout" \}\n/m, (old) => old + old.replace("checkout", "login")),
  }),
  edit("Its path.", {
    path: "src/router.ts",
    present: 'if (clean === "/login")',
    change: lines(/^ {2}if \(clean === "\/checkout"\).*\n/m, (old) => old + old.replaceAll("checkout", "login")),
  }),
];

/** The page and the provider in the app. */
export const loginInApp: readonly Step[] = [
  edit("The app imports page and provider.", {
    path: "src/App.tsx",
    present: 'import { LoginPage } from "./login/LoginPage.tsx";',
    change: lines(
      /^import \{ Link \} from .*\nimport \{ type Route,.*\n/m,
      (old) =>
        `${old.replace("\n", '\nimport { LoginPage } from "./login/LoginPage.tsx";\n')}import { SessionProvider } from "./session/SessionProvider.tsx";\n`,
    ),
  }),
  edit("The provider goes around everything: header and pages both ask it.", {
    path: "src/App.tsx",
    present: "<SessionProvider api={api}>",
    change: lines(/^ {4}<CartProvider>\n(?: {6}.*\n)+ {4}<\/CartProvider>\n/m, (old) => {
      const inner = old.replace(/^/gm, "  ").trimEnd();
      return `    <SessionProvider api={api}>\n${inner}\n    </SessionProvider>\n`;
    }),
  }),
  edit("The page for the route.", {
    path: "src/App.tsx",
    present: "return <LoginPage router={router} />;",
    change: lines(
      /^ {4}case "not-found":\n/m,
      (old) => `    case "login":\n      return <LoginPage router={router} />;\n${old}`,
    ),
  }),
];

/** Who is signed in. */
export const loginInHeader: readonly Step[] = [
  edit("The header asks who is signed in.", {
    path: "src/components/Header.tsx",
    present: "= useSession();",
    change: lines(
      /^import type \{ Router \} from .*\nimport \{ Link \} from .*\n(?:.*\n)*? {2}const \{ lines \} = useCart\(\);\n/m,
      (old) => {
        const imports =
          'import { useSession } from "../session/SessionProvider.tsx";\nimport { Button } from "./Button.tsx";\n';
        return `${old.replace("\n", `\n${imports}`)}  const { session, signOut } = useSession();\n`;
      },
    ),
  }),
  edit("And shows a link to the login page, or the name and a way out.", {
    path: "src/components/Header.tsx",
    present: "{session === null ? (",
    change: lines(/^ {6}<\/nav>\n/m, (old) => accountLinks + old),
  }),
];

/** How it looks, and where it is written down. */
export const loginFinish: readonly Step[] = [
  edit("The page should look like the rest: its styles.", {
    path: "src/styles.css",
    present: ".login .button {",
    change: lines(/^\.button:disabled \{\n(?: .*\n)+\}\n/m, (old) => old + loginStyles),
  }),
  tableRow("README.md", "`/checkout`", [
    "`/login`",
    "sign in, for as long as the page is open",
    "`src/login/LoginPage.tsx`",
  ]),
];
