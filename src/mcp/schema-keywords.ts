import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { isJsonRecord, type JsonRecord } from "./schema-ref.ts";
import { typesOf } from "./schema-type.ts";
import { cutWords, serverWords } from "./words.ts";

/** One walk through a schema. */
export type Walk = {
  readonly root: Json;
  readonly depthMax: number;
  /** What was repaired, in words for people. */
  readonly repairs: Set<string>;
  nodes: number;
  /**
   * Counts what takes more now than it did. Where that would turn round (`not`, `if`, the one of `oneOf`) the whole keyword
   * goes, so that what a server takes is taken.
   */
  loosened: number;
};

/** What stays of a keyword's value; undefined: the keyword goes, and with it what it forbade. */
type Keyword = (value: Json | undefined, clean: Clean, walk: Walk) => Json | undefined;

/** A schema inside the one at hand, cleaned. */
export type Clean = (given: Json | undefined) => JsonRecord;

const words: Keyword = (value) => {
  const text = typeof value === "string" ? serverWords(value) : "";
  return text === "" ? undefined : cutWords(text, bounds.serverParameterCharsMax);
};

/** A value that only shows what may be given. */
const shown: Keyword = (value) =>
  value !== undefined && isSound(value) && canonicalJson(value).length <= shownCharsMax ? value : undefined;
const shownCharsMax = 500;

const number: Keyword = (value) => (typeof value === "number" && isSound(value) ? value : undefined);
const count: Keyword = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : undefined;
const flag: Keyword = (value) => (typeof value === "boolean" ? value : undefined);
const format: Keyword = (value) => (typeof value === "string" && /^[\w./+-]{1,60}$/.test(value) ? value : undefined);

const schema: Keyword = (value, clean) => (value === true || isJsonRecord(value) ? clean(value) : undefined);

const schemas: Keyword = (value, clean) =>
  Array.isArray(value) && value.length > 0 ? value.map((one: Json) => clean(one)) : undefined;

/** Of which one is enough: one that takes nothing can go. */
const someSchemas: Keyword = (value, clean, walk) =>
  Array.isArray(value)
    ? schemas(
        value.filter((one: Json) => one !== false),
        clean,
        walk,
      )
    : undefined;

/** By the names of properties, or patterns of them. */
const schemaMap: Keyword = (value, clean, walk) => {
  if (!isJsonRecord(value)) return undefined;
  const all = Object.keys(value).length;
  // Too long whatever is made of them: `nodes` says so.
  if (all > bounds.schemaNodesSeenMax) walk.nodes += all;
  if (walk.nodes > bounds.schemaNodesSeenMax) return {};
  const kept = Object.entries(value).filter(([, one]) => one !== false);
  if (kept.length < all) walk.loosened += 1;
  return Object.fromEntries(kept.map(([name, one]) => [name, clean(one)]));
};

const names: Keyword = (value) =>
  Array.isArray(value) ? [...new Set(value.filter((name: Json) => typeof name === "string"))] : undefined;

/** Unless it takes more now than it did: where that turns round, the keyword goes. */
const exact =
  (keyword: Keyword): Keyword =>
  (value, clean, walk) => {
    const before = walk.loosened;
    const made = keyword(value, clean, walk);
    return walk.loosened === before ? made : undefined;
  };

/** Keywords of JSON Schema 2020-12 that say something to a model; all others are left out. */
export const keywords: Readonly<Record<string, Keyword>> = {
  title: words,
  description: words,
  default: shown,
  examples: shown,
  type: typeNames,
  enum: (value) => (Array.isArray(value) && value.length > 0 && isSound(value) ? value : undefined),
  const: (value) => (value !== undefined && isSound(value) ? value : undefined),
  format,
  pattern: (value) => (typeof value === "string" && isPattern(value) ? value : undefined),
  ...{ minLength: count, maxLength: count, contentEncoding: format, contentMediaType: format },
  ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
  multipleOf: (value) => (typeof value === "number" && value > 0 ? value : undefined),
  properties: schemaMap,
  required: names,
  additionalProperties: (value, clean, walk) => (typeof value === "boolean" ? value : schema(value, clean, walk)),
  patternProperties: (value, clean, walk) =>
    isJsonRecord(value) && Object.keys(value).every(isPattern) && !Object.values(value).includes(false)
      ? schemaMap(value, clean, walk)
      : undefined,
  ...{ propertyNames: schema, minProperties: count, maxProperties: count },
  dependentRequired: nameLists,
  items: schema,
  ...{ prefixItems: schemas, minItems: count, maxItems: count, uniqueItems: flag },
  ...{ contains: exact(schema), minContains: count, maxContains: count },
  ...{ allOf: schemas, anyOf: someSchemas, oneOf: someSchemas },
  ...{ not: exact(schema), if: exact(schema) },
  ...Object.fromEntries(["then", "else"].map((key) => [key, schema])),
};

/** They forbid something too; no provider needs them, and some refuse them. */
export const looseKeywords: ReadonlySet<string> = new Set(
  "dependentSchemas dependencies unevaluatedProperties unevaluatedItems additionalItems $dynamicRef $recursiveRef".split(
    " ",
  ),
);

function typeNames(value: Json | undefined, _clean: Clean, walk: Walk): Json | undefined {
  const types = typesOf(value);
  if (types !== null) return types.length === 1 ? types[0] : types;
  walk.repairs.add("a type it names is none of JSON's");
  return undefined;
}

function nameLists(value: Json | undefined): Json | undefined {
  const isSoundList = (list: Json | undefined): boolean =>
    Array.isArray(list) && list.every((name: Json) => typeof name === "string" && name.isWellFormed());
  return isJsonRecord(value) && isSound(Object.keys(value)) && Object.values(value).every(isSoundList)
    ? value
    : undefined;
}

/** Half a character is no text, and a body that holds one is refused whole; a number without end is written as null. */
function isSound(value: Json | undefined): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isSound);
  return !isJsonRecord(value) || Object.entries(value).every(([key, one]) => key.isWellFormed() && isSound(one));
}

function isPattern(source: string): boolean {
  if (source.length > bounds.patternCharsMax || !source.isWellFormed()) return false;
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    // Expected: a server's pattern is in a language of its own.
    return false;
  }
}
