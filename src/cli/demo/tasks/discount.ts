/** What the demo's user asks for. */
export const loginTask =
  "Add a login page with validation and an API call to this shop, and verify it. The route is /login; the tests in " +
  "tests/login.test.tsx say what it has to do. Keep to the conventions of the project.";

export const shortTask = "The check in check.mjs fails. Make `node check.mjs` pass without changing check.mjs.";
