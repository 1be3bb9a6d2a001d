import { isRecord } from "../kernel/canonical.ts";
import { parseJson } from "../kernel/json.ts";

/**
 * A tool's input as a table of fields: the schema the model gets, the checks and the types come from the same table.
 * Made here and not with a schema library: flat fields and lists of them are all the tools need, and loading one costs more
 * time at every start than all the rest of the program.
 */
export type Fields = { readonly [name: string]: Field };
export type Field = PlainField | ListField;
type PlainField = {
  readonly type: "string" | "integer" | "boolean";
  readonly description?: string;
  readonly optional: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly values?: readonly string[];
};
/** A list of objects; `minimum` and `maximum` count its items. */
type ListField = {
  readonly type: "list";
  readonly of: { readonly [name: string]: PlainField };
  readonly description?: string;
  readonly optional: boolean;
  readonly minimum?: number;
  readonly maximum: number;
};

export type InputOf<F extends Fields> = {
  readonly [N in keyof F]: ValueOf<F[N]> | (F[N]["optional"] extends true ? undefined : never);
};
type ValueOf<F extends Field> = F extends ListField
  ? readonly InputOf<F["of"]>[]
  : F["type"] extends "string"
    ? F extends { readonly values: readonly (infer V)[] }
      ? V
      : string
    : F["type"] extends "integer"
      ? number
      : boolean;

export type Checked<F extends Fields> =
  | { readonly type: "ok"; readonly input: InputOf<F> }
  | { readonly type: "bad"; readonly why: string };

/** JSON Schema text, its keys in the table's order: the same bytes at every start. */
export function schemaOf(fields: Fields): string {
  return JSON.stringify(objectSchema(fields));
}

function objectSchema(fields: Fields): unknown {
  const properties = Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: Object.keys(fields).filter((name) => fields[name]?.optional === false),
    additionalProperties: false,
  };
}

function fieldSchema(field: Field): unknown {
  const { type, description, minimum, maximum } = field;
  if (type !== "list") return { type, description, minimum, maximum, enum: field.values };
  return { type: "array", description, items: objectSchema(field.of), minItems: minimum, maxItems: maximum };
}

/**
 * Strict about fields and kinds, lenient about what models often write: numbers and booleans in quotes, `null` for an
 * optional field that is left out, the whole input as JSON in a string.
 */
export function checkInput<F extends Fields>(fields: F, given: unknown): Checked<F> {
  const raw = typeof given === "string" ? unwrapped(given) : given;
  if (!isRecord(raw))
    return { type: "bad", why: `the input must be an object with ${namesOf(fields)}; got ${kindOf(raw)}.` };
  const input: Record<string, unknown> = {};
  const problems = Object.keys(raw)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${name.slice(0, 100)}: unknown field; the fields are ${namesOf(fields)}.`);
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined;
    const read = value === undefined ? undefined : coerced(field, value);
    if (value === undefined && !field.optional) problems.push(`${name}: missing; expected ${expectationOf(field)}.`);
    else if (field.type === "list" && Array.isArray(read)) {
      const items = checkItems(name, field, read);
      problems.push(...items.problems);
      input[name] = items.input;
    } else if (value !== undefined && !fits(field, read)) {
      problems.push(`${name}: expected ${expectationOf(field)}, got ${shown(value)}.`);
    } else input[name] = read;
  }
  if (problems.length > 0) return { type: "bad", why: problems.join("\n") };
  // Every field of the table was just checked against its own row, and nothing else is in it.
  return { type: "ok", input: input as InputOf<F> };
}

function checkItems(name: string, field: ListField, items: readonly unknown[]) {
  const { minimum = 0, maximum } = field;
  if (items.length < minimum || items.length > maximum) {
    const problem = `${name}: expected ${expectationOf(field)}, got ${items.length}.`;
    return { problems: [problem], input: [] };
  }
  const checked = items.map((item) => checkInput(field.of, item));
  return {
    problems: checked.flatMap((one, at) => (one.type === "bad" ? [`${name}[${at}]: ${one.why}`] : [])),
    input: checked.flatMap((one) => (one.type === "ok" ? [one.input] : [])),
  };
}

function unwrapped(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.type === "ok" ? parsed.value : text;
}

function coerced(field: Field, value: unknown): unknown {
  if (field.type === "list") return typeof value === "string" ? unwrapped(value) : value;
  if (field.type === "integer" && typeof value === "string" && /^\s*-?\d+\s*$/.test(value)) return Number(value);
  if (field.type === "boolean" && (value === "true" || value === "false")) return value === "true";
  if (field.type === "string" && (typeof value === "number" || typeof value === "boolean")) return String(value);
  return value;
}

function fits(field: Field, value: unknown): boolean {
  if (field.type === "list") return false;
  if (field.type === "string") return typeof value === "string" && (field.values?.includes(value) ?? true);
  if (field.type === "boolean") return typeof value === "boolean";
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return false;
  return value >= (field.minimum ?? value) && value <= (field.maximum ?? value);
}

function expectationOf(field: Field): string {
  if (field.type === "list")
    return `a list of ${field.minimum ?? 0} to ${field.maximum} objects with ${namesOf(field.of)}`;
  if (field.values !== undefined) return field.values.map((value) => `"${value}"`).join(" or ");
  const from = field.minimum === undefined ? "" : ` >= ${field.minimum}`;
  const to = field.maximum === undefined ? "" : ` <= ${field.maximum}`;
  return `${field.type}${from}${to}`;
}

function namesOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, field]) => (field.optional ? `${name}?` : name))
    .join(", ");
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return `${text.length > 80 ? `${text.slice(0, 80)}…` : text} (${kindOf(value)})`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
