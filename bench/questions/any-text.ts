import { errorLine, placeIn } from "./failing.ts";
import {
  commonest,
  first,
  firsts,
  kinds,
  last,
  lineFromEnd,
  lineNumber,
  type Question,
  where,
  whether,
} from "./question.ts";

/** What one can ask any result, beside the questions of its own type. */
export const anyText: readonly Question[] = [
  { name: "how many lines", answer: ({ total }) => (total.lines === null ? null : String(total.lines)) },
  { name: "how many characters", answer: ({ total }) => (total.chars === null ? null : String(total.chars)) },
  { name: "the exit code", answer: ({ exitCode }) => (exitCode === null ? null : String(exitCode)) },
  ...[1, 2, 3, 5, 10, 20, 50, 100].map(lineNumber),
  ...[1, 2, 3, 5, 10].map(lineFromEnd),
  first("the first error", errorLine),
  last("the last error", errorLine),
  where("the line of the first error", errorLine),
  whether("whether there is an error", errorLine),
  ...firsts("a place", placeIn, 3),
  last("the last place", placeIn),
  kinds("how many different places", placeIn),
  first("the first address", /https?:\/\/[^\s"'<>)\]]+/),
  kinds("how many different lines", /^.*\S.*$/),
  commonest("the commonest line", /^.*\S.*$/),
  whether("whether a line is empty", /^\s*$/),
];
