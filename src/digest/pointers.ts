import { estimate } from "../budget/count.ts";
import type { Handle } from "../kernel/ids.ts";
import type { Pointer } from "../log/block.ts";
import { failureLines } from "./failures.ts";
import type { FormInput } from "./form.ts";
import { kindOf } from "./kinds.ts";
import { indexLines } from "./line-index.ts";
import { type LineEnds, lineEnds, linesIn, runLinesMin, type ShownLines, type ShownRun } from "./shown-lines.ts";
import { beginning } from "./text.ts";

/** What pointers stand for: the form with all lines, and where those that are left out are shown. */
export type Pointing = { readonly full: string; readonly points: readonly Pointer[] };
export type Pointed = Pointing & { readonly text: string };

/** What a pointer says of its carrier. */
export type Carrier = { readonly title: string; readonly handle: Handle; readonly text: string };

export type Carriers = { readonly lines: ShownLines; readonly of: (name: string) => Carrier | null };

/**
 * A first form without the runs of lines that the lane still shows; null: there are none that are longer than the words that
 * take their place. What reports a failure stays, and so does the end. Never of a page's snapshot: its lines are alike from
 * page to page, and mean other things.
 */
export function pointed(input: FormInput, full: string, carriers: Carriers): Pointed | null {
  if (input.form === "whole" || kindOf({ tool: input.tool, form: "output" }, input.text) === "snapshot") return null;
  const lines = lineEnds(full);
  const points: Pointer[] = [];
  const original = indexLines(input.text);
  let behind = 0;
  for (const [from, to] of freeRanges(input, full, lines)) {
    for (let at = from; at + runLinesMin <= to && points.length < pointersMax; ) {
      const run = carriers.lines.find(full, lines, at, to);
      if (run === null) {
        at++;
        continue;
      }
      const place = placeIn(input.text, linesIn(full, lines, at, run.count), behind);
      if (place >= 0) {
        const pointer = { carrier: run.of, first: at, count: run.count, line: original.lineAt(place) + 1 };
        if (isWorth(pointer, run, full, lines, input.handle, carriers)) {
          points.push(pointer);
          behind = place + linesIn(full, lines, at, run.count).length;
        }
      }
      at += run.count;
    }
  }
  if (points.length === 0) return null;
  return { text: pointedText(full, points, input.handle, carriers.of), full, points };
}

const pointersMax = 20;
const runCharsMin = 80;

/** The form with the words of its pointers. A carrier that is gone or does not show the lines leaves them as they are. */
export function pointedText(
  full: string,
  points: readonly Pointer[],
  handle: Handle,
  carrierOf: Carriers["of"],
): string {
  const lines = lineEnds(full);
  const out: string[] = [];
  let next = 0;
  for (const pointer of points) {
    const carrier = carrierOf(pointer.carrier);
    const at = carrier === null ? -1 : placeIn(carrier.text, linesIn(full, lines, pointer.first, pointer.count), 0);
    if (carrier === null || at < 0) continue;
    out.push(full.slice(lines.starts[next], lines.starts[pointer.first]));
    const first = indexLines(carrier.text).lineAt(at) + 1;
    out.push(note(pointer, handle, carrier, first), "\n");
    next = pointer.first + pointer.count;
  }
  out.push(full.slice(lines.starts[next]));
  return next === lines.count && !full.endsWith("\n") ? out.join("").slice(0, -1) : out.join("");
}

/** Whether a text shows these lines of a form: as lines of its own, one behind the other. */
export function showsLines(text: string, full: string, { first, count }: Pick<Pointer, "first" | "count">): boolean {
  return placeIn(text, linesIn(full, lineEnds(full), first, count), 0) >= 0;
}

function note(
  { count, line }: Pointer,
  handle: Handle,
  carrier: Pick<Carrier, "title" | "handle">,
  at: number,
): string {
  const [from, to] = [line, line + count - 1];
  const there = `lines ${at}-${at + count - 1} of ${shortTitle(carrier.title)}, ${carrier.handle}`;
  return `[… ${from}-${to}: as ${there}; recall handle=${handle} startLine=${from} endLine=${to}]`;
}

const titleCharsMax = 40;

/** Of a path its end says more. */
function shortTitle(title: string): string {
  const [tool = "", ...subject] = title.replaceAll(/\s+/g, " ").split(" ");
  const rest = subject.join(" ");
  const path = /^[^ ]*\/([^ /]+\/[^ /]+(?: from line \d+)?)$/.exec(rest)?.[1];
  return `${tool} ${beginning(path ?? rest, titleCharsMax)}`;
}

function isWorth(
  pointer: Pointer,
  run: ShownRun,
  full: string,
  lines: LineEnds,
  handle: Handle,
  carriers: Carriers,
): boolean {
  const text = linesIn(full, lines, pointer.first, pointer.count);
  const carrier = text.length < runCharsMin ? null : carriers.of(run.of);
  if (carrier === null || placeIn(carrier.text, text, 0) < 0) return false;
  const words = note(pointer, handle, carrier, run.first + 1);
  return estimate(words) * worthFactor < estimate(text);
}

/** Below it a pointer saves little, and is one more thing to follow. */
const worthFactor = 1.5;

/** Lines that may be left out, as ranges: notes of the form stand between them, and what must be seen in any case. */
function freeRanges({ form }: FormInput, full: string, lines: LineEnds): readonly (readonly [number, number])[] {
  const fixed = form === "output" ? failureLines(full, indexLines(full), lines.count) : [];
  const stops = new Set<number>(fixed);
  const end = Math.max(0, lines.count - (form === "output" ? endLinesKept : 1));
  const ranges: [number, number][] = [];
  let from = 0;
  for (let at = 0; at <= end; at++) {
    if (at < end && !stops.has(at) && !full.startsWith("[…", lines.starts[at])) continue;
    if (at - from >= runLinesMin) ranges.push([from, at]);
    from = at + 1;
  }
  return ranges;
}

const endLinesKept = 3;

/** Where these lines stand in a text, as whole lines; -1: nowhere. */
function placeIn(text: string, lines: string, from: number): number {
  for (let at = text.indexOf(lines, from); at >= 0; at = text.indexOf(lines, at + 1)) {
    const end = at + lines.length;
    if ((at === 0 || text.charCodeAt(at - 1) === newline) && (end === text.length || text.charCodeAt(end) === newline))
      return at;
  }
  return -1;
}

const newline = 10;
