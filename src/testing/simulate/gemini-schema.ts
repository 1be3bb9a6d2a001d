import { isRecord } from "../../kernel/canonical.ts";
import { listOf, recordOf, textOf } from "./value.ts";

const known = new Set(
  (
    "type format title description nullable enum items maxItems minItems properties required minProperties maxProperties " +
    "minLength maxLength pattern example anyOf propertyOrdering default minimum maximum"
  ).split(" "),
);
const types = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
const stringFormats = ["enum", "date-time"];

/** What is wrong with `parameters`: a subset of OpenAPI's schema, and no JSON Schema (PROTOCOLS C.2). */
export function badSchema(value: unknown, path: string): string | null {
  if (!isRecord(value)) return `Invalid value at '${path}': expected a schema object.`;
  const unknown = Object.keys(value).find((name) => !known.has(name));
  if (unknown !== undefined)
    return `Invalid JSON payload received. Unknown name "${unknown}" at '${path}': Cannot find field.`;
  const type = textOf(value.type).toUpperCase();
  if (value.type === undefined && value.anyOf === undefined) return `${path}.type: must be specified.`;
  if (value.type !== undefined && !types.includes(type))
    return `Invalid value at '${path}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), ${JSON.stringify(value.type)}`;
  return badMembers(value, type, path) ?? badInner(value, path);
}

function badMembers(value: Readonly<Record<string, unknown>>, type: string, path: string): string | null {
  const { enum: choices, format, items, properties, required } = value;
  if (choices !== undefined && type !== "STRING") return `${path}.enum: only allowed for STRING type`;
  if (choices !== undefined && !(Array.isArray(choices) && choices.every((one) => textOf(one) !== "")))
    return `${path}.enum: must be a list of non-empty strings`;
  if (type === "STRING" && format !== undefined && !stringFormats.includes(textOf(format)))
    return `${path}.format: only 'enum' and 'date-time' are supported for STRING type`;
  if (type === "ARRAY" && items === undefined) return `${path}.items: missing field.`;
  if (items !== undefined && type !== "ARRAY") return `${path}.items: only allowed for ARRAY type`;
  if (properties !== undefined && type !== "OBJECT") return `${path}.properties: only allowed for OBJECT type`;
  const missing = listOf(required).findIndex((name) => !Object.hasOwn(recordOf(properties), textOf(name)));
  return missing === -1 ? null : `${path}.required[${missing}]: property is not defined`;
}

function badInner(value: Readonly<Record<string, unknown>>, path: string): string | null {
  const inner: readonly (readonly [string, unknown])[] = [
    ...Object.entries(recordOf(value.properties)).map(([name, one]) => [`properties[${name}]`, one] as const),
    ...(value.items === undefined ? [] : [["items", value.items] as const]),
    ...listOf(value.anyOf).map((one, at) => [`anyOf[${at}]`, one] as const),
  ];
  for (const [name, one] of inner) {
    const bad = badSchema(one, `${path}.${name}`);
    if (bad !== null) return bad;
  }
  return null;
}
