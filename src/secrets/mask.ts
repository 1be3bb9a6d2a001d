import { knownValues, type Span } from "./known.ts";
import { formsOf } from "./secret-forms.ts";
import type { SecretValue } from "./secret-values.ts";
import { cutShapeAt, findShapes, shapeNames } from "./token-shapes.ts";
import { cutEscapeAt, readingsOf, type Visible } from "./visible.ts";

/**
 * Puts `[secret: NAME]` in the place of secrets, before a text is kept, sent or shown. Pure: the same text gives the same
 * every time, and what is masked once stays as it is. Line ends inside a secret stay, so that lines keep their numbers.
 */
export type Mask = {
  text(text: string): string;
  /** Known values only, not what merely looks like a token: for what the user typed. */
  values(text: string): string;
  /** The first mask of ours that stands in a text, or null. */
  heldBy(text: string): string | null;
  /** The same for a text that comes in parts: a secret is found wherever the parts are cut. */
  stream(): MaskStream;
};

/** What is given back is masked; what may be the beginning of a secret waits for the next part. */
export type MaskStream = { push(text: string): string; end(): string };

export function createMask(given: {
  readonly values: readonly SecretValue[];
  readonly shapes: "masked" | "shown";
}): Mask {
  const known = knownValues(given.values.flatMap(formsOf));
  const shapes = given.shapes === "masked";
  const labels = new Set([...given.values.map(({ name }) => name), ...(shapes ? shapeNames : [])]);
  const find = (text: string): readonly Span[] => [...known.find(text), ...(shapes ? findShapes(text) : [])];
  const cutAt = (text: string): number => Math.min(known.cutAt(text), shapes ? cutShapeAt(text) : text.length);
  const masked = (text: string): string => replaced(text, spansIn(readingsOf(text), find));

  return {
    text: masked,
    values: (text) => replaced(text, spansIn(readingsOf(text), known.find)),
    heldBy(text) {
      for (const [mask, label = ""] of text.matchAll(/\[secret: ([^\]\n]{1,64})\]/g))
        if (labels.has(label)) return mask;
      return null;
    },
    stream() {
      let waiting = "";
      return {
        push(text) {
          waiting += text;
          const end = cutEscapeAt(waiting);
          const readings = readingsOf(waiting.slice(0, end));
          const cut = Math.min(end, ...readings.map((reading) => positionOf(reading, cutAt(reading.text), end)));
          const inside = spansIn(readings, find).filter(({ from, to }) => from < cut && to > cut);
          const at = Math.min(cut, ...inside.map(({ from }) => from));
          const ready = waiting.slice(0, at);
          waiting = waiting.slice(at);
          return masked(ready);
        },
        end() {
          const rest = masked(waiting);
          waiting = "";
          return rest;
        },
      };
    },
  };
}

/** Where nothing is to be masked. */
export const noMask: Mask = createMask({ values: [], shapes: "shown" });

function replaced(raw: string, spans: readonly Span[]): string {
  if (spans.length === 0) return raw;
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, name } of spans) {
    const lineEnds = raw.slice(from, to).replaceAll(/[^\n]+/g, "");
    parts.push(raw.slice(at, from), `[secret: ${name}]${lineEnds}`);
    at = to;
  }
  parts.push(raw.slice(at));
  return parts.join("");
}

/** By their places in the text as it came. */
function spansIn(readings: readonly Visible[], find: (text: string) => readonly Span[]): readonly Span[] {
  const all = readings.flatMap((reading) =>
    find(reading.text).map(({ from, to, name }) => ({ from: reading.at(from), to: reading.at(to - 1) + 1, name })),
  );
  return joined(all);
}

function positionOf(reading: Visible, index: number, end: number): number {
  return index < reading.text.length ? reading.at(index) : end;
}

/** In order, without overlaps: what begins first names the whole. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = all.at(-1);
    if (last === undefined || span.from >= last.to) all.push(span);
    else if (span.to > last.to) all[all.length - 1] = { ...last, to: span.to };
  }
  return all;
}
