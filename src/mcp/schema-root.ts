import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { own } from "../kernel/own.ts";
import { isJsonRecord, type JsonRecord } from "./schema-ref.ts";
import { cutWords, serverWords } from "./words.ts";

export type ObjectSchema =
  | { readonly type: "ok"; readonly schema: JsonRecord; readonly said: readonly string[] }
  | { readonly type: "bad"; readonly why: string };

/**
 * A cleaned schema as one plain object schema: providers refuse `anyOf`, `oneOf`, `allOf`, `not` and `enum` at the root. What
 * they said is merged, and what cannot be is said in words. What only some forms say of a property stands where all others are
 * silent on it: the check of a call goes by the server's own schema.
 */
export function objectSchema(cleaned: JsonRecord): ObjectSchema {
  if (!takesObjects(cleaned)) return { type: "bad", why: `its input is ${typeText(cleaned.type)}, and no object` };
  const told: string[] = [];
  const shape = shapeOf(cleaned, told);
  if (shape === null) return { type: "bad", why: "its schema takes no object" };
  const {
    minProperties,
    maxProperties,
    propertyNames,
    dependentRequired,
    title,
    description,
    default: usual,
    examples,
  } = cleaned;
  const beside = { minProperties, maxProperties, propertyNames, dependentRequired, title, description, examples };
  return {
    type: "ok",
    schema: { ...beside, default: usual, ...schemaOf(shape), type: "object" },
    said: [...told, ...restrictions(cleaned)].filter((text) => text !== "").slice(0, saidMax),
  };
}

const saidMax = 3;

function takesObjects({ type }: JsonRecord): boolean {
  return type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
}

function typeText(type: Json | undefined): string {
  return Array.isArray(type) ? type.join(" or ") : `of type ${String(type)}`;
}

/** What an object schema says of its members. */
type Shape = {
  readonly properties: Readonly<Record<string, Json | undefined>>;
  readonly required: readonly string[];
  readonly patterns: Readonly<Record<string, Json | undefined>>;
  /** Of all other members; undefined: anything. */
  readonly others: Json | undefined;
};

function schemaOf({ properties, required, patterns, others }: Shape): JsonRecord {
  const missing = required.filter((name) => !Object.hasOwn(properties, name)).map((name) => [name, {}] as const);
  return {
    properties: { ...properties, ...Object.fromEntries(missing) },
    ...(required.length > 0 ? { required: required.toSorted() } : {}),
    ...(Object.keys(patterns).length > 0 ? { patternProperties: patterns } : {}),
    ...(others === undefined ? {} : { additionalProperties: others }),
  };
}

/** null: it takes no object. `told` collects in words what cannot be merged. */
function shapeOf(schema: JsonRecord, told: string[]): Shape | null {
  if (!takesObjects(schema)) return null;
  let shape: Shape | null = {
    properties: isJsonRecord(schema.properties) ? schema.properties : {},
    required: Array.isArray(schema.required) ? schema.required.map(String) : [],
    patterns: isJsonRecord(schema.patternProperties) ? schema.patternProperties : {},
    others: schema.additionalProperties,
  };
  for (const part of schemasIn(schema.allOf)) shape = both(shape, shapeOf(part, told));
  for (const forms of [schemasIn(schema.anyOf), schemasIn(schema.oneOf)]) {
    const named = shape?.properties ?? {};
    const isSaid = (name: string): boolean => own(named, name) !== undefined;
    if (forms.length > 0) shape = both(shape, anyOf(forms, told, isSaid));
  }
  if (schema.if === undefined) return shape;
  const branches = anyOf(
    [schema.then, schema.else].map((part) => (isJsonRecord(part) ? part : {})),
    [],
    () => true,
  );
  return both(shape, branches);
}

function schemasIn(value: Json | undefined): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isJsonRecord) : [];
}

function both(a: Shape | null, b: Shape | null): Shape | null {
  if (a === null || b === null) return null;
  return {
    properties: merged(a.properties, b.properties),
    required: [...new Set([...a.required, ...b.required])],
    patterns: merged(a.patterns, b.patterns),
    // Either of the two is right for what neither names.
    others: a.others ?? b.others,
  };
}

/** `isSaid`: something is said of that property elsewhere, so that a form that is silent on it takes more than one that is not. */
function anyOf(schemas: readonly JsonRecord[], told: string[], isSaid: (name: string) => boolean): Shape | null {
  const shapes = schemas.flatMap((schema) => shapeOf(schema, told) ?? []);
  const [first, ...rest] = shapes;
  if (first === undefined) return null;
  if (rest.length > 0) told.push(formsText(shapes));
  return rest.reduce((a, b) => either(a, b, isSaid), first);
}

function either(a: Shape, b: Shape, isSaid: (name: string) => boolean): Shape {
  const silent = (shape: Shape, name: string): Json | undefined => {
    if (Object.keys(shape.patterns).length > 0) return {};
    if (shape.others === false) return undefined;
    return isSaid(name) ? {} : isJsonRecord(shape.others) ? shape.others : undefined;
  };
  const names = [...new Set([...Object.keys(a.properties), ...Object.keys(b.properties)])];
  const properties = names.map((name) => {
    const [one, other] = [a, b].map((shape) => own(shape.properties, name) ?? silent(shape, name));
    return [name, one === undefined ? other : other === undefined ? one : eitherSchema(one, other)] as const;
  });
  const isPlain = Object.keys(a.patterns).length + Object.keys(b.patterns).length === 0;
  return {
    properties: Object.fromEntries(properties),
    required: a.required.filter((name) => b.required.includes(name)),
    patterns: {},
    others: isPlain && a.others === false && b.others === false ? false : undefined,
  };
}

function merged(a: Shape["properties"], b: Shape["properties"]): Shape["properties"] {
  const more = Object.entries(b).map(([name, schema]) => {
    const before = own(a, name);
    return [name, before === undefined ? schema : bothSchemas(before, schema ?? {})] as const;
  });
  return { ...a, ...Object.fromEntries(more) };
}

function bothSchemas(a: Json, b: Json): Json {
  if (canonicalJson(a) === canonicalJson(b)) return a;
  if (!isJsonRecord(a) || !isJsonRecord(b)) return { allOf: [a, b] };
  const isApart = Object.keys(b).every(
    (key) => a[key] === undefined || canonicalJson(a[key]) === canonicalJson(b[key] ?? null),
  );
  const isPlain = ![...Object.keys(a), ...Object.keys(b)].some((key) => linked.has(key));
  return isApart && isPlain ? { ...a, ...b } : { allOf: [a, b] };
}

/** Keywords that change what others beside them mean. */
const linked: ReadonlySet<string> = new Set(["if", "then", "else", "contains", "minContains", "maxContains"]);

function eitherSchema(a: Json, b: Json): Json {
  const options = [...optionsOf(a), ...optionsOf(b)];
  if (options.some((option) => canonicalJson(option) === "{}")) return {};
  const apart = [...new Map(options.map((option) => [canonicalJson(option), option])).values()];
  return apart.length === 1 ? (apart[0] ?? {}) : { anyOf: apart };
}

function optionsOf(schema: Json): readonly Json[] {
  return isJsonRecord(schema) && Object.keys(schema).length === 1 && Array.isArray(schema.anyOf)
    ? schema.anyOf
    : [schema];
}

function formsText(shapes: readonly Shape[]): string {
  const each = shapes.map(({ properties, required }) => {
    const names = required.length > 0 ? required : Object.keys(properties);
    return names.length === 0 ? "others" : names.map((name) => `\`${name}\``).join(" and ");
  });
  const apart = [...new Set(each)];
  return apart.length < 2
    ? ""
    : bounded(`Its input has one of these forms, by what they need: ${apart.join("; or ")}.`);
}

function restrictions(schema: JsonRecord): readonly string[] {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  return [
    ...(values === undefined ? [] : [bounded(`Its whole input is one of: ${canonicalJson(values)}`)]),
    ...(schema.not === undefined ? [] : [bounded(`It does not take: ${canonicalJson(schema.not)}`)]),
  ];
}

function bounded(text: string): string {
  return cutWords(serverWords(text), bounds.serverParameterCharsMax);
}
