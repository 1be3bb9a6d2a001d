import { bounds } from "../kernel/bounds.ts";
import { isRecord, type Json } from "../kernel/canonical.ts";
import { isTooDeep, parseJson, tooDeep } from "../kernel/json.ts";
import { own } from "../kernel/own.ts";
import { isJsonRecord, type JsonRecord } from "./schema-ref.ts";
import { faultsOf } from "./validate.ts";
import { type Fault, faultText, type Path } from "./validate-fault.ts";

export type CheckedArguments =
  | { readonly type: "ok"; readonly input: Json }
  /** Each names the place, what was expected there and what was found. */
  | { readonly type: "bad"; readonly faults: readonly string[] };

/**
 * What a server's tool is called with, against the schema as the server gave it. Slips whose meaning is plain are put right in
 * silence: JSON as a text, a number or truth value in quotes, null for what may be left out.
 */
export function checkArguments(schema: Json | undefined, input: unknown): CheckedArguments {
  if (isTooDeep(input)) return { type: "bad", faults: [`the input is ${tooDeep}`] };
  if (isTooDeep(schema)) return isJson(input) ? { type: "ok", input } : notJson;
  const given = input === undefined || input === null ? {} : input;
  if (!isJson(given)) return notJson;
  const check = (value: Json) => (isJsonRecord(value) ? faultsOf(schema ?? true, value) : [noObject]);
  const faults = check(given);
  const repaired = faults.length === 0 ? given : repair(given, faults, check);
  if (repaired !== undefined) return { type: "ok", input: repaired };
  const texts = new Set(faults.map((fault) => faultText(fault, at(given, fault.path))));
  const shown = [...texts].slice(0, bounds.argumentFaultsMax);
  return { type: "bad", faults: shown };
}

const notJson: CheckedArguments = { type: "bad", faults: ["the input is no JSON"] };
const noObject: Fault = { path: [], expected: "object", types: ["object"] };

function isJson(value: unknown): value is Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  const parts: readonly unknown[] | null = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : null;
  return parts?.every((part) => part === undefined || isJson(part)) ?? false;
}

function at(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((place, part) => {
    if (Array.isArray(place)) return typeof part === "number" ? place[part] : undefined;
    return isJsonRecord(place) ? own(place, String(part)) : undefined;
  }, value);
}

/** A text that is read as JSON may hold slips of its own. */
const repairRounds = 3;
const slipsMax = 50;

/** undefined: it cannot be put right. */
function repair(given: Json, faults: readonly Fault[], check: (value: Json) => readonly Fault[]): Json | undefined {
  if (faults.length > slipsMax) return undefined;
  let [value, left] = [given, faults];
  for (let round = 0; round < repairRounds && left.length > 0; round++) {
    const fixes = left.map((fault) => ({ fault, fix: fixOf(at(value, fault.path), fault) }));
    if (!fixes.every(({ fix }) => fix !== null)) return undefined;
    for (const { fault, fix } of fixes) if (fix !== null) value = replaced(value, fault.path, fix.value);
    left = check(value);
  }
  return left.length === 0 ? value : undefined;
}

/** What a value that does not fit must mean; undefined inside: that it is not there. null: it could be anything. */
function fixOf(value: Json | undefined, { path, types }: Fault): { readonly value: Json | undefined } | null {
  if (value === null) return typeof path.at(-1) === "string" ? { value: undefined } : null;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (types.includes("boolean") && (text === "true" || text === "false")) return { value: text === "true" };
  if (isNumberText(text) && (types.includes("number") || (types.includes("integer") && Number.isInteger(Number(text)))))
    return { value: Number(text) };
  const parsed = /^[[{]/.test(text) ? parseJson(text) : null;
  if (parsed?.type !== "ok" || !isJson(parsed.value)) return null;
  return types.includes(Array.isArray(parsed.value) ? "array" : "object") ? { value: parsed.value } : null;
}

/** Written as JSON writes it, and small enough to stay what it is. */
function isNumberText(text: string): boolean {
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(text);
}

function replaced(value: Json, [part, ...rest]: Path, fix: Json | undefined): Json {
  if (part === undefined) return fix ?? null;
  if (Array.isArray(value)) return value.map((item: Json, at) => (at === part ? replaced(item, rest, fix) : item));
  if (!isJsonRecord(value)) return value;
  return replacedMember(value, String(part), rest, fix);
}

function replacedMember(value: JsonRecord, name: string, rest: Path, fix: Json | undefined): Json {
  const members = Object.entries(value).flatMap(([key, member]) => {
    if (key !== name) return [[key, member] as const];
    return rest.length === 0 && fix === undefined ? [] : [[key, replaced(member ?? null, rest, fix)] as const];
  });
  return Object.fromEntries(members);
}
