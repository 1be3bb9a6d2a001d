import { wordScanner } from "./word-scan.ts";

/**
 * Where words and marks of failure stand, at most one place a line; whether its line reports a failure is for patterns to
 * say. Read as bytes and block by block: of most texts a third of the bytes is looked at, and nothing is kept of them.
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

/** Whether a line holds such a word or mark at all; most do not, and are spared the patterns. */
export function holdsFailureWord(line: string): boolean {
  const { written } = encoder.encodeInto(line.slice(0, blockChars), lineBytes);
  // Words may begin with the line end in front, or end with what is behind.
  bytes[0] = bytes[written + 1] = newline;
  return anyWord(view, 0, written + 2) >= 0 || (written > line.length && markFrom(1, written + 1) <= written);
}

const blockChars = 1_024;
/** The longest word, in characters, may begin in a block and end behind it. */
const overlapChars = 24;
const newline = 0x0a;

const encoder = new TextEncoder();
/** And one more, which the scanner may read. */
const bytes = new Uint8Array((blockChars + overlapChars) * 3 + 1);
const view = new DataView(bytes.buffer);
const lineBytes = bytes.subarray(1);

/** Of one block, with all work done before it returns: the bytes are those of the next one then. */
function hitsIn(text: string, from: number, to: number): readonly number[] {
  const { read, written } = encoder.encodeInto(text.slice(from, to + overlapChars), bytes);
  const isAscii = read === written;
  const hits: number[] = [];
  const chars = { byte: 0, unit: from };
  let [word, mark] = [-1, isAscii ? written : -1];
  for (let at = 0; at < written; ) {
    // Each is looked for again only once it was passed: otherwise a rare one would be sought over and over.
    if (word < at) word = orEnd(anyWord(view, at, written), written);
    if (mark < at) mark = markFrom(at, written);
    const hit = Math.min(word, mark);
    if (hit === written) break;
    const place = isAscii ? from + hit : unitAt(chars, hit);
    if (place >= to) break;
    hits.push(place);
    at = orEnd(bytes.indexOf(newline, hit + 1), written);
  }
  return hits;
}

/** The bytes may be longer than what is written in them. */
function orEnd(at: number, to: number): number {
  return at < 0 ? to : Math.min(at, to);
}

/** Which unit of the text a byte belongs to, counted on from the one asked for before. */
function unitAt(chars: { byte: number; unit: number }, to: number): number {
  for (; chars.byte < to; chars.byte++) {
    const byte = bytes[chars.byte] ?? 0;
    if (byte < 0x80 || byte >= 0xc0) chars.unit += byte >= 0xf0 ? 2 : 1;
  }
  return chars.unit;
}

/** The next mark. In few texts there is any byte beyond ASCII, and then most blocks are without. */
function markFrom(from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0xc3) continue;
    if (byte === 0xe2 && isMark(((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0))) return at;
    if (byte === 0xc3 && bytes[at + 1] === 0x97) return at;
  }
  return to;
}

/** ✕ ✖ ✗ ✘, ❌, ● behind their first byte; × has another. */
function isMark(behind: number): boolean {
  return (behind >= 0x9c95 && behind <= 0x9c98) || behind === 0x9d8c || behind === 0x978f;
}

/** A line that is a report has one of these or a mark. Five letters at least: the longer, the quicker they are found. */
const anyWord = wordScanner([
  ..."error exception interrupt fatal panic traceback assert abort killed terminated crashed denied refused".split(" "),
  ..."rejected unhandled uncaught cannot can't couldn't segmentation dumped deadlock unresolved unexpected".split(" "),
  ..."invalid illegal violation overflow smashing conflict StopIteration SIGSEGV SIGABRT SIGBUS SIGILL SIGFPE".split(
    " ",
  ),
  ..."SIGKILL non-zero nonzero fails faile faili failu fehler fehlg erreur fallo falha erro:".split(" "),
  ..."falló échec Échec échou Échou błąd: BŁĄD: ошибк Ошибк ОШИБК помилк Помилк".split(" "),
  ..."错误 錯誤 失败 失敗 异常 異常 エラー 例外 오류 실패".split(" "),
  ..."not ok,not found,no such,could not,unable to,undefined ref,timed out,data race,of memory,caused by".split(","),
  ..."exit status,exit code,exited with,expected:,rspec ,\ne   , błąd,не удалось,Не удалось".split(","),
  // Words too short to stand alone: with what may stand beside them.
  ...[..." \t\n\"'`()[]{}<>:;,./!?=*|#-"].map((sign) => `fail${sign}`),
  ..."[err] (err) [err_ (err_ 'err_".split(" "),
  ...[" err ", " err:", " err!", " err\n", " err_", "\nerr ", "\nerr:", "\nerr_"],
]);
