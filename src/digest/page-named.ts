import type { FormInput } from "./form.ts";
import { indexLines } from "./line-index.ts";
import { isUsable, type PageLine, pageLine } from "./page-line.ts";

/** Lines that are kept before anything is weighed, and the bytes that leaves room for what stands around them. */
export type Wanted = {
  readonly lines: ReadonlySet<number>;
  readonly bytes: number;
  /** What else is to be said of the lines that are not shown; null: nothing. */
  readonly leftOut: (isShown: (index: number) => boolean) => string | null;
};

/** Of a snapshot what the request or the call names, and all that can be used with its ref, where that fits. */
export function wantedOf(input: FormInput, bytesMax: number): Wanted {
  const elements = elementsIn(input.text);
  const usable = elements.filter((element) => element.ref !== null && isUsable(element));
  const bytes = usable.reduce((sum, { length }) => sum + length + gapBytes, 0) * aroundShare;
  const named = namedLines(elements, input);
  const leftOut = (isShown: (index: number) => boolean) => leftOutNote(usable, isShown, input.handle);
  if (bytes > bytesMax) return { lines: new Set(named), bytes: 0, leftOut };
  return { lines: new Set([...named, ...usable.map(({ index }) => index)]), bytes, leftOut };
}

/** How many of each kind are missing, and how one is found: its line brings its ref. */
function leftOutNote(usable: readonly Element[], isShown: (index: number) => boolean, handle: string): string | null {
  const kinds = new Map<string, { all: number; missing: number }>();
  for (const { role, index } of usable) {
    const kind = kinds.get(role) ?? { all: 0, missing: 0 };
    kinds.set(role, { all: kind.all + 1, missing: kind.missing + (isShown(index) ? 0 : 1) });
  }
  const missing = [...kinds].flatMap(([role, kind]) =>
    kind.missing > 0 ? [`${role} ${kind.missing} of ${kind.all}`] : [],
  );
  if (missing.length === 0) return null;
  return `[… elements left out: ${missing.join(", ")}; one with its ref: recall handle=${handle} search="its name" …]`;
}

/** Of what can be used, with the headings and words around it. */
const aroundShare = 1.3;
/** What a note of a gap costs about. */
const gapBytes = 14;

/**
 * The lines of a snapshot whose elements the request or the call speaks of, by words that few elements have in their names:
 * a button's own, and where it is only told by what stands beside it (the row of order 1250), what can be used there.
 */
function namedLines(elements: readonly Element[], { request = "", call = "" }: FormInput): readonly number[] {
  const said = wordsIn(`${request.slice(0, askedCharsMax)} ${call.slice(0, askedCharsMax)}`);
  const asked = new Set(said);
  if (asked.size === 0) return [];
  const phrases = ` ${said.join(" ")} `;
  const times = new Map<string, number>();
  const wordsOf = elements.map(({ name }) => {
    const words = [...new Set(wordsIn(name))];
    for (const word of words) if (asked.has(word)) times.set(word, (times.get(word) ?? 0) + 1);
    return words;
  });
  const scored = elements.flatMap((element, at) => {
    const words = wordsOf[at] ?? [];
    const told = words.filter((word) => (times.get(word) ?? 0) > 0);
    if (told.length === 0) return [];
    const isWhole = told.length === words.length;
    // Said word for word: then it is meant, however many others share each of its words.
    if (isWhole && words.length > 1 && isSaid(element.name, phrases)) return [{ at, score: saidScore + words.length }];
    const score =
      told.reduce((sum, word) => sum + 1 / (times.get(word) ?? 1), 0) * (isUsable(element) ? 2 : 1) * (isWhole ? 2 : 1);
    return score >= scoreMin ? [{ at, score }] : [];
  });
  const best = scored.sort((a, b) => b.score - a.score || a.at - b.at).slice(0, namedMax);
  return best.flatMap(({ at }) => [at, ...besideOf(elements, at)].flatMap((one) => elements[one]?.index ?? []));
}

type Element = PageLine & { readonly index: number; readonly length: number; readonly parent: number };

function elementsIn(text: string): readonly Element[] {
  const lines = indexLines(text);
  const elements: Element[] = [];
  const open: number[] = [];
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index);
    const element = pageLine(line);
    if (element === null) continue;
    while (open.length > 0 && (elements[open.at(-1) ?? 0]?.indent ?? 0) >= element.indent) open.pop();
    elements.push({ ...element, index, length: line.length, parent: open.at(-1) ?? -1 });
    open.push(elements.length - 1);
  }
  return elements;
}

function isSaid(name: string, phrases: string): boolean {
  return phrases.includes(` ${wordsIn(name).join(" ")} `);
}

/**
 * What can be used in the same row or item, if that is a small one; nothing, where the element can be used itself, but for a
 * link: it tells as often what the item is about.
 */
function besideOf(elements: readonly Element[], at: number): readonly number[] {
  const element = elements[at];
  if (element === undefined || (isUsable(element) && element.role !== "link")) return [];
  let unit = at;
  for (let steps = 0; steps < stepsMax && unit >= 0 && !units.has(elements[unit]?.role ?? ""); steps++)
    unit = elements[unit]?.parent ?? -1;
  const { role = "", indent = 0 } = elements[unit] ?? {};
  if (!units.has(role)) return [];
  const inside = elements.slice(unit + 1, unit + 2 + unitMax);
  const end = inside.findIndex((one) => one.indent <= indent);
  if (end < 0 && inside.length > unitMax) return [];
  return inside
    .slice(0, end < 0 ? inside.length : end)
    .flatMap((one, step) => (isUsable(one) ? [unit + 1 + step] : []));
}

const units: ReadonlySet<string> = new Set(["row", "listitem", "article", "gridcell", "group"]);
/** Elements of a row or an item. */
const unitMax = 24;
/** Boxes between an element and its row. */
const stepsMax = 6;

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const askedCharsMax = 4_000;
const namedMax = 12;
/** A word that two elements have names each of them; one that many have none. */
const scoreMin = 0.5;
const saidScore = 10;
