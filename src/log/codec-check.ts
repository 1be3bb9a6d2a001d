import { isRecord } from "../kernel/canonical.ts";

/**
 * Says what is wrong with a value that should be a `T`, or null. Checks look and never copy, so fields that this
 * version does not know stay where they are. `of` exists only in types: it ties a check to what it checks.
 */
export type Check<T> = { (value: unknown): string | null; readonly of?: T };

/** One check per field but `type`, which `union` reads. A new field does not compile until it has one. */
type Fields<T> = { readonly [K in keyof T as Exclude<K, "type">]-?: Check<Exclude<T[K], undefined>> };

export function shape<T>(fields: Fields<T>): Check<T> {
  const rows: readonly (readonly [string, Check<unknown>])[] = Object.entries(fields);
  return (value) => {
    if (!isRecord(value)) return "is not an object";
    for (const [key, check] of rows) {
      const fault = check(value[key]);
      if (fault !== null) return value[key] === undefined ? `\`${key}\` is missing` : `\`${key}\` ${fault}`;
    }
    return null;
  };
}

/** A union told apart by the word under `key`, total by that word. */
export function union<T, K extends keyof T & string>(
  key: K,
  table: { readonly [W in T[K] & string]: Check<Extract<T, { readonly [P in K]: W }>> },
): Check<T> {
  const checks: Readonly<Record<string, Check<unknown>>> = table;
  return (value) => {
    if (!isRecord(value)) return "is not an object";
    const word = value[key];
    if (typeof word !== "string") return `has no \`${key}\``;
    const check = Object.hasOwn(checks, word) ? checks[word] : undefined;
    return check === undefined ? `has an unknown \`${key}\` (${word.slice(0, 60)})` : check(value);
  };
}

/** A closed set of words. The record is total, so a new word does not compile until it stands here. */
export function words<T extends string>(members: Readonly<Record<T, true>>): Check<T> {
  return (value) =>
    typeof value === "string" && Object.hasOwn(members, value) ? null : "is not one of the known words";
}

export function either<A, B>(a: Check<A>, b: Check<B>): Check<A | B> {
  return (value) => (a(value) === null ? null : b(value));
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value) => (value === null ? null : check(value));
}

export function optional<T>(check: Check<T>): Check<T> {
  return (value) => (value === undefined ? null : check(value));
}

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return "is not a list";
    for (const [index, item] of value.entries()) {
      const fault = check(item);
      if (fault !== null) return `[${index}] ${fault}`;
    }
    return null;
  };
}

/** Text, branded or not: a brand is a promise of whoever wrote our log. */
export const string: Check<never> = (value) => (typeof value === "string" ? null : "is not text");
export const number: Check<number> = (value) => (Number.isFinite(value) ? null : "is not a number");
export const boolean: Check<boolean> = (value) => (typeof value === "boolean" ? null : "is not true or false");
/** A hash that names a file of ours, so it must not be able to name any other. */
export const blobHash: Check<never> = (value) =>
  typeof value === "string" && /^[0-9a-f]{64}$/.test(value) ? null : "is not a SHA-256";
