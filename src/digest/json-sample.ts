import { isRecord } from "../kernel/canonical.ts";

/**
 * Which members of a list stand for it: the first and the last, those that hold what was asked for, those unlike the others,
 * and then the ones that follow the first. Indexes in order.
 */
export function sampleOf(
  members: readonly (readonly [string, unknown])[],
  count: number,
  asked: ReadonlySet<string>,
): readonly number[] {
  if (members.length <= count + 1) return members.map((_, index) => index);
  const kept = new Set([0, members.length - 1]);
  const add = (index: number) => {
    if (kept.size < count) kept.add(index);
  };
  if (asked.size > 0)
    for (const [index, [key, value]] of members.entries()) if (asked.has(key) || holds(value, asked)) add(index);
  const shapes = members.map(([, value]) => shapeOf(value));
  const times = new Map<string, number>();
  for (const shape of shapes) times.set(shape, (times.get(shape) ?? 0) + 1);
  const rareMax = Math.max(1, members.length / 20);
  for (const [index, shape] of shapes.entries()) if ((times.get(shape) ?? 0) <= rareMax) add(index);
  for (let index = 1; kept.size < count && index < members.length; index++) add(index);
  return [...kept].sort((a, b) => a - b);
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
