/** Does this line of a command's output report a failure? Such lines are shown however long the output is. */
export function reportsFailure(line: string): boolean {
  const start = line.length > looked ? line.slice(0, looked) : line;
  return failure.test(start) && (!zero.test(start) || failure.test(start.replace(zeroes, "")));
}

const looked = 1_000;

/** Words by which compilers, test runners and shells report. `error` may be the end of a name: `TypeError`. */
const failure =
  /(?:error|exception|failure)s?(?![a-z])|\b(?:fail|fails|failed|failing|fatal|panic|panicked|traceback|assertion|assert|aborted|denied|refused|unhandled|uncaught|not ok|not found|no such file|cannot|undefined reference|segmentation fault|core dumped|timed out|unresolved|unexpected)\b|[✗✘✖❌×]/i;

/** `0 errors`, `no failures`, `failed: 0`, `fail 0`: reports of success. */
const zeroes =
  /\b(?:0|no) (?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed|fail)\b[:=]? ?0\b/gi;
const zero = new RegExp(zeroes.source, "i");
