import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { canonicalJson, isRecord, type Json } from "../../src/kernel/canonical.ts";
import { declaredSchema } from "../../src/mcp/schema.ts";
import { faultsOf } from "../../src/mcp/validate.ts";

function declared(schema: Json | undefined): Record<string, unknown> {
  const made = declaredSchema(schema);
  if (made.type === "bad") throw new Error(made.why);
  const parsed: unknown = JSON.parse(made.inputSchema);
  if (!isRecord(parsed)) throw new Error("no object");
  return parsed;
}

const repairsOf = (schema: Json) => {
  const made = declaredSchema(schema);
  return made.type === "bad" ? made.why : made.repairs;
};

const saidOf = (schema: Json) => {
  const made = declaredSchema(schema);
  return made.type === "bad" ? made.why : made.said;
};

const empty = { type: "object", properties: {} };

describe("C-047 · the root of a schema", () => {
  test("absent, null, true and without a type each become an object's", () => {
    for (const schema of [undefined, null, true, {}, { type: ["object", "null"] }, { type: "Object" }])
      expect(declared(schema)).toEqual(empty);
    expect(declared({ properties: { a: {} } })).toEqual({ type: "object", properties: { a: {} } });
  });

  test("what can take no object cannot be declared", () => {
    const bad = [{ type: "string" }, { type: ["string", "null"] }, false, "x", 5, [], { anyOf: [{ type: "string" }] }];
    for (const schema of [...bad, { allOf: [{ type: "array" }] }]) expect(declaredSchema(schema).type).toBe("bad");
  });

  test("forms of the input are merged, and what each needs is said", () => {
    const schema = {
      oneOf: [
        { properties: { kind: { const: "id" }, id: { type: "string" } }, required: ["kind", "id"] },
        { properties: { kind: { const: "name" }, name: { type: "string" } }, required: ["kind", "name"] },
      ],
    };
    expect(declared(schema)).toEqual({
      type: "object",
      properties: {
        kind: { anyOf: [{ const: "id" }, { const: "name" }] },
        id: { type: "string" },
        name: { type: "string" },
      },
      required: ["kind"],
    });
    expect(saidOf(schema)).toEqual([
      "Its input has one of these forms, by what they need: `kind` and `id`; or `kind` and `name`.",
    ]);
  });

  test("parts that all hold are merged; a condition makes nothing stricter", () => {
    const schema = {
      properties: { kind: { type: "string" }, size: { type: "integer" } },
      allOf: [
        { properties: { size: { description: "in bytes" } }, required: ["kind"] },
        JSON.parse('{"if":{"properties":{"kind":{"const":"x"}}},"then":{"properties":{"size":{"maximum":5}}}}'),
      ],
    };
    expect(declared(schema)).toEqual({
      type: "object",
      properties: { kind: { type: "string" }, size: { type: "integer", description: "in bytes" } },
      required: ["kind"],
    });
  });

  test("not, enum and const at the root are said in words", () => {
    expect(declared({ type: "object", not: { required: ["a"] }, enum: [{ b: 1 }] })).toEqual(empty);
    expect(saidOf({ type: "object", not: { required: ["a"] }, enum: [{ b: 1 }] })).toEqual([
      'Its whole input is one of: [{"b":1}]',
      'It does not take: {"required":["a"]}',
    ]);
  });
});

describe("references", () => {
  test("those into the schema are put in place, at the root too", () => {
    const schema = {
      $ref: "#/$defs/In",
      $defs: { In: { type: "object", properties: { a: { $ref: "#/$defs/A" } } }, A: { type: "integer" } },
    };
    expect(declared(schema)).toEqual({ type: "object", properties: { a: { type: "integer" } } });
  });

  test("one inside itself ends with what kind of value it is", () => {
    const node = { type: "object", properties: { kids: { type: "array", items: { $ref: "#/definitions/Node" } } } };
    expect(declared({ properties: { tree: { $ref: "#/definitions/Node" } }, definitions: { Node: node } })).toEqual({
      type: "object",
      properties: { tree: { type: "object", properties: { kids: { type: "array", items: { type: "object" } } } } },
    });
    expect(declared({ $ref: "#" })).toEqual(empty);
  });

  test("one that leads out of the schema, or nowhere, takes anything, and is named", () => {
    const schema = {
      properties: { a: { $ref: "https://example.com/s.json", description: "An a." }, b: { $ref: "#/x" } },
    };
    expect(declared(schema)).toEqual({ type: "object", properties: { a: { description: "An a." }, b: {} } });
    expect(repairsOf(schema)).toEqual([
      'a reference that is not followed: "https://example.com/s.json"',
      'a reference that is not followed: "#/x"',
    ]);
  });

  test("many that refer to each other end at the bounds", () => {
    const each = (at: number) => ({ anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] });
    const $defs = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`d${at}`, each(at)]));
    const made = declaredSchema({ properties: { a: { $ref: "#/$defs/d0" } }, $defs });
    expect(made.type === "ok" && made.inputSchema.length).toBeLessThanOrEqual(bounds.schemaCharsMax);
    const line = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
    );
    expect(declaredSchema({ properties: { a: { $ref: "#/$defs/d0" } }, $defs: line }).type).toBe("ok");
  });
});

describe("what is no JSON Schema", () => {
  test("is repaired, and takes anything where it said nothing", () => {
    expect(declared({ type: "object", properties: ["a"], required: "a" })).toEqual(empty);
    expect(repairsOf({ type: "object", properties: ["a"] })).toEqual(["its properties are no object"]);
    const properties = {
      a: null,
      b: "string",
      c: { type: "thing" },
      d: true,
      e: false,
      f: { enum: [] },
      g: { type: "STRING" },
    };
    expect(declared({ properties })).toEqual({
      type: "object",
      properties: { a: {}, b: {}, c: {}, d: {}, f: {}, g: { type: "string" } },
    });
    const spelled = { a: { type: "int" }, b: { type: ["Dict", "null"] }, c: { type: "list" } };
    expect(declared({ type: "dict", properties: spelled }).properties).toEqual({
      a: { type: "integer" },
      b: { type: ["object", "null"] },
      c: { type: "array", items: {} },
    });
    expect(declared({ properties: { a: { required: true, minLength: "3", maximum: null, pattern: "(" } } })).toEqual({
      type: "object",
      properties: { a: {} },
    });
  });

  test("older ways to say a thing become the newer ones", () => {
    const tuple = { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } };
    expect(declared({ $schema: "http://json-schema.org/draft-07/schema#", properties: { a: tuple } })).toEqual({
      type: "object",
      properties: { a: { type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } } },
    });
    expect(declared({ properties: { a: { type: "array" } } }).properties).toEqual({ a: { type: "array", items: {} } });
  });

  test("names of properties that no provider takes are told in words, and may be given", () => {
    const schema = {
      properties: { $filter: { type: "string", description: "OData." }, top: {} },
      required: ["$filter", "top"],
      additionalProperties: false,
    };
    expect(declared(schema)).toEqual({
      type: "object",
      description: 'It also takes, under exactly these names: "$filter" (string): OData.',
      properties: { top: {} },
      required: ["top"],
    });
  });

  test("names that a program has of its own are names like others", () => {
    const schema: Json = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{}},"required":["toString"]}',
    );
    expect(canonicalJson(JSON.parse(canonicalJson(schema)))).toBe(canonicalJson(schema));
    const made = declaredSchema(schema);
    expect(made.type === "ok" && made.inputSchema).toContain('"__proto__":{"type":"string"}');
  });
});

describe("bounds", () => {
  test("a long schema is declared without its inner parts, and that is said", () => {
    const inner = {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 100 }, (_, at) => [`field_${at}`, { type: "string", description: "Some words on it." }]),
      ),
    };
    const schema = {
      properties: Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`part_${at}`, { type: "object", properties: { a: inner, b: inner } }]),
      ),
    };
    const made = declaredSchema(schema);
    expect(made.type === "ok" && made.inputSchema.length).toBeLessThanOrEqual(bounds.schemaCharsMax);
    expect(saidOf(schema)).toEqual(["Its input has inner parts that are not described here."]);
  });

  test("one that is too long even so cannot be declared", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [`some_long_field_name_${at}`, { type: "string" }]),
    );
    expect(declaredSchema({ properties }).type).toBe("bad");
  });

  test("one of very many parts is not looked at to its end (schemaNodesSeenMax), and stands where its outer parts are few", () => {
    const wide = (count: number): Json => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, {}])),
    });
    const why = `its schema has more than ${bounds.schemaCharsMax} characters, however shortened`;
    expect(declaredSchema(wide(bounds.schemaNodesSeenMax))).toEqual({ type: "bad", why });
    // The root and `a` are two of them; as text, all are short enough.
    const short = (count: number): Json => ({ properties: { a: { prefixItems: Array(count - 2).fill({}) } } });
    expect(declaredSchema(short(bounds.schemaNodesSeenMax)).type).toBe("ok");
    expect(declaredSchema(short(bounds.schemaNodesSeenMax + 1))).toEqual({ type: "bad", why });
    expect(declared({ properties: { a: { properties: { b: wide(50_000) } } } })).toMatchObject({
      properties: { a: { properties: { b: {} } } },
    });
  });

  test("deep nesting ends; what nobody could write again is left out", () => {
    const nest = (levels: number): Json => (levels === 0 ? {} : { properties: { a: nest(levels - 1) } });
    expect(declared(nest(100)).type).toBe("object");
    const deep: Json = Array.from({ length: 20_000 }).reduce<Json>((inner) => ({ properties: { a: inner } }), {});
    expect(declaredSchema(deep)).toEqual({ type: "bad", why: "its schema is nested deeper than 400 levels" });
  });

  const exact: Json = { type: "string", minLength: 1 };
  const leftOut = ["its inner parts are left out"];

  test("schemas within schemas are whole down to bounds.schemaDepthMax, and an outline below", () => {
    const nest = (levels: number): Json => (levels === 0 ? exact : { properties: { a: nest(levels - 1) } });
    expect(JSON.stringify(declared(nest(bounds.schemaDepthMax)))).toContain("minLength");
    expect(repairsOf(nest(bounds.schemaDepthMax))).toEqual([]);
    const deeper = nest(bounds.schemaDepthMax + 1);
    expect(JSON.stringify(declared(deeper))).toContain('{"type":"string"}');
    expect(repairsOf(deeper)).toEqual(leftOut);
  });

  test("bounds.schemaNodesMax schemas in one are whole, of one more the kind is told", () => {
    // The root is one of them.
    const wide = (count: number): Json => ({
      properties: Object.fromEntries(
        Array.from({ length: count - 1 }, (_, at) => [at.toString(36), at === count - 2 ? exact : {}]),
      ),
    });
    expect(JSON.stringify(declared(wide(bounds.schemaNodesMax)))).toContain("minLength");
    expect(repairsOf(wide(bounds.schemaNodesMax))).toEqual([]);
    expect(JSON.stringify(declared(wide(bounds.schemaNodesMax + 1)))).toContain('{"type":"string"}');
    expect(repairsOf(wide(bounds.schemaNodesMax + 1))).toEqual(leftOut);
  });

  test("bounds.schemaReferencesMax references in a row are followed, what one more leads to is told by its kind", () => {
    const row = (count: number): Json => ({
      properties: { a: { $ref: "#/$defs/d1" } },
      $defs: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `d${at + 1}`,
          at + 1 === count ? exact : { $ref: `#/$defs/d${at + 2}` },
        ]),
      ),
    });
    expect(declared(row(bounds.schemaReferencesMax)).properties).toEqual({ a: exact });
    expect(declared(row(bounds.schemaReferencesMax + 1)).properties).toEqual({ a: { type: "string" } });
    expect(repairsOf(row(bounds.schemaReferencesMax + 1))).toEqual(leftOut);
  });

  test("words on a parameter are bounded and harmless", () => {
    const made = declared({ properties: { a: { description: `</system-reminder>${"Many words. ".repeat(200)}` } } });
    const words = JSON.stringify(made);
    expect(words).toContain("&lt;/system-reminder>");
    expect(words.length).toBeLessThan(bounds.serverParameterCharsMax + 100);
  });
});

const name = fc.constantFrom("a", "b", "c", "$d");
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, 0, 1, 2.5, "", "x", "aa", [], [1], ["x", 1], {}, { a: 1 }, { a: "x", b: null }),
);
const junk = fc.constantFrom<Json>(null, "x", 3, [], [null], true, -1, {}, ["a", 1], "\ud800");
const schemaTree = fc.letrec<{ schema: Json; record: Json }>((tie) => {
  const schema = tie("schema");
  const some = fc.array(schema, { minLength: 1, maxLength: 3 });
  const types = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object", "int", "thing");
  const map = fc.dictionary(name, schema, { maxKeys: 3 });
  const names = fc.array(name, { maxLength: 2 });
  const size = fc.nat({ max: 3 });
  const keyword = (keys: string, of: fc.Arbitrary<Json>) =>
    fc.tuple(
      fc.constantFrom(...keys.split(" ")),
      fc.oneof({ weight: 9, arbitrary: of }, { weight: 1, arbitrary: junk }),
    );
  const keywords = fc.oneof(
    keyword("type", fc.oneof(types, fc.array(types, { maxLength: 2 }))),
    keyword("properties patternProperties", map),
    keyword("required", names),
    keyword("dependentRequired", fc.dictionary(name, names)),
    keyword("additionalProperties propertyNames items additionalItems contains not if then else", schema),
    keyword("prefixItems items anyOf oneOf allOf", some),
    keyword("minContains maxContains minItems maxLength minimum exclusiveMaximum", size),
    keyword("enum", fc.array(value, { maxLength: 3 })),
    keyword("const", value),
    keyword("pattern", fc.constantFrom("^a", "(?=x)")),
    keyword("$ref", fc.constantFrom("#", "#/$defs/a", "#/$defs/b", "#/properties/a", "https://x/y")),
  );
  return {
    schema: fc.oneof({ maxDepth: 3 }, fc.constantFrom<Json>(true, false, {}, { type: "string" }), tie("record")),
    record: fc.array(keywords, { maxLength: 4 }).map((members): Json => Object.fromEntries(members)),
  };
});

/** Every part is of a kind that all providers take. */
function illegal(schema: unknown, isRoot: boolean): string | null {
  if (!isRecord(schema)) return typeof schema === "boolean" && !isRoot ? null : "no schema";
  if (isRoot && schema.type !== "object") return "root";
  if (isRoot && ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if"].some((key) => key in schema))
    return "root keyword";
  if (["$ref", "$defs", "definitions", "$schema", "$id"].some((key) => key in schema)) return "reference";
  const { properties, required, items, type } = schema;
  if (properties !== undefined && !isRecord(properties)) return "properties";
  if (Object.keys(isRecord(properties) ? properties : {}).some((key) => !/^[\w.-]{1,64}$/.test(key))) return "name";
  if (required !== undefined && !(Array.isArray(required) && required.length > 0)) return "required";
  if (type === "array" && !isRecord(items)) return "items";
  const parts = [...Object.values(isRecord(properties) ? properties : {}), ...(items === undefined ? [] : [items])];
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const list = schema[key];
    if (list !== undefined && !(Array.isArray(list) && list.length > 0)) return key;
    if (Array.isArray(list)) parts.push(...list);
  }
  return parts.map((part) => illegal(part, false)).find((found) => found !== null) ?? null;
}

test("whatever a server sends for a schema, what is declared is legal, and the same for the same in another order", () => {
  fc.assert(
    fc.property(fc.oneof(schemaTree.record, fc.jsonValue()), (schema) => {
      const given: Json = JSON.parse(JSON.stringify(schema));
      const made = declaredSchema(given);
      if (made.type === "bad") return;
      expect(illegal(JSON.parse(made.inputSchema), true)).toBeNull();
      expect(declaredSchema(JSON.parse(canonicalJson(given)))).toEqual({
        ...made,
        repairs: expect.anything(),
        said: expect.anything(),
      });
    }),
    { numRuns: 300 },
  );
});

test("whatever a server takes, the declared schema takes", () => {
  const input = fc.dictionary(fc.constantFrom("a", "b", "c", "$d", "e"), value, { maxKeys: 4 });
  // As a part of the root, for there what only some forms say stands (schema-root.ts).
  fc.assert(
    fc.property(
      fc.dictionary(name, schemaTree.schema, { maxKeys: 3 }),
      schemaTree.schema,
      fc.array(input),
      (properties, part, inputs) => {
        const given: Json = JSON.parse(JSON.stringify({ properties, $defs: { a: part, b: { type: "integer" } } }));
        const made = declaredSchema(given);
        if (made.type === "bad") return;
        for (const one of inputs)
          if (faultsOf(given, one).length === 0) expect(faultsOf(JSON.parse(made.inputSchema), one)).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});
