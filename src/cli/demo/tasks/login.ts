import { look, read, run } from "../moves.ts";
import type { Step, Task } from "../plan.ts";
import { addressFix, testSummary } from "../test-output.ts";
import {
  loginClient,
  loginExplore,
  loginFiles,
  loginFinish,
  loginInApp,
  loginInHeader,
  loginRoute,
  loginStart,
  loginTypes,
} from "./login-parts.ts";

const build: readonly Step[] = [
  ...loginTypes,
  ...loginClient,
  ...loginFiles,
  run("The page is not reachable yet; what do its tests say so far?", "npx vitest run tests/login.test.tsx"),
  ...loginRoute,
  ...loginInApp,
  ...loginInHeader,
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
  steps: [...loginStart, ...loginExplore, ...build, ...verify],
  summary: testSummary("the login page is in place"),
};
