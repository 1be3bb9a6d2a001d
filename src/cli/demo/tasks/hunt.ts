import { followUp, groupIn, searchOutput } from "../evidence.ts";
import { bash, edit, line, lines, look, read, run } from "../moves.ts";
import type { PlannedCall, Step, Task } from "../plan.ts";
import { testSummary } from "../test-output.ts";
import { nextVisitorTests, openEvents, openOrders, refusedTests, tally, traffic } from "./hunt-code.ts";

const log = "logs/day.log";

function search(pattern: string, more: Readonly<Record<string, unknown>> = {}): PlannedCall {
  return { tool: "Grep", input: { pattern, path: log, ...more } };
}

const ofOrder = (order: string) => search(`order=${order}( |$)`);
const firstOpen: PlannedCall = bash("head -12 logs/open.txt");
const timeouts = search("payment\\.timeout", { limit: 5 });
const shortages = search("stock\\.short", { limit: 40 });

const trail: readonly Step[] = [
  run("First the day itself, on the screen and into a file.", traffic),
  searchOutput("Every time the desk said that there is too little.", traffic, "stock.short", shortages),
  run("What happens how often on such a day?", tally),
  followUp(
    "Pieces lie on the shelf, but all of them are held. Who holds this product?",
    {
      find: groupIn(/stock\.short order=\S+ product=(\S+) shelf=[1-9]/g),
      source: shortages,
      follow: (product) => [search(`stock\\.\\w+ .*product=${product}( |$)`, { limit: 60 })],
    },
    "Holds are meant to last for seconds. If they pile up, some of them never end.",
  ),
  run("Which orders hold pieces that were never taken and never given back?", openOrders(log)),
  followUp("The story of the first of them.", {
    find: groupIn(/^order=(o-\d+)$/gm),
    source: firstOpen,
    follow: (order) => [ofOrder(order)],
  }),
  followUp("What stood around its end?", {
    find: groupIn(/day\.log:(\d+):\S+ \w+ +payment\.refused/g),
    source: search("payment\\.refused", { limit: 5 }),
    follow: (number) => [read(log, Math.max(1, Number(number) - 6), Number(number) + 8)],
  }),
  followUp("One swallow makes no summer: another of them.", {
    find: groupIn(/^order=(o-\d+)$/gm, 4),
    source: firstOpen,
    follow: (order) => [ofOrder(order)],
  }),
  run("And all of them together: what happened to the orders that never ended?", openEvents),
  look("Other payments fail too: the service does not always answer.", [timeouts]),
  followUp(
    "What becomes of such an order?",
    {
      find: groupIn(/payment\.timeout order=(o-\d+)/g),
      source: timeouts,
      follow: (order) => [ofOrder(order)],
    },
    "If these give their pieces back and the refused ones do not, the difference is in how the desk leaves.",
  ),
];

const cause: readonly Step[] = [
  look("A payment that is not answered releases, one that is refused does not. Now the code.", [
    { tool: "Glob", input: { pattern: "{server,scripts}/**/*.ts" } },
    { tool: "Grep", input: { pattern: "\\b(hold|release|take)\\(", path: "server" } },
  ]),
  look("The desk and the stock.", [read("server/orders.ts", 1, 90), read("server/stock.ts", 1, 80)]),
  look("What the tests say about it, and about the sentence for the visitor.", [
    read("tests/orders.test.ts", 1, 80),
    read("tests/api.test.ts", 1, 80),
    read("src/api.ts", 1, 120),
  ]),
];

const mend: readonly Step[] = [
  edit(
    "The refusal returns out of the middle and leaves the hold behind. First a test that shows it.",
    {
      path: "tests/orders.test.ts",
      present: "a refused payment gives the pieces back",
      change: lines(
        /^ {2}test\("a payment service that does not answer.*\n(?: {4}.*\n)+ {2}\}\);\n/m,
        (old) => old + refusedTests,
      ),
    },
    "The catch releases, the early return does not: it never gets there.",
  ),
  run("It fails for the right reason?", "npx vitest run tests/orders.test.ts"),
  edit("The refusal gives back what it held.", {
    path: "server/orders.ts",
    present: '=== "refused") {',
    change: line(
      (text) => text.includes('=== "refused") return refuse(id, 402'),
      (old) => {
        const [, condition = "", answer = ""] = /^ *(if .*"refused"\)) (return .*)$/.exec(old) ?? [];
        return [`      ${condition} {`, "        stock.release(id);", `        ${answer}`, "      }"];
      },
    ),
  }),
  run("Green?", "npx vitest run tests/orders.test.ts"),
  edit("And as the next visitor sees it.", {
    path: "tests/orders.test.ts",
    present: "whoever comes after a refused payment",
    change: lines(/^ {2}test\("a refused payment gives.*\n(?: {4}.*\n)+ {2}\}\);\n/m, (old) => old + nextVisitorTests),
  }),
  edit("The sentence for a refused payment: a test first.", {
    path: "tests/api.test.ts",
    present: "new ApiError(402,",
    change: line(
      (text) => text.includes("new ApiError(404,"),
      (old) => [old.replace("404", "402").replace(/message: .*\/ /, "message: /payment was refused/ "), old],
    ),
  }),
  run("What does a visitor read today?", "npx vitest run tests/api.test.ts"),
  edit("Now the sentence.", {
    path: "src/api.ts",
    present: "error.status === 402",
    change: line(
      (text) => text.includes("if (error.status === 404)"),
      (old) => [
        '  if (error.status === 402) return "The payment was refused. Nothing was ordered; try another card.";',
        old,
      ],
    ),
  }),
  run("Both files.", "npx vitest run tests/api.test.ts tests/orders.test.ts"),
];

const verify: readonly Step[] = [
  run(
    "The same day once more, with the desk as it is now.",
    "npm run -s traffic > logs/after.log && wc -l logs/day.log logs/after.log",
  ),
  run("Does any order still hold what it should not?", openOrders("logs/after.log")),
  look("What is short now is short because the shelf is empty?", [
    { tool: "Grep", input: { pattern: "stock\\.short .* held=[1-9]", path: "logs/after.log" } },
    { tool: "Grep", input: { pattern: "stock\\.short .* held=0", path: "logs/after.log", mode: "count" } },
    { tool: "Grep", input: { pattern: "order\\.placed", path: "logs", mode: "count" } },
  ]),
  edit("The README says what a hold may not do.", {
    path: "README.md",
    present: "A hold ends with its order",
    change: lines(/^ {2}Everything it does is a line of its log.*\n/m, (old) =>
      old.replace("Everything", "A hold ends with its order, whatever the payment says. Everything"),
    ),
  }),
  run("The logs were for me.", "rm -rf logs"),
  run("The whole suite, every test by name.", "npx vitest run --reporter=verbose"),
  run("Does it build?", "npx vite build --logLevel warn"),
  look("A last look at the way through the desk.", [read("server/orders.ts", 20, 65)]),
];

/** A bug whose cause stands in several thousand lines of a log. */
export const hunt: Task = {
  id: "hunt",
  message:
    "Visitors are told that things are sold out which lie on our shelves. `npm run -s traffic` plays a day against the " +
    "order desk and prints its log, several thousand lines. Find the cause in the log, then mend it, with a test that " +
    "fails before. And who is refused a payment should read that, not that something went wrong on our side.",
  steps: [...trail, ...cause, ...mend, ...verify],
  summary: testSummary("a refused payment gives its pieces back, and says so"),
};
