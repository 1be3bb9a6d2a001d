import { estimate } from "../budget/count.ts";
import type { Handle } from "../kernel/ids.ts";
import type { FirstForm, FormInput } from "./form.ts";
import { kindOf } from "./kinds.ts";
import { type LineChange, lineChanges } from "./line-change.ts";
import { contentNote } from "./notes.ts";
import { pageLine } from "./page-line.ts";
import { wantedOf } from "./page-named.ts";
import { charsOf } from "./text.ts";

/** A page that a lane shows: its original, and the form in which it stands there. */
export type ShownPage = { readonly handle: Handle; readonly original: string; readonly text: string };

/**
 * A page's snapshot as what is new in it since the newest one of it that is shown (CASES C-059). Each small action of a
 * browser returns all of the page, of which one copy is enough. null: the page is not shown, or so much of it is new that
 * its usual form is the better one.
 */
export function pageChange(input: FormInput, form: FirstForm, shown: readonly ShownPage[]): FirstForm | null {
  if (input.form !== "output" || input.text.length > charsMax || !isPage(input.text)) return null;
  const now = input.text.split("\n");
  for (const page of shown) {
    if (page.original.length > charsMax || !isPage(page.original)) continue;
    const before = page.original.split("\n");
    if (!isMostly(before, now)) continue;
    // A change leads to a page of which nothing but changes is shown any more.
    if (!shown.some((one) => !isPageChange(one.text) && isMostly(one.original.split("\n"), now))) return null;
    const text = changeText(input, { before, now, handle: page.handle }, shown);
    return estimate(text) <= estimate(form.text) * shareMax ? { whole: false, text } : null;
  }
  return null;
}

/** Whether a form is of this kind: it takes no page's place, since what it says needs that page. */
export function isPageChange(text: string): boolean {
  return text.startsWith(mark);
}

/** Whether a text is a page with elements that can be named. */
export function isPage(text: string): boolean {
  if (kindOf({ tool: "", form: "output" }, text) === "snapshot") return true;
  return (text.slice(0, lookedAt).match(refs)?.length ?? 0) >= refsMin;
}

const mark = "[The same page as ";
/** Two copies of a page are some hundred thousand lines to compare at most. */
const charsMax = 1_000_000;
/** Of the usual form: above it that one says more. */
const shareMax = 0.4;
const lookedAt = 8_000;
const refs = /\bref=\w+|\buid=\d+_\d+/g;
const refsMin = 10;

/** Whether most lines are the same, wherever they stand. */
function isMostly(before: readonly string[], now: readonly string[]): boolean {
  const known = new Set(before);
  return now.length > 1 && now.filter((line) => known.has(line)).length >= now.length * sameShareMin;
}

const sameShareMin = 0.6;

type Two = { readonly before: readonly string[]; readonly now: readonly string[]; readonly handle: Handle };

function changeText(input: FormInput, { before, now, handle }: Two, shown: readonly ShownPage[]): string {
  const { from, to } = treeIn(now);
  const changes = lineChanges(before, now).filter((change) => change.nowTo > from && change.nowFrom < to);
  const gone = changes.reduce((sum, change) => sum + change.to - change.from, 0);
  const fresh = changes.reduce((sum, change) => sum + change.nowTo - change.nowFrom, 0);
  const what = changes.length === 0 ? "nothing else has changed" : `${gone} lines gone (<), ${fresh} new (>)`;
  const size = `${now.length} lines, ${charsOf(input.text)} characters`;
  const recall = `recall handle=${input.handle} startLine=1 endLine=${now.length}`;
  const wanted = [...wantedOf(input, 0).lines].sort((a, b) => a - b);
  const asked = wanted.filter((index) => !isShownIn(now[index] ?? "", shown) && !isNewIn(index, changes));
  return [
    `${mark}${handle}: ${what}; all of it: ${recall}, or search="a name"; ${size}, ${contentNote(input)}]`,
    ...now.slice(0, from),
    ...changes.flatMap((change) => hunk(change, before, now)),
    ...asked.map((index) => `[line ${index + 1}] ${now[index]}`),
    ...now.slice(to),
  ].join("\n");
}

/** From the first element of the page to behind the last one: what stands around it is the server's own news. */
function treeIn(lines: readonly string[]): { readonly from: number; readonly to: number } {
  const isElement = (line: string) => (pageLine(line)?.ref ?? null) !== null;
  const from = lines.findIndex(isElement);
  if (from < 0) return { from: 0, to: lines.length };
  return { from, to: lines.findLastIndex((line) => isElement(line) || property.test(line)) + 1 };
}

/** Of an element: `- /url: /orders`. */
const property = /^\s+- \/\w+:/;

function hunk(
  { from, to, nowFrom, nowTo }: LineChange,
  before: readonly string[],
  now: readonly string[],
): readonly string[] {
  return [
    `@@ line ${nowFrom + 1} @@`,
    ...before.slice(from, to).map((line) => `< ${withoutRef(line)}`),
    ...now.slice(nowFrom, nowTo).map((line) => `> ${line}`),
  ];
}

/** What is gone cannot be used: its ref must not look as if it could. */
function withoutRef(line: string): string {
  const element = pageLine(line);
  if (element === null) return line.trim().replace(/\[?\bref=([\w-]+)\]?|\buid=(\S+)/g, "($1$2)");
  return `${element.role}${element.name === "" ? "" : ` "${element.name}"`}${element.ref === null ? "" : ` (${element.ref})`}`;
}

function isShownIn(line: string, shown: readonly ShownPage[]): boolean {
  return shown.some(({ text }) => text.includes(line));
}

function isNewIn(index: number, changes: readonly LineChange[]): boolean {
  return changes.some(({ nowFrom, nowTo }) => index >= nowFrom && index < nowTo);
}
