import type { Cuts } from "./piece-cuts.ts";

/** A document of prose: a part for each heading with text below it, called by the headings above it. */
export function docCuts(lines: readonly string[]): Cuts {
  const headings = headingsOf(lines);
  const parts: { readonly line: number; readonly title: string }[] = [];
  const above: Heading[] = [];
  for (const [at, heading] of headings.entries()) {
    while ((above.at(-1)?.depth ?? -1) >= heading.depth) above.pop();
    above.push(heading);
    const title = above.map(({ words }) => words).join(" > ");
    const next = headings[at + 1]?.line ?? lines.length;
    const before = headings[at - 1];
    // A heading that has nothing but the next one below it stands with that one.
    const isBare = before !== undefined && isEmpty(lines, before.line + before.lines, heading.line);
    if (isBare && parts.length > 0) parts.splice(-1, 1, { line: parts.at(-1)?.line ?? heading.line, title });
    else if (next > heading.line) parts.push({ line: heading.line, title });
  }
  return { parts, weigh: (line) => (lines[line - 1]?.trim() === "" ? 1 : 0) };
}

/** `lines`: how many it takes, an underline included. */
type Heading = { readonly line: number; readonly lines: number; readonly depth: number; readonly words: string };

/** `# Markdown`, `== AsciiDoc`, and words that the next line underlines. */
function headingsOf(lines: readonly string[]): readonly Heading[] {
  const headings: Heading[] = [];
  const marks: string[] = [];
  let fence: string | null = null;
  const front = frontLines(lines);
  for (const [line, text] of lines.entries()) {
    if (line < front) continue;
    const fenced = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1];
    if (fence !== null) {
      if (fenced?.startsWith(fence) === true) fence = null;
      continue;
    }
    if (fenced !== undefined) {
      fence = fenced;
      continue;
    }
    const marked = /^ {0,3}(#{1,6}|={1,6})[ \t]+(\S.{0,200})/.exec(text);
    if (marked !== null) {
      const words = (marked[2] ?? "").replace(/[ \t]+[#=]+[ \t]*$/, "").trim();
      headings.push({ line, lines: 1, depth: marked[1]?.length ?? 1, words });
      continue;
    }
    const under = /^([=\-~^"'*+#`:.])\1{2,}\s*$/.exec(lines[line + 1] ?? "")?.[1];
    if (under === undefined || !isUnderlined(lines, line)) continue;
    if (!marks.includes(under)) marks.push(under);
    headings.push({ line, lines: 2, depth: marks.indexOf(under) + 1, words: text.trim().slice(0, 200) });
  }
  return headings;
}

/** Lines of the fields in front of a Markdown document. */
function frontLines(lines: readonly string[]): number {
  return lines[0]?.trim() === "---" ? lines.slice(0, frontLinesMax).indexOf("---", 1) + 1 : 0;
}

const frontLinesMax = 200;

/** Words of their own, with a line below that is about as long: not a table, not a rule, not the end of a front matter. */
function isUnderlined(lines: readonly string[], line: number): boolean {
  const [text, under] = [(lines[line] ?? "").trim(), (lines[line + 1] ?? "").trim()];
  const isFirst = line === 0 || /^\s*$|^([=\-~^"'*+#`:.])\1{2,}\s*$/.test(lines[line - 1] ?? "");
  return isFirst && /^[\p{L}\p{N}`"'(]/u.test(text) && !text.includes("|") && under.length >= Math.min(3, text.length);
}

function isEmpty(lines: readonly string[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if ((lines[at] ?? "").trim() !== "") return false;
  return true;
}
