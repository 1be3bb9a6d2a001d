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

const commit = /^(?:[*|/\\ ]*)(?:commit )?([0-9a-f]{7,40})\b/;
const subject = /^(?:[*|/\\ ]*)[0-9a-f]{7,40} (?:\([^)]*\) )?(.+)$/;
const changed = /^\s+((?:modified|new file|deleted|renamed|both modified): .+)$/;

/** What git says of commits and of the state of a folder. */
export const history: readonly Question[] = [
  ...firsts("a commit", commit, 3),
  ...lasts("a commit", commit, 2),
  count("how many commits", commit),
  ...firsts("a subject", subject, 3),
  last("the last subject", subject),
  commonest("the commonest kind of commit", /^[*|/\\ ]*[0-9a-f]{7,40} (?:\([^)]*\) )?(\w+)(?:\([^)]*\))?:/),
  first("the branch", /^(?:On branch |## |\* )(\S+?)(?:\.\.\.|$| )/),
  first("how far ahead", /ahead (?:of '[^']+' by )?(\d+)/),
  ...firsts("a changed file", changed, 3),
  last("the last changed file", changed),
  count("how many changed files", changed),
  list("all changed files", changed),
  count("how many files are untracked", /^(?:\t(?!modified|new file|deleted|renamed|both)\S+|\?\? \S+)$/),
  first("the first author", /^Author: +(.+)$/),
  kinds("how many authors", /^Author: +(.+)$/),
  first("the first date", /^Date: +(.+)$/),
  last("the last date", /^Date: +(.+)$/),
  first("how many lines were inserted, as it says", /(\d+) insertions?\(\+\)/),
  where("the line of the first change", changed),
  count("how many merges", /\b[Mm]erge\b/),
  whether("whether the folder is clean", /nothing to commit, working tree clean/),
];
