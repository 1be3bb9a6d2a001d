/**
 * The names a line holds, which is what later calls quote: identifiers, ends of paths, words. A form is worth most when each
 * name of the original stands somewhere in it, in a whole line.
 */
export type TermKind = "path" | "name" | "word";

/** Calls back instead of making lists: every character of a text may come through here. */
export function eachTerm(line: string, told: (name: string, kind: TermKind) => void): void {
  const found = line.length > charsMax ? line.slice(0, charsMax).matchAll(term) : line.matchAll(term);
  for (const [name] of found) {
    if (name.includes("/")) {
      told(pathEnd(name), "path");
      const file = name.slice(name.lastIndexOf("/") + 1);
      if (file.length >= wordCharsMin) told(file, isStructured(file) ? "name" : "word");
    } else told(name, isStructured(name) ? "name" : "word");
  }
}

/** What is behind of a very long line tells little that its beginning does not. */
const charsMax = 2_000;
const wordCharsMin = 5;

const term = /(?:[\w@.-]+\/)+[\w@.-]+|[A-Za-z_$][\w$]{4,}/g;

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
