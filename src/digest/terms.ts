/**
 * The names a line holds, which is what later calls quote: identifiers, ends of paths, words. A form is worth most when each
 * name of the original stands somewhere in it, in a whole line.
 */
export type TermKind = "path" | "name" | "word";

/**
 * Calls back instead of making lists, and goes by characters: every line that is weighed comes through here. A path is
 * runs of `[\w@.-]` with single slashes between; any other name `[A-Za-z_$][\w$]{4,}`.
 */
export function eachTerm(line: string, told: (name: string, kind: TermKind) => void): void {
  const to = Math.min(line.length, charsMax);
  // Up to here no path begins, and no name: runs are gone through once.
  let [pathless, nameless] = [0, 0];
  for (let at = 0; at < to; ) {
    const kind = classOf(line, at);
    if (at >= pathless && (kind & pathPart) !== 0) {
      const runTo = endOfRun(line, at, to, pathPart);
      const pathTo = endOfPath(line, at, runTo, to);
      if (pathTo > at) {
        tellPath(line.slice(at, pathTo), told);
        at = pathTo;
        continue;
      }
      pathless = runTo;
    }
    if (at >= nameless && (kind & nameStart) !== 0) {
      nameless = endOfRun(line, at, to, namePart);
      if (nameless - at >= wordCharsMin) {
        const name = line.slice(at, nameless);
        told(name, isStructured(name) ? "name" : "word");
        at = nameless;
        continue;
      }
    }
    at += 1;
  }
}

/** What is behind of a very long line tells little that its beginning does not. */
const charsMax = 2_000;
const wordCharsMin = 5;

const [pathPart, nameStart, namePart] = [1, 2, 4];

const classes = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  const isWord = /\w/.test(sign);
  return (
    (isWord || "@.-".includes(sign) ? pathPart : 0) |
    (/[A-Za-z_$]/.test(sign) ? nameStart : 0) |
    (isWord || sign === "$" ? namePart : 0)
  );
});

function classOf(line: string, at: number): number {
  const unit = line.charCodeAt(at);
  return unit < 128 ? (classes[unit] ?? 0) : 0;
}

function endOfRun(line: string, from: number, to: number, part: number): number {
  let at = from;
  while (at < to && (classOf(line, at) & part) !== 0) at++;
  return at;
}

/** Behind the last run that a slash stands in front of; `from` where there is none. */
function endOfPath(line: string, from: number, runTo: number, to: number): number {
  let end = from;
  for (let at = runTo; at + 1 < to && line.charCodeAt(at) === slash; ) {
    const next = endOfRun(line, at + 1, to, pathPart);
    if (next === at + 1) break;
    end = at = next;
  }
  return end;
}

const slash = 0x2f;

function tellPath(path: string, told: (name: string, kind: TermKind) => void): void {
  told(pathEnd(path), "path");
  const file = path.slice(path.lastIndexOf("/") + 1);
  if (file.length >= wordCharsMin) told(file, isStructured(file) ? "name" : "word");
}

/** `aB`, `a_b`, `a1`: made by somebody, so quoted as it is. */
function isStructured(name: string): boolean {
  for (let at = 1; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit === 0x5f || (unit >= 0x30 && unit <= 0x39)) return true;
    if (unit >= 0x41 && unit <= 0x5a) {
      const before = name.charCodeAt(at - 1);
      if (before >= 0x61 && before <= 0x7a) return true;
    }
  }
  return false;
}

/** A file is quoted by its folder and its name. */
function pathEnd(path: string): string {
  const file = path.lastIndexOf("/");
  return path.slice(path.lastIndexOf("/", file - 1) + 1);
}
