import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import { type Question, whether } from "./question.ts";
import type { Reading } from "./reading.ts";

/**
 * JSON: one value, or one in each line. What is asked needs the value, so a text that is none, because something is left
 * out of it, tells nothing.
 */
export const json: readonly Question[] = [
  ofValue("what kind of value", (value) => (Array.isArray(value) ? "list" : typeof value)),
  ofValue("how many items", (value) => (Array.isArray(value) ? String(value.length) : null)),
  ofValue("how many members", (value) => (isRecord(value) ? String(Object.keys(value).length) : null)),
  ofValue("its keys", (value) => keysOf(isRecord(value) ? value : undefined)),
  ofValue("the keys of the first item", (value) => keysOf(itemsOf(value)[0])),
  ofValue("the keys of the last item", (value) => keysOf(itemsOf(value).at(-1))),
  ...[0, 1, 2].map((at) => ofValue(`the id of item ${at + 1}`, (value) => idOf(itemsOf(value)[at]))),
  ofValue("the id of the last item", (value) => idOf(itemsOf(value).at(-1))),
  ofValue("the id", idOf),
  ofValue("how deep", (value) => String(depthOf(value))),
  ofLeaves("how many values", (leaves) => String(leaves.length)),
  ofLeaves("the first text", (leaves) => leaves.find(({ value }) => typeof value === "string")?.value ?? null),
  ofLeaves("the longest text", (leaves) => longest(leaves)),
  ofLeaves("the largest number", (leaves) => extreme(leaves, (a, b) => Math.max(a, b))),
  ofLeaves("the smallest number", (leaves) => extreme(leaves, (a, b) => Math.min(a, b))),
  ofLeaves("how many are null", (leaves) => howMany(leaves, (value) => value === null)),
  ofLeaves("how many are true", (leaves) => howMany(leaves, (value) => value === true)),
  ofLeaves("how many are false", (leaves) => howMany(leaves, (value) => value === false)),
  ofLeaves("how many are empty texts", (leaves) => howMany(leaves, (value) => value === "")),
  ofLeaves("the first error", (leaves) => underKey(leaves, /error|message/i)),
  ofLeaves("the first state", (leaves) => underKey(leaves, /state|status/i)),
  ofLeaves("the first name", (leaves) => underKey(leaves, /name|title/i)),
  ofLeaves("the first address", (leaves) => underKey(leaves, /url|href|link/i)),
  ofLeaves("the newest date", (leaves) => newest(leaves)),
  whether("whether there is an error", /"errors?" ?: ?(?!null|\[\]|false|"")/),
];

function ofValue(name: string, answer: (value: unknown) => string | null): Question {
  return {
    name,
    answer: (reading) => {
      const value = jsonIn(reading);
      return value === undefined ? null : answer(value);
    },
  };
}

type Leaf = { readonly key: string; readonly value: unknown };

function ofLeaves(name: string, answer: (leaves: readonly Leaf[]) => unknown): Question {
  return ofValue(name, (value) => {
    const leaves = leavesOf(value, "");
    const said = leaves.length === 0 ? null : answer(leaves);
    return said === null || said === undefined ? null : String(said);
  });
}

/** One value, or the list of those that stand one in a line. */
export function jsonIn({ lines, whole, reshaped }: Reading): unknown {
  if (!whole && reshaped !== "lossless") return undefined;
  const parsed = parseJson(lines.map((line) => line.text).join("\n"));
  if (parsed.type === "ok") return typeof parsed.value === "object" && parsed.value !== null ? parsed.value : undefined;
  const each = lines.filter((line) => line.text.trim() !== "").map((line) => parseJson(line.text));
  const values = each.flatMap((one) => (one.type === "ok" && isRecord(one.value) ? [one.value] : []));
  return values.length === each.length && values.length > 1 ? values : undefined;
}

/** The list itself, or the only or first one that the value holds. */
function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return [];
  for (const member of Object.values(value)) {
    const items = itemsOf(member);
    if (items.length > 0) return items;
  }
  return [];
}

function keysOf(value: unknown): string | null {
  return isRecord(value) ? Object.keys(value).join(", ") : null;
}

function idOf(value: unknown): string | null {
  if (!isRecord(value)) return null;
  const id = value.id ?? value.identifier ?? value.number ?? value.key ?? value.name;
  return typeof id === "string" || typeof id === "number" ? String(id) : null;
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((deepest, member) => Math.max(deepest, depthOf(member)), 0);
}

function leavesOf(value: unknown, key: string): readonly Leaf[] {
  if (typeof value !== "object" || value === null) return [{ key, value }];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, Array.isArray(value) ? key : name));
}

function longest(leaves: readonly Leaf[]): string | null {
  const texts = leaves.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  return texts.reduce<string | null>((best, one) => (best === null || one.length > best.length ? one : best), null);
}

function extreme(leaves: readonly Leaf[], pick: (a: number, b: number) => number): string | null {
  const numbers = leaves.flatMap(({ value }) => (typeof value === "number" ? [value] : []));
  return numbers.length === 0 ? null : String(numbers.reduce(pick));
}

function howMany(leaves: readonly Leaf[], is: (value: unknown) => boolean): string | null {
  const found = leaves.filter(({ value }) => is(value)).length;
  return found === 0 ? null : String(found);
}

function underKey(leaves: readonly Leaf[], key: RegExp): unknown {
  return leaves.find((leaf) => key.test(leaf.key) && typeof leaf.value === "string")?.value ?? null;
}

function newest(leaves: readonly Leaf[]): string | null {
  const dates = leaves.flatMap(({ value }) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? [value] : [],
  );
  return dates.toSorted().at(-1) ?? null;
}
