import { isRecord } from "../kernel/canonical.ts";

/** Of a list or an object, the members that stand for it in the order in which they are worth showing. */
export type Ranked = { readonly count: number; readonly best: readonly Member[] };
type Member = { readonly index: number; readonly key: string; readonly value: unknown };

/**
 * The first and the last, those that hold what was asked for, those unlike the others, and then the ones that follow the
 * first. Each member is looked at once, however many there are; no form shows more than `rankedMax` of them.
 */
export function rankedOf(value: object, asked: ReadonlySet<string>): Ranked {
  const keys = Array.isArray(value) ? null : Object.keys(value);
  const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  const kept = new Set([0, values.length - 1].filter((index) => index < values.length && index >= 0));
  const add = (index: number) => {
    if (kept.size < rankedMax) kept.add(index);
  };
  if (asked.size > 0)
    for (let index = 0; index < values.length; index++)
      if ((keys !== null && asked.has(keys[index] ?? "")) || holds(values[index], asked)) add(index);
  for (const index of oddOnes(values)) add(index);
  for (let index = 1; kept.size < rankedMax && index < values.length; index++) add(index);
  const best = [...kept].map((index) => ({ index, key: keys?.[index] ?? "", value: values[index] }));
  return { count: values.length, best };
}

const rankedMax = 120;

/** As many of the best as may be shown, in their order; all where a note would stand for a single one. */
export function sampleOf({ count, best }: Ranked, shownMax: number): readonly Member[] {
  const shown = count <= shownMax + 1 ? best : best.slice(0, shownMax);
  return [...shown].sort((a, b) => a.index - b.index);
}

/** Those of a shape that few others have. */
function oddOnes(values: readonly unknown[]): readonly number[] {
  const shapes = values.map(shapeOf);
  const times = new Map<string, number>();
  for (const shape of shapes) times.set(shape, (times.get(shape) ?? 0) + 1);
  const rareMax = Math.max(1, values.length / 20);
  const odd: number[] = [];
  for (let index = 0; index < shapes.length && odd.length < rankedMax; index++)
    if ((times.get(shapes[index] ?? "") ?? 0) <= rareMax) odd.push(index);
  return odd;
}

/** What kind of thing it is: its keys, and how it is doing. */
function shapeOf(value: unknown): string {
  if (!isRecord(value)) return Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  let shape = "";
  for (const key of Object.keys(value)) {
    const member = value[key];
    const says =
      states.test(key) && (typeof member !== "object" || member === null) ? `=${String(member).slice(0, 24)}` : "";
    shape += `${key}${says}${member === null ? "=null" : ""},`;
  }
  return shape;
}

const states = /^(?:state|status|level|severity|conclusion|result|ok|success|failed|error|errors|outcome|kind|type)$/i;

function holds(value: unknown, asked: ReadonlySet<string>): boolean {
  if (typeof value === "string") return asked.has(value);
  return isRecord(value) && Object.values(value).some((member) => typeof member === "string" && asked.has(member));
}
