import { bounds } from "../kernel/bounds.ts";
import type { Json } from "../kernel/canonical.ts";
import { isJsonRecord, type JsonRecord, referenced } from "./schema-ref.ts";
import { typesOf } from "./schema-type.ts";
import type { Fault, Path } from "./validate-fault.ts";
import { type Meter, plainKeywords } from "./validate-keywords.ts";
import { itemFaults, memberFaults, type Visit } from "./validate-members.ts";

/**
 * Where a value does not fit a schema (JSON Schema 2020-12, with the older forms that are still met). Bounded in time whatever
 * the schema, and lenient by construction: what is not known, cannot be found or takes too long fits; the server decides.
 */
export function faultsOf(schema: Json | undefined, value: Json): readonly Fault[] {
  const meter: Meter = { work: bounds.argumentWorkMax, unsure: 0, patterns: new Map() };
  const check: Check = { root: schema ?? true, depth: 0, open: [], meter };
  return visited(check, schema, value, []);
}

type Check = {
  readonly root: Json;
  readonly depth: number;
  /** Schemas that the value at hand is being checked against: one that refers to itself would never end. */
  readonly open: readonly JsonRecord[];
  readonly meter: Meter;
};

/** Schemas in schemas, those that are referred to included. */
const depthMax = 600;

function visited(check: Check, schema: Json | undefined, value: Json, path: Path): readonly Fault[] {
  const { meter, depth } = check;
  if (schema === false) return [{ path, expected: "nothing", types: [] }];
  if (!isJsonRecord(schema)) return [];
  meter.work -= 1 + Object.keys(schema).length;
  const isEndless = check.open.length > bounds.schemaReferencesMax || check.open.includes(schema);
  if (meter.work < 0 || depth > depthMax || isEndless) {
    meter.unsure += 1;
    return [];
  }
  const inside: Check = { ...check, depth: depth + 1, open: [] };
  const inPlace: Check = { ...inside, open: [...check.open, schema] };
  const visit: Visit = (one, member, at) => visited(at === path ? inPlace : inside, one, member, at);
  const { $ref: ref } = schema;
  const referred = typeof ref === "string" ? ofReference(check, ref, value, path, visit) : [];
  if (typeof ref === "string" && isOld(check.root)) return referred;
  if (unread.some((keyword) => schema[keyword] !== undefined)) meter.unsure += 1;
  return [
    ...referred,
    ...typeFaults(schema.type, value, path, meter),
    ...plainFaults(schema, value, path, meter),
    ...(isJsonRecord(value) ? memberFaults(schema, value, path, visit, meter) : []),
    ...(Array.isArray(value) ? itemFaults(schema, value, path, visit, meter) : []),
    ...combined(schema, value, path, visit, meter),
  ];
}

/** They may forbid something; it is left to the server. */
const unread = "dependentSchemas dependencies unevaluatedProperties unevaluatedItems $dynamicRef $recursiveRef".split(
  " ",
);

/** Until draft 7, what stands beside a reference counts for nothing. */
function isOld(root: Json): boolean {
  return isJsonRecord(root) && typeof root.$schema === "string" && /draft-0[3-7]/.test(root.$schema);
}

function ofReference(check: Check, ref: string, value: Json, path: Path, visit: Visit): readonly Fault[] {
  const target = referenced(check.root, ref);
  if (target === undefined) check.meter.unsure += 1;
  return target === undefined ? [] : visit(target, value, path);
}

const kinds: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => typeof value === "number" && Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: (value) => isJsonRecord(value),
};

function typeFaults(given: Json | undefined, value: Json, path: Path, meter: Meter): readonly Fault[] {
  if (given === undefined) return [];
  const types = typesOf(given);
  if (types === null) {
    meter.unsure += 1;
    return [];
  }
  return types.some((type) => kinds[type]?.(value)) ? [] : [{ path, expected: types.join(" or "), types }];
}

function plainFaults(schema: JsonRecord, value: Json, path: Path, meter: Meter): readonly Fault[] {
  return Object.entries(schema).flatMap(([key, given]) => {
    const keyword = Object.hasOwn(plainKeywords, key) ? plainKeywords[key] : undefined;
    const expected = given === undefined ? null : (keyword?.(given, value, schema, meter) ?? null);
    return expected === null ? [] : [{ path, expected, types: [] }];
  });
}

/** Schemas that are joined by and, or, not, if. */
function combined(schema: JsonRecord, value: Json, path: Path, visit: Visit, meter: Meter): readonly Fault[] {
  const { allOf, anyOf, oneOf, not } = schema;
  const tried: Tried = (one) => {
    const before = meter.unsure;
    const faults = visit(one, value, path);
    return { faults, isSure: meter.unsure === before };
  };
  return [
    ...(Array.isArray(allOf) ? allOf.flatMap((one: Json) => visit(one, value, path)) : []),
    ...(Array.isArray(anyOf) ? someFaults(anyOf, tried, path) : []),
    ...(Array.isArray(oneOf) ? oneFaults(oneOf, tried, path) : []),
    ...(not === undefined ? [] : notFaults(tried(not), path)),
    ...(schema.if === undefined ? [] : branchFaults(schema, tried)),
  ];
}

/** What a schema finds, and whether it could tell. */
type Tried = (schema: Json | undefined) => { readonly faults: readonly Fault[]; readonly isSure: boolean };

function someFaults(forms: readonly Json[], tried: Tried, path: Path): readonly Fault[] {
  const results = forms.map((one) => tried(one).faults);
  return results.length === 0 || results.some((faults) => faults.length === 0) ? [] : nearest(results, path);
}

function oneFaults(forms: readonly Json[], tried: Tried, path: Path): readonly Fault[] {
  const fitting = forms.map((one) => tried(one)).filter(({ faults }) => faults.length === 0);
  if (fitting.length === 0) return someFaults(forms, tried, path);
  const sure = fitting.filter(({ isSure }) => isSure).length;
  return sure < 2 ? [] : [{ path, expected: `exactly one of ${forms.length} forms (it fits ${sure})`, types: [] }];
}

function notFaults({ faults, isSure }: ReturnType<Tried>, path: Path): readonly Fault[] {
  return faults.length === 0 && isSure ? [{ path, expected: "none of what is excluded here", types: [] }] : [];
}

function branchFaults(schema: JsonRecord, tried: Tried): readonly Fault[] {
  const { faults, isSure } = tried(schema.if);
  if (faults.length > 0) return tried(schema.else).faults;
  return isSure ? tried(schema.then).faults : [];
}

/** What keeps a value from the form it comes nearest to; where it is of no form's kind, all the kinds. */
function nearest(results: readonly (readonly Fault[])[], path: Path): readonly Fault[] {
  const isOfKind = results.filter((faults) => !faults.some((fault) => isAboutKind(fault, path)));
  const [best] = isOfKind.toSorted((a, b) => a.length - b.length);
  if (best !== undefined) return best;
  const types = [
    ...new Set(results.flatMap((faults) => faults.filter((one) => isAboutKind(one, path)).flatMap((one) => one.types))),
  ];
  return [{ path, expected: types.join(" or "), types }];
}

function isAboutKind({ path, types }: Fault, of: Path): boolean {
  return types.length > 0 && path.length === of.length;
}
