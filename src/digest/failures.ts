import { bounds } from "../kernel/bounds.ts";
import { cleaned } from "./clean.ts";
import type { Lines } from "./line-index.ts";
import { wordScanner } from "./word-scan.ts";

/**
 * The lines of a command's output that report a failure, in the order in which they are worth keeping: the first ones,
 * which are often the cause, then the first of each further kind, so that one among thousands of a kind that merely sounds
 * like failure is seen, then the newest. The newest are looked for from the end, block by block; of an output made of
 * failures only the beginning is looked through for kinds.
 */
export function failureLines(text: string, lines: Lines): readonly number[] {
  const first: number[] = [];
  const ofKind: number[] = [];
  const kinds = new Set<number>();
  let looked = 0;
  for (const start of failuresIn(text, 0, text.length)) {
    const kind = kindOf(text, start);
    if (first.length < firstKept) first.push(start);
    else if (!kinds.has(kind)) ofKind.push(start);
    kinds.add(kind);
    if (++looked === bounds.failuresComparedMax || ofKind.length === kindsKept) break;
  }
  const last = first.at(-1);
  if (last === undefined || first.length < firstKept) return first.map(lines.lineAt);
  const newest: number[] = [];
  for (let to = text.length; to > last + 1 && newest.length < bounds.failuresMax; ) {
    const from = Math.max(text.lastIndexOf("\n", to - blockChars) + 1, last + 1);
    newest.push(...[...failuresIn(text, from, to)].reverse());
    to = from;
  }
  return [...new Set([...first, ...ofKind, ...newest.slice(0, bounds.failuresMax)])].map(lines.lineAt);
}

const firstKept = 3;
const kindsKept = 40;
const kindChars = 120;

/** A number for the plain words of a line: names, numbers, paths and times differ among lines of one kind. */
function kindOf(text: string, start: number): number {
  const end = Math.min(start + kindChars, text.length);
  let kind = 0;
  let word = 0;
  let isPlain = true;
  for (let at = start; at <= end; at++) {
    const unit = at === end ? newline : text.charCodeAt(at);
    if (unit === newline || unit === space || unit === tab) {
      if (isPlain && word !== 0) kind = (Math.imul(kind, 31) + word) | 0;
      if (unit === newline) break;
      word = 0;
      isPlain = true;
    } else {
      word = (Math.imul(word, 31) + unit) | 0;
      if (unit < 0x61 && notPlain[unit] === 1) isPlain = false;
    }
  }
  return kind;
}

const [newline, space, tab] = [0x0a, 0x20, 0x09];
const notPlain = Uint8Array.from({ length: 0x61 }, (_, unit) => Number(/[\d./_:\\-]/.test(String.fromCharCode(unit))));

const blockChars = 64 * 1024;

/** Starts of the lines that report a failure; `from` begins a line, or lies within one that is not meant. */
function* failuresIn(text: string, from: number, to: number): Iterable<number> {
  const block = text.slice(from, to);
  const next = { word: -1, mark: -1 };
  for (let at = 0; at < block.length; ) {
    // Each is looked for again only once it was passed: otherwise a rare one would be sought over and over.
    if (next.word < at) next.word = found(anyWord(block, at), block.length);
    if (next.mark < at) next.mark = markFrom(block, at);
    const hit = Math.min(next.word, next.mark);
    if (hit === block.length) return;
    // A word may begin with the line end in front of its line.
    const start = block.lastIndexOf("\n", block.charCodeAt(hit) === newline ? hit : hit - 1) + 1;
    const end = block.indexOf("\n", Math.max(hit, start));
    at = end < 0 ? block.length : end;
    const isPart = start === 0 && from > 0 && text.charCodeAt(from - 1) !== newline;
    if (!isPart && soundsLikeFailure(cleaned(block.slice(start, Math.min(at, start + looked * 4))))) yield from + start;
    if (at <= hit) at = hit + 1;
  }
}

function found(at: number, to: number): number {
  return at < 0 ? to : at;
}

/** The next mark; one at a time, since few texts have any. */
function markFrom(text: string, from: number): number {
  if (!wide.test(text)) return found(text.indexOf("×", from), text.length);
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd7 && marks.has(unit)) return at;
  }
  return text.length;
}

/** Without such a character a text is kept a byte to a character, and this is told at once. */
const wide = /[\u0100-\uffff]/;

/** A line that says outright what failed: a test by its name, an error of a tool. These are never left out for economy. */
export function isReport(line: string): boolean {
  const start = line.slice(0, looked);
  return (failedTest.test(start) && !passed.test(start)) || (error.test(start) && !nothing.test(start));
}

/** As test runners name a test that failed. */
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
    "\\(Failed\\)$", // CTest
    "^\\s*Failed \\S+ \\[", // .NET
    "^\\d+\\) \\w\\S*::\\S+$", // PHPUnit
    "^\\s*\\d+\\) \\S", // Mocha, detail
  ].join("|"),
);

/** As compilers and runtimes write errors, with or without the place in front. */
const error =
  /^(?:E {2,}\S|\s*(?:error|fatal|panic|FATAL|ERROR|Error)\b ?[:[]|\[ERROR\] +\S)|: (?:fatal )?error\b|\b[A-Z]\w*(?:Error|Exception)\b(?:$|:)|\berror (?:TS|E|CS)\d+|^\S+:\d+(?::\d+)?: (?:undefined|cannot|not enough|too many|syntax error|expected|invalid)/;
const nothing = /\b(?:0|no) errors?\b|: 0\b/i;

/** Whether a line has a word of failure, and is no report of success. */
export function soundsLikeFailure(line: string): boolean {
  const start = line.slice(0, looked);
  return failure.test(start) && reportsFailure(start);
}

/** A word of failure that is not part of a report of success. Of a very long line the beginning decides. */
function reportsFailure(line: string): boolean {
  const start = line.slice(0, looked);
  if (passed.test(start)) return false;
  return !zero.test(start) || failure.test(start.replace(zeroes, ""));
}

const looked = 1_000;

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
  `(?:error|exception|failure|interrupt)s?(?![a-z])|\\b(?:${words.join("|")})\\b|ERR_|${foreign}|^[ \\t]*Expected:|^E {2,}\\S|^rspec |[✗✘✖❌✕×●]`,
  "im",
);

/** A line that `failure` knows has one of these or a mark. Four letters at least: the longer, the quicker they are found. */
const anyWord = wordScanner([
  ..."error exception interrupt fatal panic traceback assert abort killed terminated crashed denied refused".split(" "),
  ..."rejected unhandled uncaught cannot can't couldn't segmentation dumped deadlock unresolved unexpected".split(" "),
  ..."invalid illegal violation overflow smashing conflict StopIteration SIGSEGV SIGABRT SIGBUS SIGILL SIGFPE".split(
    " ",
  ),
  ..."SIGKILL non-zero nonzero fails faile faili failu fail: (fail fehler fehlg erreur fallo falló falha erro:".split(
    " ",
  ),
  ..."[err] [err_ (err_ 'err_ échec Échec échou Échou błąd: BŁĄD: ошибк Ошибк ОШИБК помилк Помилк".split(" "),
  ...[
    "not ok",
    "not found",
    "no such",
    "could not",
    "unable to",
    "undefined ref",
    "timed out",
    "data race",
    "of memory",
  ],
  ...["caused by", "exit status", "exit code", "exited with", "не удалось", "Не удалось", "expected:", "rspec "],
  ...[
    " fail",
    "fail ",
    "fail\t",
    "\nfail",
    " err ",
    " err:",
    " err!",
    "\nerr:",
    "\nerr ",
    " err_",
    "\nerr_",
    "\ne   ",
    " błąd",
  ],
]);
/** Marks, and the first characters of words too short for the others. */
const marks: ReadonlySet<number> = new Set([..."✗✘✖❌✕×●错錯失异異エ例오실"].map((mark) => mark.charCodeAt(0)));

/** How test runners say that a test has passed: its name may speak of errors. */
const passed =
  /^\s*(?:ok\b|[✓✔√]|PASS(?:ED)?\b|=== (?:RUN|PAUSE|CONT)|--- PASS|\[ +(?:OK|RUN|PASSED) +\])|(?:\.\.\. ok|\bPASSED(?: +\[ *\d+%\])?|\.{3,} *Passed +[\d.]+ sec)\s*$/;

/** `0 errors`, `no failures`, `failed: 0`, `fail 0`: reports of success. */
const zeroes =
  /\b(?:0|no) (?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed|fail)\b[:=]? ?0\b/gi;
const zero = new RegExp(zeroes.source, "i");
