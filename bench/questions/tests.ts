import { errorLine, failingTest, placeIn } from "./failing.ts";
import { count, first, firsts, kinds, largest, last, lasts, list, type Question, where, whether } from "./question.ts";

const summary =
  /^(?:=+ )?(?:\d+ (?:failed|passed)[^\n]*|Ran \d+ tests? [^\n]*|FAILED \([^\n]*|Tests:? +[^\n]*|[^\n]*test result: [^\n]*|\[\w+\] Tests run: [^\n]*|\s*tests finished: [^\n]*)/;
const passing =
  /^(?:PASSED (\S+)|(\S+::\S+) PASSED|\s*--- PASS: (\S+)|\(pass\) (.+?)(?: \[|$)|ok \d+ (?:- )?(.+)|\s*[✓✔] (.+)|(\S+ \([\w.]+\)) \.\.\. ok)/;

/** Test runs, of whatever runner. */
export const tests: readonly Question[] = [
  ...firsts("a failing test", failingTest, 5),
  ...lasts("a failing test", failingTest, 3),
  count("how many lines name a failing test", failingTest),
  kinds("how many tests fail", failingTest),
  list("all failing tests", failingTest),
  whether("whether a test fails", failingTest),
  where("the line of the first failing test", failingTest),
  last("the summary", summary),
  last("how many failed, as the run says", /(\d+) (?:failed|failures?)\b|(?:failures|Failures|failed)[=:] ?(\d+)/),
  last("how many passed, as the run says", /(\d+) (?:passed|pass)\b/),
  last("how many tests there are, as the run says", /(?:collected|Ran|Tests run:|running) (\d+)/),
  last("how long it took", /\b(?:in|Time:|took|Duration) +([\d.]+ ?m?s(?:ec(?:onds)?)?)\b/),
  first("the first test that passes", passing),
  count("how many lines name a passing test", passing),
  count("how many are skipped", /\bSKIP(?:PED)?\b|\.\.\. skipped|\bskipped\b/),
  first("the first thing that was expected", /^(?:E +assert|\s*(?:Expected|expected):?) ?(.+)$/),
  ...firsts("an error", errorLine, 3),
  last("the last place", placeIn),
  first("what runs the tests", /^(?:platform .*|.*\b(?:pytest|vitest|jest|bun test|go test|cargo test|surefire)\b.*)$/),
  first("the first file of tests", /((?:[\w@.-]+\/)*[\w.-]*(?:test|spec)[\w.-]*\.\w{1,5})/i),
  kinds("how many files of tests", /((?:[\w@.-]+\/)*[\w.-]*(?:test|spec)[\w.-]*\.\w{1,5})/i),
  largest("the longest of the times", /[([](\d+\.\d+) ?s(?:econds)?[)\]]/),
  count("how many warnings", /\b\w*[Ww]arning\b/),
];
