import {
  commonest,
  count,
  first,
  firsts,
  kinds,
  largest,
  last,
  lasts,
  list,
  type Question,
  total,
  whether,
} from "./question.ts";

const path = /^(?:[-dlrwxst@+.]{9,12}\s+\d+\s+.*\d\d:?\d\d\s+|[│├└─ ]*)?((?:\.{0,2}\/)?[\w@.+-]+(?:\/[\w@.+-]+)*\/?)$/;
const size = /^[-dlrwxst@+.]{9,12}\s+\d+\s+\S+\s+\S+\s+(\d+)\s/;

/** Files and folders, one a line. */
export const listing: readonly Question[] = [
  ...firsts("an entry", path, 5),
  ...lasts("an entry", path, 3),
  count("how many entries", path),
  list("all entries", path),
  kinds("how many kinds of files", /\.(\w{1,8})$/),
  commonest("the commonest kind of file", /\.(\w{1,8})$/),
  count("how many tests", /(?:test|spec)[\w.-]*\.\w{1,5}$/),
  first("the first test", /(\S*(?:test|spec)[\w.-]*\.\w{1,5})$/),
  count("how many folders", /^d[rwxst-]{9}|\/$/),
  first("the first folder", /^d[rwxst-]{9}.*\s(\S+)$|^(\S+\/)$/),
  commonest("the folder with the most entries", /^(\S+)\/[^/]+$/),
  largest("the largest size", size),
  total("all sizes together", size),
  first("the first size", size),
  first("the total, as it says", /^total (\d+)/),
  first("the first date", /\s([A-Z][a-z]{2} +\d+ [\d:]+|\d{4}-\d\d-\d\d)\s/),
  last("the last date", /\s([A-Z][a-z]{2} +\d+ [\d:]+|\d{4}-\d\d-\d\d)\s/),
  first("the first link", /-> (.+)$/),
  whether("whether it is cut off, as it says", /truncated|more files/i),
];
