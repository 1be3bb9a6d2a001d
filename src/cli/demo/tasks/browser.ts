import { type BrowserCall, browse, element, findTools, printed, seen, snapshot, taskIn } from "../browser-moves.ts";
import { followUp } from "../evidence.ts";
import { look, read, run, together } from "../moves.ts";
import type { Move, Step, Task } from "../plan.ts";
import { addressFix, testSummary } from "../test-output.ts";
import type { View } from "../view.ts";
import { loginFiles, loginFinish, loginServer, loginWiring } from "./login-parts.ts";

const tests = "tests/login.test.tsx";
const styleOf = { tool: "Grep", input: { pattern: "^\\.button:disabled", path: "src/styles.css" } };

const explore: readonly Step[] = [
  look("I start with the shape of the project and its conventions.", [
    { tool: "Glob", input: { pattern: "{src,tests,scripts}/**" } },
    read("README.md", 1, 50),
  ]),
  look("What the tests for the login page ask for.", [read(tests, 1, 170)]),
  look("How a page is reached, and how the server is.", [
    read("src/App.tsx", 1, 60),
    read("src/router.ts", 1, 30),
    read("src/components/Header.tsx", 1, 30),
    read("src/api.ts", 1, 55),
    read("src/types.ts", 24, 60),
  ]),
  look("The checkout is the form to follow, the cart the state; and the parts of a form.", [
    read("src/checkout/CheckoutPage.tsx", 1, 60),
    read("src/cart/CartProvider.tsx", 1, 20),
    read("src/components/Field.tsx", 1, 20),
  ]),
];

const build: readonly Step[] = [
  together("The server's side first: the types, and two calls of the client.", loginServer),
  together(
    "Who is signed in, the validation, and the page.",
    loginFiles,
    "The token must not survive the page: no storage. Same form pattern as the checkout, and 401 means wrong credentials on this page only.",
  ),
  together("The way to it: its route, its place in the app, and the header.", loginWiring),
  run("Now the tests of the login page.", `npx vitest run ${tests}`),
  addressFix("src/login/validateLogin.ts", tests),
  look("Where do the styles of a button end?", [styleOf]),
  followUp("Those lines.", {
    find: (text) => /styles\.css:(\d+):\.button:disabled/.exec(text)?.[1] ?? null,
    source: styleOf,
    follow: (line) => [read("src/styles.css", Number(line), Number(line) + 4)],
  }),
  together("The page should look like the rest, and the README lists it.", loginFinish),
  run("Everything that was there before, and the new page.", "npx vitest run"),
];

const preview = "npm run -s preview";
const article = "Ember Stove, sand";
const addButton = `Add ${article} to the cart`;
const itemInCart = 'link "Cart, 1 item"';
const visitor = "Ada Lovelace";
const wrong = "Email or password is wrong.";
const email = element("textbox", "Email");
const password = element("textbox", "Password");

const open: readonly Step[] = [
  look("Green. Now as a visitor sees it: the shop is built and served beside me.", [
    { tool: "Bash", input: { command: preview, background: true } },
  ]),
  findTools("A browser is connected; these of its tools are needed.", [
    "browser_navigate",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_wait_for",
    "browser_take_screenshot",
    "browser_network_requests",
    "browser_console_messages",
    "browser_close",
  ]),
  browse("The catalogue, where visitors come in.", {
    needs: [printed(/The shop: (http:\/\/\S+?)\/?\s/, "the address of the shop is not in view")],
    calls: ([address]) => [{ tool: "browser_navigate", input: { url: `${address}/` } }, snapshot()],
  }),
  browse("Something goes into the cart: it must still be there behind the login.", {
    needs: [element("button", addButton)],
    calls: ([ref]) => [click(addButton, ref)],
  }),
  browse("The header's new link leads to the login page.", {
    needs: [element("link", "Sign in")],
    calls: ([ref]) => [click("Sign in link", ref), snapshot("body")],
  }),
];

const signIn: readonly Step[] = [
  browse("What the validation says, before anything is sent.", {
    needs: [seen(itemInCart), email],
    calls: ([, ref]) => [typed("Email", ref, "ada@example", true), snapshot("main")],
  }),
  browse("Both messages are there. A real address now, and a password that is wrong.", {
    needs: [seen("This does not look like an email address."), seen("Enter your password."), email, password],
    calls: ([, , address, word]) => [
      typed("Email", address, "ada@example.org", false),
      typed("Password", word, "wrong horse", true),
      { tool: "browser_wait_for", input: { text: wrong } },
    ],
  }),
  browse("Only a picture says whether it looks like the rest.", {
    needs: [seen(wrong, { tool: "browser_wait_for", input: { text: wrong } })],
    calls: () => [
      { tool: "browser_take_screenshot", input: { element: "the form", target: "main form", type: "png" } },
    ],
  }),
  browse("The right password.", {
    needs: [password],
    calls: ([ref]) => [
      typed("Password", ref, "correct horse", true),
      { tool: "browser_wait_for", input: { text: visitor } },
    ],
  }),
  browse("The greeting is there. Where has it led, and is the cart kept?", {
    needs: [seen(visitor, { tool: "browser_wait_for", input: { text: visitor } })],
    calls: () => [snapshot()],
  }),
];

const requests = { tool: "browser_network_requests", input: { static: false, filter: "/api/login" } };

const verify: readonly Step[] = [
  browse("The catalogue again, with the name and the cart. What went to the server, and what says the console?", {
    needs: [seen(itemInCart, snapshot("header")), element("button", "Sign out")],
    calls: () => [requests, { tool: "browser_console_messages", input: { level: "error" } }],
  }),
  browse("One refusal, one session, and nothing else in the console. Out again.", {
    needs: [
      seen("/api/login => [401]", requests),
      seen("/api/login => [200]", requests),
      element("button", "Sign out"),
    ],
    calls: ([, , ref]) => [click("Sign out", ref), snapshot("header")],
  }),
  browse("The link is back.", {
    needs: [seen('link "Sign in"', snapshot("header"))],
    calls: () => [{ tool: "browser_close", input: {} }],
  }),
  {
    kind: "look",
    say: "The shop may close.",
    act: (view: View): Move => {
      const task = taskIn(view);
      return task === null ? { type: "skip" } : { type: "do", calls: [{ tool: "TaskStop", input: { task } }] };
    },
  },
];

/** A page with a form, made and then looked at in a browser. */
export const browser: Task = {
  id: "browser",
  message:
    "Add a login page with validation and an API call to this shop, and verify it in the browser that is connected. The " +
    `route is /login; the tests in ${tests} say what it has to do. Keep to the conventions of the project. ` +
    "`npm run preview` serves the shop as visitors see it; ada@example.org with the password `correct horse` has an " +
    `account there. Put ${article} into the cart first: signing in must not lose it.`,
  steps: [...explore, ...build, ...open, ...signIn, ...verify],
  summary: testSummary("the login page is in place and does in the browser what it should"),
};

function click(what: string, target: string | undefined): BrowserCall {
  return { tool: "browser_click", input: { element: what, target } };
}

function typed(what: string, target: string | undefined, text: string, submit: boolean): BrowserCall {
  return { tool: "browser_type", input: { element: what, target, text, submit } };
}
