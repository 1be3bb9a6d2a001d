import { placeIn } from "./failing.ts";
import { behind, count, first, firsts, kinds, lasts, list, type Question, where, whether } from "./question.ts";

const thrown =
  /^(?:Caused by: |Uncaught |Exception in thread "[^"]*" |\s*)?([\w.$]*(?:Error|Exception|Panic)\b(?:: .*)?)$/;
const frame = /^\s+at (.+)$|^\s*File "[^"]+", line \d+, in (.+)$|^(?:goroutine \d+ .*|\S+\([^)]*\))$|^\s+\d+: +(\S+)$/;

/** Stack traces. */
export const trace: readonly Question[] = [
  ...firsts("what was thrown", thrown, 2),
  ...lasts("what was thrown", thrown, 2),
  count("how often something was thrown", thrown),
  kinds("how many different things were thrown", thrown),
  ...firsts("a frame", frame, 3),
  ...lasts("a frame", frame, 2),
  count("how many frames", frame),
  ...firsts("a place", placeIn, 3),
  ...lasts("a place", placeIn, 2),
  list("all places", placeIn),
  kinds("how many files", (line) => placeIn(line)?.replace(/[:(].*$/, "") ?? null),
  count("how many frames are the platform's", /node:internal|site-packages|\/usr\/lib|java\.base/),
  first("the first frame that is not the platform's", /^\s+at (?!.*node:)(.+)$/),
  first("the cause", /^\s*(?:Caused by|\[cause\]): (.+)$/),
  where("the line of what was thrown", thrown),
  behind("what stands behind it", thrown),
  first("the code", /\bcode: '?([\w]+)'?/),
  whether("whether something was not caught", /\b(?:Uncaught|Unhandled|unhandled)\b/),
];
