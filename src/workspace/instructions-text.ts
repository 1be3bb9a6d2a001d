/** What a Markdown file of instructions says. `imports`: paths as they are written behind `@`, each once. */
export type InstructionsText = {
  /** Without the comments that begin a line, outside of code. */
  readonly text: string;
  readonly imports: readonly string[];
  /** Whether it says anything beside naming what it imports. */
  readonly says: "something" | "imports" | "nothing";
};

/** Reads the parts of Markdown that matter here: fences, indented code, code spans and comments. Time is linear. */
export function instructionsText(markdown: string): InstructionsText {
  const lines = markdown.split(/\r\n|\r|\n/);
  const { kept, prose } = linesOf(lines);
  const text = trimmed(kept.join("\n"));
  const plain = withoutSpans(prose.join("\n"));
  const imports = [...new Set(importsIn(plain))];
  const rest = text.replaceAll(mention, "").trim();
  return { text, imports, says: text === "" ? "nothing" : rest === "" ? "imports" : "something" };
}

/** Whether words behind an `@` can only mean a file, so that a missing one is worth a note: `@octocat` names a person. */
export function namesFile(path: string): boolean {
  return /^(?:\.{1,2}\/|~\/|\/)/.test(path) || /\.(?:md|mdc|mdx|markdown|txt|rst|adoc)$/i.test(path);
}

type Lines = { readonly kept: readonly string[]; readonly prose: readonly string[] };
type Place = { fence: Fence | null; inComment: boolean; inList: boolean; inCode: boolean; isBlank: boolean };
type Fence = { readonly mark: string; readonly length: number };

/** `prose` has a line for each that is kept, empty where that is code: nothing is imported there. */
function linesOf(lines: readonly string[]): Lines {
  const lastEnd = lines.findLastIndex((line) => line.includes("-->"));
  const kept: string[] = [];
  const prose: string[] = [];
  const place: Place = { fence: null, inComment: false, inList: false, inCode: false, isBlank: true };
  for (const [at, line] of lines.entries()) {
    const shown = place.fence === null ? withoutComment(line, place, at < lastEnd) : line;
    if (shown === null) continue;
    kept.push(shown);
    prose.push(isCode(shown, place) ? "" : shown);
  }
  return { kept, prose };
}

/** null: all of the line is comment. One that is never closed is text: better shown than lost. `closes`: on a later line. */
function withoutComment(line: string, place: Place, closes: boolean): string | null {
  let rest = line;
  let isCut = place.inComment;
  for (;;) {
    if (place.inComment) {
      const end = rest.indexOf("-->");
      if (end === -1) return null;
      rest = rest.slice(end + 3);
      place.inComment = false;
    }
    if (!/^ {0,3}<!--/.test(rest)) break;
    const start = rest.indexOf("<!--") + 4;
    if (!closes && !rest.includes("-->", start)) break;
    rest = rest.slice(start);
    place.inComment = true;
    isCut = true;
  }
  return isCut && rest.trim() === "" ? null : rest;
}

function isCode(line: string, place: Place): boolean {
  const before = { ...place };
  place.isBlank = line.trim() === "";
  if (before.fence !== null) {
    if (closesFence(line, before.fence)) place.fence = null;
    return true;
  }
  const opened = /^\s*(?:(?:[-*+]|\d{1,9}[.)]|>)\s*)*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  if (opened !== undefined) {
    place.fence = { mark: opened[0] ?? "`", length: opened.length };
    return true;
  }
  if (place.isBlank) return false;
  const isListed = /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(line);
  const isIndented = /^(?: {4}| {0,3}\t)/.test(line);
  place.inCode = isIndented && !before.inList && (before.inCode || before.isBlank);
  if (isListed && !place.inCode) place.inList = true;
  else if (/^\S/.test(line)) place.inList = false;
  return place.inCode;
}

function closesFence(line: string, { mark, length }: Fence): boolean {
  const run = line.replace(/^[\s>]+/, "").trimEnd();
  return run.length >= length && run === mark.repeat(run.length);
}

/** Code spans and comments inside a line blanked out: nothing is imported there. A span does not cross an empty line. */
function withoutSpans(prose: string): string {
  return prose
    .split(/\n\s*\n/)
    .map((part) => withoutInnerComments(withoutCodeSpans(part)))
    .join("\n");
}

function withoutCodeSpans(part: string): string {
  const runs = [...part.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ index, length }));
  const nextSame = nextOfSameLength(runs);
  let [plain, from] = ["", 0];
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at];
    const end = runs[nextSame[at] ?? -1];
    if (run === undefined || end === undefined || (run.length === 1 && part[run.index - 1] === "\\")) continue;
    plain += `${part.slice(from, run.index)}\``;
    from = end.index + end.length;
    at = nextSame[at] ?? at;
  }
  return plain + part.slice(from);
}

function nextOfSameLength(runs: readonly { readonly length: number }[]): readonly (number | undefined)[] {
  const seen = new Map<number, number>();
  const next: (number | undefined)[] = [];
  for (let at = runs.length - 1; at >= 0; at--) {
    const length = runs[at]?.length ?? 0;
    next[at] = seen.get(length);
    seen.set(length, at);
  }
  return next;
}

function withoutInnerComments(part: string): string {
  let [plain, from] = ["", 0];
  for (;;) {
    const start = part.indexOf("<!--", from);
    const end = start === -1 ? -1 : part.indexOf("-->", start);
    if (end === -1) return plain + part.slice(from);
    plain += `${part.slice(from, start)} `;
    from = end + 3;
  }
}

const mention = /(?<!\S)@[^\s\\`]+(?:\\ [^\s\\`]*)*/g;

function importsIn(plain: string): readonly string[] {
  return [...plain.matchAll(mention)].flatMap(([word]) => {
    const path = word
      .slice(1)
      .replace(/#.*$/, "")
      .replace(/[.,;:!?)\]}'"*_>]+$/, "")
      .replaceAll("\\ ", " ");
    return /^(?:\.{0,2}\/.|~\/.|[\p{L}\p{N}_.-])/u.test(path) && !path.includes("\0") ? [path] : [];
  });
}

/** Without empty lines at either end. */
function trimmed(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}
