import { cleaned } from "./clean.ts";
import { holdsFailureWord } from "./failure-scan.ts";

/**
 * Of a line of a command's output: whether it says outright what failed (a test by its name, an error of a tool; such are
 * never left out for economy), has only a word of failure, or neither. Of a very long line the beginning decides.
 */
export function failureOf(line: string): "report" | "word" | null {
  const start = line.slice(0, lookedChars);
  const hasWord = holdsFailureWord(start);
  if ((hasWord || hasForm.test(start)) && isReport(start)) return "report";
  return hasWord && wordFrom(start, 0) ? "word" : null;
}

/** Reports that are known by their form. */
const hasForm = /^_|^\s*\d+\) |:\d+: /;

function isReport(start: string): boolean {
  if (namesFailed(start) && !hasPassed(start)) return true;
  return error.test(start) && !nothing.test(start);
}

function namesFailed(start: string): boolean {
  return failedTest.test(start) || start.endsWith("(Failed)"); // CTest
}

/** As test runners name a test that failed: by how the line begins, so that others are known at once. */
const failedTest = new RegExp(
  [
    "^(?:FAILED|ERROR) \\S*::", // pytest, summary
    "^\\S+::\\S+ (?:FAILED|ERROR)\\b", // pytest -v
    "^(?:FAIL|ERROR): \\S", // unittest
    "^\\s*--- FAIL: ", // Go
    "^\\(fail\\) ", // Bun
    "^\\s*not ok \\d+", // TAP
    "^\\s*[✗✘✕×✖] \\S", // Vitest, Jest, Mocha, Node
    "^\\s*● \\S", // Jest
    "^\\s*FAIL {1,2}\\S", // Vitest, Jest
    "^test \\S+ \\.\\.\\. FAILED", // Cargo
    "^\\[ {2}FAILED {2}\\] ", // GoogleTest
    "^_+ \\S+\\.py:\\S+ _+$", // SymPy
    "^_{3,} \\S.* _{3,}$", // pytest, detail
    "^rspec \\S+:\\d+", // RSpec
    "^\\s*Failed \\S+ \\[", // .NET
    "^\\d+\\) \\w\\S*::\\S+$", // PHPUnit
    "^\\s*\\d+\\) \\S", // Mocha, detail
  ].join("|"),
);

/** As compilers and runtimes write errors, with or without the place in front. */
const error =
  /^(?:E {2,}\S|\s*(?:error|fatal|panic|FATAL|ERROR|Error)\b ?[:[]|\[ERROR\] +\S)|: (?:fatal )?error\b|\b[A-Z]\w*(?:Error|Exception)\b(?:$|:)|\berror (?:TS|E|CS)\d+|^\S+:\d+(?::\d+)?: (?:undefined|cannot|not enough|too many|syntax error|expected|invalid)/;
const nothing = /\b(?:0|no) errors?\b|: 0\b/i;

/**
 * Whether a line has a word of failure and is no report of success: of a line as it was printed, in which nothing in front of
 * `at` is such a word.
 */
export function reportsFrom(printed: string, at: number): boolean {
  const line = cleaned(printed);
  return wordFrom(line.slice(0, lookedChars), line.length === printed.length ? at - wordChars : 0);
}

export const lookedChars = 1_000;
/** From the beginning of what is looked for to what it is found by. */
const wordChars = 16;

function wordFrom(start: string, at: number): boolean {
  failure.lastIndex = Math.max(0, at);
  if (!failure.test(start) || hasPassed(start)) return false;
  return !(start.includes("0") || no.test(start)) || !zero.test(start) || reads(start.replace(zeroes, ""));
}

function reads(line: string): boolean {
  failure.lastIndex = 0;
  return failure.test(line);
}

/** Words by which compilers, test runners and shells report. `error` may be the end of a name: `TypeError`. */
const words = [
  "fail|fails|failed|failing|fatal|panic|panicked|traceback|assertion|assert|aborted|killed|terminated|crashed|denied",
  "refused|rejected|unhandled|uncaught|not ok|not found|no such file|cannot|can't|could not|couldn't|unable to",
  "undefined reference|segmentation fault|core dumped|timed out|deadlock|data race|out of memory|caused by",
  "unresolved|unexpected|invalid|illegal|violation|overflow|stack smashing|merge conflict|err|StopIteration",
  "SIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)|non-?zero|exit(?:ed with)? (?:status|code):? [1-9]",
];
/** The same in other languages; their letters have no word boundary for a pattern without the `u` flag. */
const foreign =
  "fehler|fehlgeschlagen|erreur|échec|échou|errore\\b|fallo\\b|falló|falha|erro:|błąd|ошибк|не удалось|помилк|错误|錯誤|失败|失敗|异常|異常|エラー|例外|오류|실패";
const failure = new RegExp(
  `(?:error|exception|failure|interrupt)s?(?![a-z])|\\b(?:${words.join("|")})\\b|ERR_|${foreign}|(?<=^[ \\t]*)Expected:|^E {2,}\\S|^rspec |[✗✘✖❌✕×●]`,
  "gi",
);

/** How test runners say that a test has passed: its name may speak of errors. */
function hasPassed(line: string): boolean {
  const text = line.trim();
  return (passStarts.includes(text.charAt(0)) || passEnds.includes(text.charAt(text.length - 1))) && passed.test(text);
}

/** Where `passed` begins and ends: most lines are spared it. */
const passStarts = "o✓✔√P=-[";
const passEnds = "kD]c";
const passed =
  /^(?:ok\b|[✓✔√]|PASS(?:ED)?\b|=== (?:RUN|PAUSE|CONT)|--- PASS|\[ +(?:OK|RUN|PASSED) +\])|(?:\.\.\. ok|\bPASSED(?: +\[ *\d+%\])?|\.{3,} *Passed +[\d.]+ sec)$/;

/** `0 errors`, `no failures`, `failed: 0`, `fail 0`: reports of success. */
const zeroes =
  /\b(?:0|no) (?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed|fail)\b[:=]? ?0\b/gi;
const no = /no /i;
const zero = new RegExp(zeroes.source, "i");
