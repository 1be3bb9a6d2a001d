import type { Assertion, Step } from "./pattern.ts";

/**
 * Runs a pattern over lines: all its ways at once, so that a character costs at most the pattern's length, and mostly one
 * look into what is remembered of the places reached before. `spent` counts the work, for a bound that no clock is needed for.
 */
export type Automaton = {
  /** Where the first match ends, in UTF-16 units; -1: the line has none, or the work is over before one was found. */
  endIn(line: string): number;
  spent(): number;
  /** Whether more was spent than allowed. */
  isOver(): boolean;
};

export function automatonOf(program: readonly Step[], workMax = Number.POSITIVE_INFINITY): Automaton {
  const known = new Map<string, Place>();
  let spent = 0;
  const placeOf = (steps: readonly number[], before: Kind): Place => {
    const key = `${before} ${steps.join(" ")}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    // Forgetting costs time, never truth.
    if (known.size >= placesMax) known.clear();
    const place: Place = { steps, before, next: new Map() };
    known.set(key, place);
    return place;
  };
  const moved = (place: Place, char: string): Place | "match" => {
    const remembered = place.next.get(char);
    if (remembered !== undefined) return remembered;
    const kind = kindOf(char);
    const reached = closure(program, place.steps, place.before, kind);
    spent += reached.work * newPlaceWork;
    const result = reached.matches ? "match" : placeOf(after(program, reached.steps, char), kind);
    if (place.next.size < charsMax) place.next.set(char, result);
    return result;
  };
  return {
    endIn: (line) => {
      let place = placeOf([0], "end");
      for (let at = 0; ; ) {
        const char = at < line.length ? String.fromCodePoint(line.codePointAt(at) ?? 0) : "";
        spent += 1;
        const next = moved(place, char);
        if (next === "match") return at;
        if (char === "" || spent > workMax) return -1;
        place = next;
        at += char.length;
      }
    },
    spent: () => spent,
    isOver: () => spent > workMax,
  };
}

/** What stands at a place of the line, as far as assertions ask. */
type Kind = "word" | "other" | "end";

type Place = {
  /** Steps of the program to go on with, in order. */
  readonly steps: readonly number[];
  readonly before: Kind;
  readonly next: Map<string, Place | "match">;
};

const placesMax = 1_000;
/** What a step costs where nothing is remembered, against a look into what is. */
const newPlaceWork = 16;
/** Characters remembered of one place. */
const charsMax = 256;

function kindOf(char: string): Kind {
  if (char === "") return "end";
  return /\w/.test(char) ? "word" : "other";
}

type Reached = { readonly steps: readonly number[]; readonly matches: boolean; readonly work: number };

/** All steps that wait for a character, reached from these without one. */
function closure(program: readonly Step[], from: readonly number[], before: Kind, next: Kind): Reached {
  const seen = new Set<number>();
  const waiting: number[] = [];
  const open = [...from];
  let matches = false;
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen.has(index)) continue;
    seen.add(index);
    const step = program[index];
    if (step === undefined) continue;
    if (step.op === "char") waiting.push(index);
    else if (step.op === "match") matches = true;
    else if (step.op === "split") open.push(...step.to);
    else if (isTrue(step.what, before, next)) open.push(index + 1);
  }
  return { steps: waiting, matches, work: seen.size };
}

function isTrue(what: Assertion, before: Kind, next: Kind): boolean {
  if (what === "start") return before === "end";
  if (what === "end") return next === "end";
  const isEdge = (before === "word") !== (next === "word");
  return what === "edge" ? isEdge : !isEdge;
}

/** A match may begin at every character: the program's first step is always among them. */
function after(program: readonly Step[], steps: readonly number[], char: string): readonly number[] {
  const next = new Set<number>([0]);
  for (const index of steps) {
    const step = program[index];
    if (char !== "" && step?.op === "char" && step.test(char)) next.add(index + 1);
  }
  return [...next].sort((a, b) => a - b);
}
