import { bounds } from "../kernel/bounds.ts";
import { parseJson } from "../kernel/json.ts";
import { listSaid, mainList, rawList } from "./json-list.ts";
import { type Ranked, rankedOf, sampleOf } from "./json-sample.ts";
import { charsOf, cutBefore } from "./text.ts";

export type JsonForm = {
  readonly text: string;
  /** What was done to it, in words for the note. */
  readonly said: string;
};

/**
 * A JSON value in fewer characters: first without white space, which loses nothing; then with JSON that stands escaped inside
 * strings unpacked; then with long strings cut and lists sampled, each with a note in its place that counts what is missing.
 * The text is read once for whatever lengths are asked for. null: no JSON, or one that must be shortened and whose numbers would come out written in another way.
 */
export function jsonForm(text: string, asked: ReadonlySet<string>): (charsMax: number) => JsonForm | null {
  const parsed = text.length > bounds.jsonFormCharsMax ? null : parseJson(text);
  const value = parsed?.type === "ok" ? parsed.value : null;
  if (typeof value !== "object" || value === null) return () => null;
  const insides = { ranks: ranksOf(asked), unpacked: unpacker() };
  let isRewritten: boolean | null = null;
  let raw: ((charsMax: number) => JsonForm | null) | null = null;
  return (charsMax) => {
    if (text.length <= charsMax * tightTimes) {
      const tight = withoutSpace(text);
      if (tight.length <= charsMax) return { text: tight, said: lossless };
    }
    isRewritten ??= changesNumbers(text);
    if (isRewritten) {
      raw ??= rawForm(text, value, insides.ranks);
      return raw(charsMax);
    }
    // Of a text far too long the first rungs are sure to be.
    for (const limits of ladder.slice(text.length > charsMax * farTimes ? rungsSkipped : 0)) {
      const shown = writer(limits, charsMax, insides)(value);
      if (shown !== null) return { text: shown, said: `${saidOf(value, insides.ranks, limits)}${shortening}` };
    }
    return null;
  };
}

export const lossless = "white space left out";
/** Keys that are numbers come first, and of equal keys only the last is there; finding out whether any were is dear. */
const shortening = "long strings and lists shortened, keys as parsed, the last of equal ones";

/** How long its longest list is, where that is shortened. */
function saidOf(value: object, ranks: Insides["ranks"], { items }: Limits): string {
  const list = mainList(value);
  if (list === null) return "";
  const said = listSaid(
    list,
    sampleOf(ranks(list.items), items).map(({ index }) => index),
  );
  return said === null ? "" : `${said}; `;
}

/** Lines of a text that has them can be chosen from; one giant line is shown by its items. */
function rawForm(text: string, value: object, ranks: Insides["ranks"]): (charsMax: number) => JsonForm | null {
  const list = text.length > text.split("\n", linesMax + 1).length * lineCharsMin ? mainList(value) : null;
  return list === null ? () => null : rawList(text, list, ranks(list.items));
}

const linesMax = 10_000;
const lineCharsMin = 1_000;

/** The text itself: numbers, escapes, the order of keys and repeated keys stay as they were written. */
function withoutSpace(json: string): string {
  return json.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|[ \t\n\r]+/g, "$1");
}

/** White space may be the most of a text, but not of one that is longer by this. */
const tightTimes = 8;
const farTimes = 20;
const rungsSkipped = 4;

function changesNumbers(text: string): boolean {
  return rewritten.test(text) && rewritten.test(text.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
}

/** Numbers that a double would not give back digit by digit. */
const rewritten = /[[:,]\s*-?(?:\d{16,}|\d+\.\d{16,}|\d+(?:\.\d+)?[eE][+-]?\d+|\d+\.\d*0|0(?<=-0))\s*[,\]}]/;

/** Most tools put their JSON into a string of an envelope: then it is written as what it is. */
function packedIn(text: string): object | null {
  if (!/^\s*[[{]/.test(text) || changesNumbers(text)) return null;
  const inner = parseJson(text);
  return inner.type === "ok" && typeof inner.value === "object" ? inner.value : null;
}

const packedCharsMin = 40;

/** Each string is tried once, however often it is written. */
function unpacker(): (text: string) => object | null {
  const known = new Map<string, object | null>();
  return (text) => {
    if (text.length < packedCharsMin) return null;
    const found = known.get(text);
    if (found !== undefined) return found;
    const inner = packedIn(text);
    known.set(text, inner);
    return inner;
  };
}
const depthMax = 40;

/** A list or an object is looked through once, however often it is written. */
function ranksOf(asked: ReadonlySet<string>): (value: object) => Ranked {
  const known = new WeakMap<object, Ranked>();
  return (value) => {
    const ranked = known.get(value) ?? rankedOf(value, asked);
    known.set(value, ranked);
    return ranked;
  };
}

type Limits = { readonly chars: number; readonly items: number; readonly keys: number; readonly depth: number };

/** From little to much taken away; the first that fits is taken. */
const ladder: readonly Limits[] = [
  { chars: 2_000, items: 60, keys: 100, depth: depthMax },
  { chars: 800, items: 60, keys: 60, depth: depthMax },
  { chars: 400, items: 40, keys: 40, depth: depthMax },
  { chars: 240, items: 24, keys: 40, depth: 12 },
  { chars: 160, items: 16, keys: 32, depth: 10 },
  { chars: 120, items: 10, keys: 24, depth: 8 },
  { chars: 80, items: 7, keys: 24, depth: 7 },
  { chars: 60, items: 5, keys: 24, depth: 6 },
  { chars: 48, items: 3, keys: 20, depth: 5 },
  { chars: 36, items: 2, keys: 16, depth: 4 },
  { chars: 24, items: 2, keys: 8, depth: 3 },
  { chars: 16, items: 2, keys: 4, depth: 2 },
];

type Insides = {
  readonly ranks: (value: object) => Ranked;
  readonly unpacked: (text: string) => object | null;
};

/** Writes a value within the limits, or gives up as soon as it is longer than it may be. */
function writer({ chars, items, keys, depth: deepest }: Limits, charsMax: number, { ranks, unpacked }: Insides) {
  let left = charsMax;
  const put = (text: string): string => {
    left -= text.length;
    return text;
  };
  const written = (value: unknown, depth: number): string => {
    if (left < 0) return "";
    if (typeof value === "string") {
      const inner = unpacked(value);
      return inner === null ? put(JSON.stringify(shortened(value, chars))) : written(inner, depth);
    }
    if (typeof value !== "object" || value === null) return put(JSON.stringify(value) ?? "null");
    if (depth > deepest) return put(tooDeep(value));
    const inside = parts(ranks(value), depth, !Array.isArray(value));
    return Array.isArray(value) ? `[${inside}]` : `{${inside}}`;
  };
  const parts = (ranked: Ranked, depth: number, named: boolean): string => {
    put("{},");
    const out: string[] = [];
    let next = 0;
    const gapTo = (index: number) => {
      if (index > next) out.push(put(gapOf(index - next, named)));
      next = index + 1;
    };
    for (const { index, key, value } of sampleOf(ranked, named ? keys : items)) {
      gapTo(index);
      if (left < 0) return "";
      out.push((named ? put(`${JSON.stringify(key)}:`) : "") + written(value, depth + 1));
      left -= 1;
    }
    gapTo(ranked.count);
    return out.join(",");
  };
  return (value: unknown): string | null => {
    const text = written(value, 0);
    return left < 0 ? null : text;
  };
}

function tooDeep(value: object): string {
  const count = Object.keys(value).length;
  return Array.isArray(value) ? `["… ${count} items left out …"]` : `{"…":"${count} members left out"}`;
}

function gapOf(count: number, named: boolean): string {
  return named ? `"…":"${count} more members left out"` : `"… ${count} more items left out …"`;
}

function shortened(text: string, charsMax: number): string {
  if (text.length <= charsMax + 40) return text;
  const head = text.slice(0, cutBefore(text, Math.ceil(charsMax * 0.7)));
  const tail = text.slice(cutBefore(text, text.length - Math.floor(charsMax * 0.3)));
  return `${head}[… ${charsOf(text) - charsOf(head) - charsOf(tail)} characters left out …]${tail}`;
}
