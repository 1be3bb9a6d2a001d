import { look, read, run } from "../moves.ts";
import type { Step, Task } from "../plan.ts";
import { addressFix, testSummary } from "../test-output.ts";
import { loginFiles, loginFinish, loginServer, loginWiring } from "./login-parts.ts";

const explore: readonly Step[] = [
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

const build: readonly Step[] = [
  ...loginServer,
  ...loginFiles,
  run("The page is not reachable yet; what do its tests say so far?", "npx vitest run tests/login.test.tsx"),
  ...loginWiring,
];

const verify: readonly Step[] = [
  run("Now the tests of the login page.", "npx vitest run tests/login.test.tsx"),
  addressFix("src/login/validateLogin.ts", "tests/login.test.tsx"),
  run("The login page's tests again.", "npx vitest run tests/login.test.tsx"),
  ...loginFinish,
  run(
    "Everything that was there before, and the new page, every test by name.",
    "npx vitest run login shop cart api --reporter=verbose",
  ),
  run("Does it build?", "npx vite build --logLevel warn"),
  look("A last look at what the next reader will see.", [
    read("src/App.tsx", 1, 90),
    read("src/components/Header.tsx", 1, 70),
  ]),
];

/** A page with a form, and who is signed in. */
export const login: Task = {
  id: "login",
  message:
    "Add a login page with validation and an API call to this shop, and verify it. The route is /login; the tests in " +
    "tests/login.test.tsx say what it has to do. Keep to the conventions of the project.",
  steps: [...explore, ...build, ...verify],
  summary: testSummary("the login page is in place"),
};
