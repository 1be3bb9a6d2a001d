import type { Json } from "../kernel/canonical.ts";
import { own } from "../kernel/own.ts";

/** The types that a schema names, as JSON Schema calls them; null: one of them is none, and nothing is known. */
export function typesOf(given: Json | undefined): readonly string[] | null {
  const names = (Array.isArray(given) ? given : [given]).map((name: Json | undefined) =>
    typeof name === "string" ? own(spellings, name.toLowerCase()) : undefined,
  );
  const known = names.filter((name) => name !== undefined);
  return known.length === names.length && known.length > 0 ? [...new Set(known)] : null;
}

/** With the names that other languages have for them, which servers write by mistake. */
const spellings: Readonly<Record<string, string>> = {
  ...{ string: "string", str: "string" },
  ...{ number: "number", float: "number", double: "number" },
  ...{ integer: "integer", int: "integer" },
  ...{ boolean: "boolean", bool: "boolean" },
  ...{ array: "array", list: "array", tuple: "array" },
  ...{ object: "object", dict: "object" },
  null: "null",
};
