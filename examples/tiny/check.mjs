import { pieces, total } from "./src/cart.mjs";
import { money } from "./src/money.mjs";

const apples = { name: "apples", price: 250, quantity: 3 };
const honey = { name: "honey", price: 900, quantity: 1 };
const { discount } = await import("./src/discount.mjs").catch(() => ({ discount: () => "no src/discount.mjs" }));

const checks = [
  ["an amount has two digits behind the point", () => money(1205), "12.05"],
  ["whole amounts too", () => money(900), "9.00"],
  ["lines are summed", () => total([apples, honey]), 1650],
  ["pieces are counted", () => pieces([apples, honey]), 4],
  ["below 20.00 there is no discount", () => discount(1650), 0],
  ["from 20.00 on it is a tenth, rounded down to whole cents", () => discount(2399), 239],
  ["the total takes it off", () => total([apples, honey, honey]), 2295],
  ["an empty cart costs nothing", () => total([]), 0],
];

let failed = 0;
for (const [name, run, want] of checks) {
  const got = run();
  if (got === want) console.log(`ok   ${name}`);
  else {
    failed += 1;
    console.log(`FAIL ${name}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
  }
}
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
