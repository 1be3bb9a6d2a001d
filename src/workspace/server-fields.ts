import { bounds } from "../kernel/bounds.ts";

/** Reads the fields of an entry one by one and keeps what is wrong with any of them. A field that is null counts as left out. */
export type Fields = {
  has(field: string): boolean;
  text(field: string): string | undefined;
  texts(field: string): readonly string[] | undefined;
  /** Names and their texts. */
  named(field: string): ReadonlyMap<string, string> | undefined;
  flag(field: string): boolean | undefined;
  /** From 1 on; what is more than `max` is `max`, and said. */
  count(field: string, max: number): number | undefined;
  wrong(field: string, why: string): void;
  warn(field: string, why: string): void;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
};

/** What a value is stands in a fault, never the value: it may be a key. */
export function fieldsOf(entry: Readonly<Record<string, unknown>>): Fields {
  const faults: string[] = [];
  const warnings: string[] = [];
  const given = (field: string): unknown => (Object.hasOwn(entry, field) ? entry[field] : undefined) ?? undefined;
  const wrong = (field: string, why: string): void => void faults.push(`${field}: ${why}`);
  const warn = (field: string, why: string): void => void warnings.push(`${field}: ${why}`);
  /** undefined too where it is not what was expected. */
  function read<T>(field: string, expected: string, as: (value: unknown) => T | undefined): T | undefined {
    const value = given(field);
    const found = value === undefined ? undefined : as(value);
    if (value !== undefined && found === undefined) wrong(field, `expected ${expected}, got ${kindOf(value)}`);
    return found;
  }
  return {
    has: (field) => given(field) !== undefined,
    text: (field) => read(field, "a text", textIn),
    texts: (field) =>
      read(field, 'a list of texts, such as ["-y", "server"]', (value) => (isTexts(value) ? value : undefined)),
    named: (field) => read(field, 'an object of texts, such as {"NAME": "value"}', namedTexts),
    flag: (field) => read(field, "true or false", (value) => (typeof value === "boolean" ? value : undefined)),
    count(field, max) {
      const value = read(field, "a whole number from 1 on", countIn);
      if (value !== undefined && value > max) warn(field, `at most ${max}, which holds`);
      return value === undefined ? undefined : Math.min(value, max);
    },
    wrong,
    warn,
    faults,
    warnings,
  };
}

/** What a JSON value is, for people. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.every((one) => typeof one === "string") ? "a list" : "a list of other things";
  if (typeof value === "number") return `the number ${value}`;
  return kinds[typeof value] ?? "nothing";
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  boolean: "true or false",
  object: "an object of other things",
};

function textIn(value: unknown): string | undefined {
  return typeof value === "string" && !value.includes("\0") ? value : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= bounds.rulesMax && value.every((one) => textIn(one) !== undefined);
}

function namedTexts(value: unknown): ReadonlyMap<string, string> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const texts = Object.entries(value).flatMap(([name, text]): readonly (readonly [string, string])[] =>
    textIn(text) === undefined ? [] : [[name, text]],
  );
  return texts.length === Object.keys(value).length ? new Map(texts) : undefined;
}

function countIn(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 ? value : undefined;
}
