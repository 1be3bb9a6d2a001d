import { lowBytes } from "./text-bytes.ts";
import { beyondLatin } from "./unit-bits.ts";
import { type Scanned, wordScanner } from "./word-scan.ts";

/**
 * Where words and marks of failure stand, at most one place a line; whether its line reports a failure is for patterns to
 * say. Read block by block, and nothing is kept of them.
 */
export function* failureHits(text: string, from: number, to: number): Iterable<number> {
  let next = from;
  for (let at = from; at < to; at = Math.max(at + blockChars, next)) {
    for (const hit of hitsIn(text, at, Math.min(at + blockChars, to))) {
      if (hit < next) continue;
      yield hit;
      // The line end belongs to what is behind it: a word may begin with it.
      const end = text.indexOf("\n", hit + 1);
      next = end < 0 ? to : end;
    }
  }
}

/** Whether a line holds such a word or sign at all; most do not, and are spared the patterns. */
export function holdsFailureWord(line: string): boolean {
  const start = line.slice(0, blockChars - 2);
  // Words may begin with the line end in front, or end with what is behind.
  const end = 1 + low.write(start, 1);
  low.view.setUint8(0, newline);
  low.view.setUint8(end, newline);
  if (anyWord({ text: start, at: -1, length: end + 1, bytes: low.view }, 0) >= 0) return true;
  return beyondAscii.test(start) && marks.some((mark) => start.includes(mark));
}

const newline = 0x0a;
const blockChars = 4_096;
/** The longest word, in characters, may begin in a block and end behind it. */
const overlapChars = 24;

const low = lowBytes(blockChars + overlapChars);

/** Of one block, with all work done before it returns: the bytes are those of the next one then. */
function hitsIn(text: string, from: number, to: number): readonly number[] {
  const block = text.slice(from, to + overlapChars);
  const length = low.write(block, 0);
  const part: Scanned = { text, at: from, length, bytes: low.view };
  const seekers = [
    (at: number) => anyWord(part, at),
    ...marksIn(block).map((mark) => (at: number) => block.indexOf(mark, at)),
  ];
  const next = seekers.map(() => -1);
  const hits: number[] = [];
  for (let at = 0; at < length; ) {
    let hit = length;
    for (const [index, seek] of seekers.entries()) {
      // Each is looked for again only once it was passed: otherwise a rare one would be sought over and over.
      if ((next[index] ?? 0) < at) next[index] = orEnd(seek(at), length);
      hit = Math.min(hit, next[index] ?? length);
    }
    if (hit === length || from + hit >= to) break;
    hits.push(from + hit);
    at = orEnd(block.indexOf("\n", hit + 1), length);
  }
  return hits;
}

function orEnd(at: number, end: number): number {
  return at < 0 ? end : at;
}

/** Few texts have any, and to look for each is quicker than a pattern for all of them. */
function marksIn(block: string): readonly string[] {
  if (beyondLatin.test(block)) return marks.filter((mark) => block.includes(mark));
  return block.includes(latinMark) ? [latinMark] : [];
}

/** Of a short text it tells sooner. */
const beyondAscii = /[\u0080-\uffff]/;

/** Signs, and words too short for the scanner. */
/** The only one of a text of one byte a unit. */
const latinMark = "×";
const marks = "× ✕ ✖ ✗ ✘ ❌ ● 错误 錯誤 失败 失敗 异常 異常 エラー 例外 오류 실패".split(" ");

/** A line that is a report has one of these or a mark. Five letters at least: the longer, the quicker they are found. */
const anyWord = wordScanner([
  ..."error exception interrupt fatal panic traceback assert abort killed terminated crashed denied refused".split(" "),
  ..."rejected unhandled uncaught cannot can't couldn't segmentation dumped deadlock unresolved unexpected".split(" "),
  ..."invalid illegal violation overflow smashing conflict StopIteration SIGSEGV SIGABRT SIGBUS SIGILL SIGFPE".split(
    " ",
  ),
  ..."SIGKILL non-zero nonzero fails faile faili failu fehler fehlg erreur fallo falha erro:".split(" "),
  ..."falló échec Échec échou Échou błąd: BŁĄD: ошибк Ошибк ОШИБК помилк Помилк".split(" "),
  ..."not ok,not found,no such,could not,unable to,undefined ref,timed out,data race,of memory,caused by".split(","),
  ..."exit status,exit code,exited with,expected:,rspec ,\ne   , błąd,не удалось,Не удалось".split(","),
  // Words too short to stand alone: with what may stand beside them.
  ...[..." \t\n\"'`()[]{}<>:;,./!?=*|#-"].map((sign) => `fail${sign}`),
  ..."[err] (err) [err_ (err_ 'err_".split(" "),
  ...[" err ", " err:", " err!", " err\n", " err_", "\nerr ", "\nerr:", "\nerr_"],
]);
