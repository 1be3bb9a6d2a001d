import { commonest, count, first, firsts, kinds, last, lasts, type Question, where, whether } from "./question.ts";

const node = /^\s*- '?([a-z]+(?: "[^"]*")?)/;
const link = /^\s*- '?link "([^"]*)"/;
const button = /^\s*- '?button "([^"]*)"/;

/** Accessibility trees of pages, as browser tools give them. */
export const snapshot: readonly Question[] = [
  first("the address", /Page URL: (\S+)/),
  first("the title", /Page Title: (.+)$/),
  first("how many errors the console has", /Console: (\d+) errors/),
  first("the code that ran", /^(await page\..+)$/),
  ...firsts("a heading", /heading "([^"]*)"/, 3),
  last("the last heading", /heading "([^"]*)"/),
  count("how many headings", /heading "/),
  ...firsts("a link", link, 3),
  ...lasts("a link", link, 1),
  count("how many links", link),
  ...firsts("a button", button, 3),
  last("the last button", button),
  count("how many buttons", button),
  first("the first text field", /textbox "([^"]*)"/),
  count("how many text fields", /textbox\b/),
  count("how many nodes", node),
  commonest("the commonest role", /^\s*- '?([a-z]+)\b/),
  kinds("how many roles", /^\s*- '?([a-z]+)\b/),
  first("the first reference", /\[ref=(\w+)\]/),
  last("the last reference", /\[ref=(\w+)\]/),
  first("what is active", /^\s*- '?(.*) \[active\]/),
  where("where the tree begins", /^- /),
  whether("whether a box is checked", /\[checked\]/),
];
