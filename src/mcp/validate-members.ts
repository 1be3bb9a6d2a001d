import type { Json } from "../kernel/canonical.ts";
import { isJsonRecord, type JsonRecord } from "./schema-ref.ts";
import type { Fault, Path } from "./validate-fault.ts";
import { shortened } from "./validate-fault.ts";
import { type Meter, matches } from "./validate-keywords.ts";

/** Checks a value inside the one at hand, against a schema inside its schema. */
export type Visit = (schema: Json | undefined, value: Json, path: Path) => readonly Fault[];

/** What a schema says of an object's members. */
export function memberFaults(
  schema: JsonRecord,
  value: JsonRecord,
  path: Path,
  visit: Visit,
  meter: Meter,
): readonly Fault[] {
  const { required, dependentRequired, propertyNames } = schema;
  const missing = [
    ...namesIn(required),
    ...Object.entries(isJsonRecord(dependentRequired) ? dependentRequired : {}).flatMap(([name, also]) =>
      Object.hasOwn(value, name) ? namesIn(also) : [],
    ),
  ].filter((name) => value[name] === undefined || !Object.hasOwn(value, name));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return [
    ...[...new Set(missing)].map((name) => ({
      path: [...path, name],
      expected: "a value (it is required)",
      types: [],
    })),
    ...members.flatMap(([name, member]) => ofMember(schema, name, member ?? null, path, visit, meter)),
    ...(propertyNames === undefined ? [] : members.flatMap(([name]) => visit(propertyNames, name, [...path, name]))),
  ];
}

function namesIn(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((name: Json) => typeof name === "string") : [];
}

function ofMember(
  { properties, patternProperties, additionalProperties }: JsonRecord,
  name: string,
  member: Json,
  path: Path,
  visit: Visit,
  meter: Meter,
): readonly Fault[] {
  const at = [...path, name];
  const declared = isJsonRecord(properties) ? properties : {};
  const patterns = Object.entries(isJsonRecord(patternProperties) ? patternProperties : {}).map(
    ([pattern, schema]) => ({ schema, fits: matches(pattern, name, meter) }),
  );
  const named = Object.hasOwn(declared, name) ? visit(declared[name], member, at) : [];
  const faults = [
    ...named,
    ...patterns.flatMap(({ schema, fits }) => (fits === true ? visit(schema, member, at) : [])),
  ];
  const isOther = !Object.hasOwn(declared, name) && patterns.every(({ fits }) => fits === false);
  if (!isOther || additionalProperties === undefined) return faults;
  if (additionalProperties !== false) return [...faults, ...visit(additionalProperties, member, at)];
  const known = shortened(Object.keys(declared).join(", "), 300);
  return [
    ...faults,
    { path: at, expected: known === "" ? "no field" : `no such field (there are: ${known})`, types: [] },
  ];
}

/** What a schema says of an array's items; a list as `items` is the older form of `prefixItems`. */
export function itemFaults(
  schema: JsonRecord,
  value: readonly Json[],
  path: Path,
  visit: Visit,
  meter: Meter,
): readonly Fault[] {
  const isOld = Array.isArray(schema.items);
  const first = isOld ? schema.items : schema.prefixItems;
  const others = isOld ? schema.additionalItems : schema.items;
  const prefix: readonly Json[] = Array.isArray(first) ? first : [];
  const faults = value.flatMap((item, at) => visit(at < prefix.length ? prefix[at] : others, item, [...path, at]));
  return [...faults, ...containFaults(schema, value, path, visit, meter)];
}

function containFaults(
  { contains, minContains, maxContains }: JsonRecord,
  value: readonly Json[],
  path: Path,
  visit: Visit,
  meter: Meter,
): readonly Fault[] {
  if (contains === undefined) return [];
  const before = meter.unsure;
  const fitting = value.filter((item, at) => visit(contains, item, [...path, at]).length === 0).length;
  const [least, most] = [minContains ?? 1, maxContains];
  if (typeof least === "number" && fitting < least)
    return [{ path, expected: `at least ${least} items that fit what it must contain`, types: [] }];
  return typeof most === "number" && fitting > most && meter.unsure === before
    ? [{ path, expected: `at most ${most} items that fit what it may contain`, types: [] }]
    : [];
}
