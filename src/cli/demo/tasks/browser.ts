import { type BrowserCall, browse, element, findTools, printed, seen, snapshot, taskIn } from "../browser-moves.ts";
import { bash, look, read, run, together } from "../moves.ts";
import type { Move, Step, Task } from "../plan.ts";
import { addressFix, testSummary } from "../test-output.ts";
import type { View } from "../view.ts";
import {
  loginClient,
  loginExplore,
  loginFiles,
  loginFinish,
  loginInApp,
  loginInHeader,
  loginRoute,
  loginTypes,
} from "./login-parts.ts";

/** As a filter: the runner takes words of paths. */
const tests = "login";

/** No more of each file than the page has to do with. */
const start: readonly Step[] = [
  look("I start with the shape of the project and its conventions.", [
    { tool: "Glob", input: { pattern: "src/**/*.{ts,tsx}" } },
    read("README.md", 1, 40),
  ]),
  look("How a page is reached: the app and its routes.", [read("src/App.tsx", 1, 60), read("src/router.ts", 1, 30)]),
];

const build: readonly Step[] = [
  ...loginTypes,
  together("Two calls of the client.", loginClient),
  ...loginFiles,
  together("The route.", loginRoute),
  together("Page and provider in the app.", loginInApp),
  together("The header shows who is signed in, or the way to the page.", loginInHeader),
  run("Now the tests of the login page.", `npx vitest run ${tests}`),
  addressFix("src/login/validateLogin.ts", tests),
  run("The login page's tests again.", `npx vitest run ${tests}`),
  ...loginFinish,
  run("Everything that was there before, and the new page.", "npx vitest run"),
];

const article = "Ember Stove, sand";
const addButton = `Add ${article} to the cart`;
const visitor = "Ada Lovelace";
const wrong = "Email or password is wrong.";
const email = element("textbox", "Email");
const password = element("textbox", "Password");
const refused = { tool: "browser_wait_for", input: { text: wrong } };
const greeted = { tool: "browser_wait_for", input: { text: visitor } };
const requests = { tool: "browser_network_requests", input: { static: false, filter: "/api/login" } };
const errors = { tool: "browser_console_messages", input: { level: "error" } };

const open: readonly Step[] = [
  look("The shop as visitors get it: built, and served beside me.", [
    bash("npx vite build --logLevel warn"),
    { tool: "Bash", input: { command: "npm run -s preview", background: true } },
  ]),
  findTools("Where is it? And of the browser that is connected, these tools are needed.", [
    "browser_navigate",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_wait_for",
    "browser_network_requests",
    "browser_console_messages",
    "browser_close",
  ]),
  browse("The catalogue, where visitors come in.", {
    needs: [printed(/The shop: (http:\/\/\S+?)\/?\s/, "the address of the shop is not in view")],
    calls: ([address]) => [
      { tool: "browser_navigate", input: { url: `${address}/` } },
      { tool: "browser_wait_for", input: { text: article } },
      snapshot(),
    ],
  }),
  browse("Something goes into the cart: it must still be there behind the login.", {
    needs: [element("button", addButton)],
    calls: ([ref]) => [click(addButton, ref)],
  }),
  browse("The header's new link leads to the login page.", {
    needs: [element("link", "Sign in")],
    calls: ([ref]) => [click("Sign in link", ref), snapshot("main")],
  }),
];

const signIn: readonly Step[] = [
  browse("What the validation says, before anything is sent.", {
    needs: [email],
    calls: ([ref]) => [typed("Email", ref, "ada@example", true), snapshot("main")],
  }),
  browse("Both messages are there. A real address now, and a password that is wrong.", {
    needs: [seen("This does not look like an email address."), seen("Enter your password."), email, password],
    calls: ([, , address, word]) => [
      typed("Email", address, "ada@example.org", false),
      typed("Password", word, "wrong horse", true),
      refused,
    ],
  }),
  browse("The refusal is said. The right password.", {
    needs: [seen(wrong, refused), password],
    calls: ([, ref]) => [typed("Password", ref, "correct horse", true), greeted],
  }),
  browse("The greeting is there. Is the cart as it was?", {
    needs: [seen(visitor, greeted)],
    calls: () => [snapshot("header")],
  }),
  browse("It is. What went to the server, and what says the console?", {
    needs: [seen('link "Cart, 1 item"', snapshot("header"))],
    calls: () => [requests, errors],
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

/** A page with a form. */
const page: Task = {
  id: "page",
  message:
    `Add a login page with validation and an API call to this shop. The route is /login; the tests in tests/login.test.tsx say what it ` +
    "has to do. Keep to the conventions of the project.",
  steps: [...start, ...loginExplore, ...build],
  summary: testSummary("the login page is in place"),
};

/** The page as a visitor sees it. */
const visit: Task = {
  id: "visit",
  message:
    "Now verify it in the browser that is connected. `npm run preview` serves what was built; ada@example.org has an account " +
    `there, with the password "correct horse". Put ${article} into the cart first: signing in must not lose it.`,
  steps: [...open, ...signIn],
  summary: (view) => `Done: in the browser the login page does what it should. ${account(view)}`,
};

/** What is asked of the shop by somebody who has a browser connected. */
export const browserTasks: readonly [Task, ...Task[]] = [page, visit];

/** What a visitor was seen to get, as far as the conversation still says so. */
function account(view: View): string {
  const said = view.turns.map(({ text }) => text).join("\n");
  const seenThere = ["Both messages are there", "The greeting is there", "The link is back"].filter((what) =>
    said.includes(what),
  );
  return `${seenThere.length} of 3 things looked for were there.`;
}

function click(what: string, target: string | undefined): BrowserCall {
  return { tool: "browser_click", input: { element: what, target } };
}

function typed(what: string, target: string | undefined, text: string, submit: boolean): BrowserCall {
  return { tool: "browser_type", input: { element: what, target, text, submit } };
}
