import { expect, test } from "vitest";
import { firstForm } from "../../src/digest/first-form.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";

/** A shop's page: each article once in every colour, so that no word of a name is rare. */
const things = ["Ember Stove", "Ember Kettle", "Ridge Stove", "Ridge Tent", "Owl Lamp", "Owl Tent"];
const colours = ["moss", "slate", "rust", "sand", "night", "birch", "heather", "clay", "stone", "snow"];
const names = things.flatMap((thing) => colours.map((colour) => `${thing}, ${colour}`));
const page = [
  "- main [ref=e1]:",
  ...names.flatMap((name, at) => [
    `  - listitem [ref=e${at * 10 + 10}]:`,
    `    - link "${name}" [ref=e${at * 10 + 11}] [cursor=pointer]:`,
    `      - /url: /product/${at}`,
    `    - paragraph [ref=e${at * 10 + 12}]: ${"What it is good for, and what it weighs. ".repeat(3)}`,
    `    - button "Add ${name} to the cart" [ref=e${at * 10 + 13}] [cursor=pointer]: Add to cart`,
  ]),
].join("\n");

const shown = (request: string) =>
  firstForm({
    tool: "mcp__pw__browser_snapshot",
    text: page,
    exitCode: null,
    form: "output",
    handle: handleOf(hashOf(page)),
    request,
  }).text;

test("what was said word for word is shown with its ref, and with what can be done with it, however common its words are", () => {
  const name = "Ridge Stove, sand";
  const at = names.indexOf(name);
  const form = shown(`Put ${name} into the cart first: signing in must not lose it.`);
  expect(form).toContain(`link "${name}" [ref=e${at * 10 + 11}]`);
  expect(form).toContain(`button "Add ${name} to the cart" [ref=e${at * 10 + 13}]`);
  expect(shown("Look at the page.")).not.toContain(`link "${name}"`);
});

test("a button that was named in full is shown, too", () => {
  const button = "Add Owl Lamp, clay to the cart";
  expect(shown(`Press "${button}".`)).toContain(`button "${button}" [ref=`);
});
