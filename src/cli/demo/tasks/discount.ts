import { create, edit, lines, look, read, run } from "../moves.ts";
import type { Step, Task } from "../plan.ts";

const code = `/** What is taken off a sum, in cents: a tenth from 20.00 on, rounded down. */
export function discount(sum) {
  return sum < 2000 ? 0 : Math.floor(sum / 10);
}
`;

const steps: readonly Step[] = [
  look("What is here, and what does the check want?", [
    { tool: "Glob", input: { pattern: "**/*" } },
    read("check.mjs", 1, 60),
    read("README.md", 1, 30),
  ]),
  run("How does it fail?", "node check.mjs"),
  look("The two modules it checks.", [read("src/cart.mjs", 1, 40), read("src/money.mjs", 1, 40)]),
  create("The module that is missing.", "src/discount.mjs", code),
  edit("The cart imports it.", {
    path: "src/cart.mjs",
    present: 'import { discount } from "./discount.mjs";',
    change: lines(/^\/\*\* Sum of the lines.*\n/m, (old) => `import { discount } from "./discount.mjs";\n\n${old}`),
  }),
  edit("The total takes the discount off.", {
    path: "src/cart.mjs",
    present: "sum - discount(sum)",
    change: lines(
      /^ {2}return lines\.reduce\(\(sum, line\) => sum \+ line\.price.*\n/m,
      (old) =>
        `${old.replace("return", "const sum =").replace("(sum, line) => sum +", "(before, line) => before +")}  return sum - discount(sum);\n`,
    ),
  }),
  edit("Amounts always have two digits behind the point.", {
    path: "src/money.mjs",
    present: "padStart(2",
    change: lines(/^ {2}const rest = .*\n/m, (old) =>
      old.replace("cents % 100", 'String(cents % 100).padStart(2, "0")'),
    ),
  }),
  run("Is it green?", "node check.mjs"),
  edit("The README names the new module.", {
    path: "README.md",
    present: "`src/discount.mjs`",
    change: lines(/^- `src\/cart\.mjs`.*\n/m, (old) => `${old}- \`src/discount.mjs\`: what is taken off a sum\n`),
  }),
  look("A last look.", [read("src/cart.mjs", 1, 40)]),
];

/** A short piece of work for tests that end the program at any moment: no packages, no sample tests. */
export const discount: Task = {
  id: "discount",
  message: "The check in check.mjs fails. Make `node check.mjs` pass without changing check.mjs.",
  steps,
  summary: (view) => {
    const counts = view.turns.flatMap((turn) => turn.calls.map((call) => call.result?.text ?? ""));
    const last = counts.flatMap((text) => /\d+ passed, \d+ failed/.exec(text)?.[0] ?? []).at(-1);
    return `Done. The check says: ${last ?? "its last run is no longer in view"}.`;
  },
};
