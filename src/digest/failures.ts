import { bounds } from "../kernel/bounds.ts";
import type { Lines } from "./line-index.ts";

/**
 * The lines of a command's output that report a failure, in the order in which they are worth keeping: the first ones,
 * which are often the cause, then the first of each further kind, so that one among thousands of a kind that merely sounds
 * like failure is seen, then the newest. The newest are looked for from the end, block by block; of an output made of
 * failures only the beginning is looked through for kinds.
 */
export function failureLines(text: string, lines: Lines): readonly number[] {
  const first: number[] = [];
  const ofKind: number[] = [];
  const kinds = new Set<string>();
  let looked = 0;
  for (const start of failuresIn(text, 0, text.length)) {
    const kind = kindOf(text.slice(start, start + kindChars));
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

/** The plain words of a line: names, numbers, paths and times differ among lines of one kind. */
function kindOf(start: string): string {
  const end = start.indexOf("\n");
  return (end < 0 ? start : start.slice(0, end)).replace(/\S*[\d./_:\\-]\S*/g, "#").replace(/(?:# )+#/g, "#");
}

const blockChars = 64 * 1024;

/** Starts of the lines that report a failure; `from` begins a line, or lies within one that is not meant. */
function* failuresIn(text: string, from: number, to: number): Iterable<number> {
  const search = new RegExp(failure.source, "gim");
  const block = text.slice(from, to);
  for (let found = search.exec(block); found !== null; found = search.exec(block)) {
    const start = block.lastIndexOf("\n", found.index - 1) + 1;
    const end = block.indexOf("\n", found.index);
    search.lastIndex = end < 0 ? block.length : end;
    const isPart = start === 0 && from > 0 && text[from - 1] !== "\n";
    if (!isPart && reportsFailure(block.slice(start, search.lastIndex))) yield from + start;
  }
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
  `(?:error|exception|failure|interrupt)s?(?![a-z])|\\b(?:${words.join("|")})\\b|ERR_|${foreign}|^[ \\t]*Expected:|^E {2,}\\S|[✗✘✖❌✕×●]`,
  "im",
);

/** How test runners say that a test has passed: its name may speak of errors. */
const passed =
  /^\s*(?:ok\b|[✓✔√]|PASS(?:ED)?\b|=== (?:RUN|PAUSE|CONT)|--- PASS|\[ +(?:OK|RUN|PASSED) +\])|(?:\.\.\. ok|\bPASSED(?: +\[ *\d+%\])?|\.{3,} *Passed +[\d.]+ sec)\s*$/;

/** `0 errors`, `no failures`, `failed: 0`, `fail 0`: reports of success. */
const zeroes =
  /\b(?:0|no) (?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed|fail)\b[:=]? ?0\b/gi;
const zero = new RegExp(zeroes.source, "i");
