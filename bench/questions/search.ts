import {
  commonest,
  count,
  first,
  firsts,
  kinds,
  last,
  lasts,
  list,
  type Question,
  where,
  whether,
} from "./question.ts";

const file = /^((?:\.{0,2}\/)?[\w@./ -]*?[\w@-]+\.\w{1,8})[:-]\d+[:-]/;
const hit = /^((?:\.{0,2}\/)?[\w@./ -]*?[\w@-]+\.\w{1,8}:\d+):/;
const text = /^(?:\.{0,2}\/)?[\w@./ -]*?[\w@-]+\.\w{1,8}:\d+:(?:\d+:)?\s*(.*\S)/;

/** Searches whose lines name a file and a line. */
export const search: readonly Question[] = [
  ...firsts("a hit", hit, 5),
  ...lasts("a hit", hit, 3),
  count("how many hits", hit),
  first("the first file", file),
  last("the last file", file),
  kinds("how many files", file),
  commonest("the file with the most hits", file),
  list("all hits", hit),
  ...firsts("the text of a hit", text, 3),
  last("the text of the last hit", text),
  kinds("how many different texts", text),
  where("the line of the first hit", hit),
  count("how many lines around hits", /^(?:\.{0,2}\/)?[\w@./ -]*?[\w@-]+\.\w{1,8}-\d+-/),
  commonest("the commonest kind of file", /^[\w@./ -]*?[\w@-]+\.(\w{1,8}):\d+:/),
  kinds("how many kinds of files", /^[\w@./ -]*?[\w@-]+\.(\w{1,8}):\d+:/),
  commonest("the commonest folder", /^([\w@./ -]*)\/[\w@.-]+\.\w{1,8}:\d+:/),
  whether("whether a test is among them", /^\S*(?:test|spec)\S*:\d+:/),
  whether("whether it says that there is more", /truncated|more (?:matches|results)|limit/i),
];
