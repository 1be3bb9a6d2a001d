import { errorLine, placeIn } from "./failing.ts";
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
  where,
  whether,
} from "./question.ts";

const warning = /^.*\b(?:warning|warn|WARN|Warning)\b.*$/;
const rule = /(?:\berror (TS\d+)|\b(lint\/\w+\/\w+)|\((\w+)\)$| {2,}([\w@-]+\/[\w/-]+)$|\[(\w\d+)\]|\b(E\d{4})\b)/;

/** Compilers, linters, bundlers, package managers. */
export const build: readonly Question[] = [
  ...firsts("an error", errorLine, 3),
  ...lasts("an error", errorLine, 2),
  count("how many errors", errorLine),
  where("the line of the first error", errorLine),
  ...firsts("a place", placeIn, 4),
  kinds("how many places", placeIn),
  list("all places", placeIn),
  first("the first warning", warning),
  count("how many warnings", warning),
  first("the first rule", rule),
  commonest("the commonest rule", rule),
  kinds("how many rules", rule),
  last("how many problems, as it says", /(?:Found |^)(\d+) (?:errors?|problems?|issues?|warnings?)\b/),
  last("how many files, as it says", /Checked (\d+) files|(\d+) files? (?:changed|checked|reformatted)/),
  first("the first command", /^(?:\$|>|\+) (.+)$/),
  count("how many commands", /^(?:\$|>|\+) \S/),
  last("the last command", /^(?:\$|>|\+) (.+)$/),
  last("how long it took", /\b(?:in|Finished in|Done in|took) ([\d.]+ ?m?s)\b/),
  largest("the largest size in KB", /([\d.]+) ?[kK]i?B\b/),
  whether(
    "whether it succeeded, as it says",
    /\b(?:success|succeeded|BUILD SUCCESS|No fixes applied|Build complete)\b/i,
  ),
  whether("whether it failed, as it says", /\b(?:failed|BUILD FAILURE|ERROR task failed|exited with code [1-9])\b/i),
];
