import { type Automaton, automatonOf } from "../kernel/automaton.ts";
import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { compilePattern } from "../kernel/pattern.ts";
import { isJsonRecord, type JsonRecord } from "./schema-ref.ts";
import { shortened } from "./validate-fault.ts";

/** What a check may still spend, and how often it could not tell. */
export type Meter = { work: number; unsure: number; readonly patterns: Map<string, Automaton | null> };

/** What a keyword expects of a value, in words; null: it fits, or cannot be told (`meter.unsure` counts that). */
type Keyword = (given: Json, value: Json, schema: JsonRecord, meter: Meter) => string | null;

/** Keywords about one value alone. `format` says what is meant and forbids nothing (JSON Schema 2020-12). */
export const plainKeywords: Readonly<Record<string, Keyword>> = {
  enum: (given, value, _schema, meter) => {
    if (!Array.isArray(given)) return unknown(meter);
    meter.work -= given.length;
    const isIt = equalTo(value);
    return given.some(isIt) ? null : `one of ${shortened(canonicalJson(given), 300)}`;
  },
  const: (given, value) => (equalTo(value)(given) ? null : shortened(canonicalJson(given), 300)),
  minimum: ofNumber((value, limit, schema) =>
    schema.exclusiveMinimum === true ? more(value, limit) : value < limit ? `at least ${limit}` : null,
  ),
  maximum: ofNumber((value, limit, schema) =>
    schema.exclusiveMaximum === true ? less(value, limit) : value > limit ? `at most ${limit}` : null,
  ),
  exclusiveMinimum: ofNumber(more),
  exclusiveMaximum: ofNumber(less),
  multipleOf: ofNumber((value, step) => {
    const times = value / step;
    const isFar = Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times));
    return step > 0 && isFar ? `a multiple of ${step}` : null;
  }),
  minLength: ofSize(lengthOf, (size, limit) => (size < limit ? `at least ${limit} characters` : null)),
  maxLength: ofSize(lengthOf, (size, limit) => (size > limit ? `at most ${limit} characters` : null)),
  minItems: ofSize(itemsIn, (size, limit) => (size < limit ? `at least ${limit} items` : null)),
  maxItems: ofSize(itemsIn, (size, limit) => (size > limit ? `at most ${limit} items` : null)),
  minProperties: ofSize(membersIn, (size, limit) => (size < limit ? `at least ${limit} fields` : null)),
  maxProperties: ofSize(membersIn, (size, limit) => (size > limit ? `at most ${limit} fields` : null)),
  uniqueItems: (given, value) => {
    if (given !== true || !Array.isArray(value)) return null;
    return new Set(value.map((item: Json) => canonicalJson(item))).size < value.length ? "items that differ" : null;
  },
  pattern: (given, value, _schema, meter) => {
    if (typeof value !== "string" || typeof given !== "string") return null;
    return matches(given, value, meter) === false ? `a text like ${shortened(given, 200)}` : null;
  },
};

/** Without backtracking: a server's pattern cannot make a check take long. null: it cannot be told. */
export function matches(pattern: string, text: string, meter: Meter): boolean | null {
  const automaton = meter.work < 0 ? null : compiled(pattern, meter);
  if (automaton === null) return unknown(meter);
  const before = automaton.spent();
  const end = automaton.endIn(text);
  meter.work -= automaton.spent() - before;
  return end < 0 && automaton.isOver() ? unknown(meter) : end >= 0;
}

function compiled(pattern: string, { patterns }: Meter): Automaton | null {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const made = pattern.length > bounds.patternCharsMax ? null : compilePattern(pattern);
  const automaton = made?.type === "ok" ? automatonOf(made.program, bounds.argumentWorkMax) : null;
  patterns.set(pattern, automaton);
  return automaton;
}

function unknown(meter: Meter): null {
  meter.unsure += 1;
  return null;
}

function equalTo(value: Json): (one: Json) => boolean {
  if (typeof value !== "object" || value === null) return (one) => one === value;
  const text = canonicalJson(value);
  return (one) => typeof one === "object" && one !== null && canonicalJson(one) === text;
}

function ofNumber(check: (value: number, limit: number, schema: JsonRecord) => string | null): Keyword {
  return (given, value, schema) =>
    typeof given === "number" && typeof value === "number" ? check(value, given, schema) : null;
}

function more(value: number, limit: number): string | null {
  return value <= limit ? `more than ${limit}` : null;
}

function less(value: number, limit: number): string | null {
  return value >= limit ? `less than ${limit}` : null;
}

/** `sizeOf` gives null where the value is of another kind. */
function ofSize(
  sizeOf: (value: Json) => number | null,
  check: (size: number, limit: number) => string | null,
): Keyword {
  return (given, value) => {
    const size = sizeOf(value);
    return size !== null && typeof given === "number" ? check(size, given) : null;
  };
}

function lengthOf(value: Json): number | null {
  return typeof value === "string" ? [...value].length : null;
}

function itemsIn(value: Json): number | null {
  return Array.isArray(value) ? value.length : null;
}

function membersIn(value: Json): number | null {
  return isJsonRecord(value) ? Object.keys(value).length : null;
}
