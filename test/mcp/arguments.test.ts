import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Json } from "../../src/kernel/canonical.ts";
import { checkArguments } from "../../src/mcp/arguments.ts";

const schema: Json = {
  type: "object",
  properties: {
    count: { type: "integer", minimum: 1 },
    filter: { type: "object", properties: { tags: { type: "array", items: { type: "number" } } } },
    name: { type: "string", minLength: 2 },
    kind: { enum: ["a", "b"] },
    page: { anyOf: [{ type: "integer" }, { type: "null" }] },
    all: { type: "boolean" },
  },
  required: ["count"],
  additionalProperties: false,
};

const faults = (given: unknown, of: Json = schema) => {
  const checked = checkArguments(of, given);
  return checked.type === "bad" ? checked.faults : [];
};

describe("what fits", () => {
  test("is passed as it came", () => {
    const input = { count: 1, filter: { tags: [1.5] }, name: "55", kind: "a", page: null };
    expect(checkArguments(schema, input)).toEqual({ type: "ok", input });
  });

  test("no input is an empty one; what is no object never fits", () => {
    expect(checkArguments(undefined, undefined)).toEqual({ type: "ok", input: {} });
    expect(checkArguments(null, null)).toEqual({ type: "ok", input: {} });
    expect(faults([1], true)).toEqual(["the input: expected object, found [1]"]);
  });
});

describe("slips whose meaning is plain", () => {
  test("are put right, one inside another too", () => {
    const input = { count: "5", filter: '{"tags": ["1", 2]}', name: null, page: "7", all: "true" };
    expect(checkArguments(schema, input)).toEqual({
      type: "ok",
      input: { count: 5, filter: { tags: [1, 2] }, page: 7, all: true },
    });
    expect(checkArguments(schema, '{"count":1}')).toEqual({ type: "ok", input: { count: 1 } });
  });

  test("stay as they are where a text is wanted, and are faults where the meaning is not plain", () => {
    const text = { count: 1, name: '{"a":1}' };
    expect(checkArguments(schema, text)).toEqual({ type: "ok", input: text });
    for (const count of ["5.5", "05", "five", "", null, "99999999999999999999", [5]])
      expect(faults({ count })).toHaveLength(1);
    expect(faults({ count: 1, filter: "[1]" })).toEqual(['filter: expected object, found "[1]"']);
  });
});

describe("faults", () => {
  test("name the place, what was expected there and what was found", () => {
    expect(faults({ count: 0, filter: { tags: [1, {}] }, name: "x", kind: "c", page: "x", nam: 1 })).toEqual([
      "count: expected at least 1, found 0",
      "filter.tags[1]: expected number, found {}",
      'name: expected at least 2 characters, found "x"',
      'kind: expected one of ["a","b"], found "c"',
      'page: expected integer or null, found "x"',
      "nam: expected no such field (there are: count, filter, name, kind, page, all), found 1",
    ]);
    expect(faults({})).toEqual(["count: expected a value (it is required), found nothing"]);
  });

  test("of several forms name what keeps the input from the nearest one", () => {
    const forms: Json = {
      oneOf: [
        { properties: { kind: { const: "id" }, id: { type: "integer" } }, required: ["kind", "id"] },
        { properties: { kind: { const: "name" }, name: { type: "string" } }, required: ["kind", "name"] },
      ],
    };
    expect(faults({ kind: "name" }, forms)).toEqual(["name: expected a value (it is required), found nothing"]);
    expect(faults({ a: 1 }, { not: { required: ["a"] } })).toEqual([
      'the input: expected none of what is excluded here, found {"a":1}',
    ]);
  });

  test("are at most so many, each short", () => {
    const all = faults({ count: 1, filter: { tags: Array.from({ length: 100 }, () => ({ a: "x".repeat(5_000) })) } });
    expect(all).toHaveLength(bounds.argumentFaultsMax);
    for (const fault of all) expect(fault.length).toBeLessThan(200);
  });
});

describe("a schema that cannot be told", () => {
  test("lets pass what it may take: the server decides", () => {
    const loose: readonly Json[] = [
      { $ref: "https://example.com/s.json" },
      { $ref: "#/nowhere" },
      { $ref: "#" },
      { properties: { a: { type: "thing" } } },
      { properties: { a: { pattern: "(?<=x)y" } } },
      { properties: "x", required: "a", enum: 5, anyOf: {}, type: [] },
      { not: { properties: { a: { pattern: "(?=z)" } } } },
      "junk",
      5,
    ];
    for (const one of loose) expect(checkArguments(one, { a: "1" })).toEqual({ type: "ok", input: { a: "1" } });
  });

  test("until draft 7, what stands beside a reference counts for nothing", () => {
    const $ref = "#/definitions/any";
    const older = { $schema: "http://json-schema.org/draft-07/schema#", definitions: { any: {} } };
    expect(faults({ a: 1 }, { ...older, properties: { a: { $ref, type: "string" } } })).toEqual([]);
    expect(faults({ a: 1 }, { definitions: { any: {} }, properties: { a: { $ref, type: "string" } } })).toHaveLength(1);
  });
});

describe("time", () => {
  test("patterns that would make an engine go back for ever are told at once", () => {
    const long = `${"a".repeat(5_000)}!`;
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*$", "(x+x+)+y"])
      expect(faults({ a: long }, { properties: { a: { pattern } } })).toHaveLength(1);
  });

  test("schemas that double with each reference end at the bound, and let pass", () => {
    const each = (at: number): Json => ({
      anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { allOf: [{ $ref: `#/$defs/d${at + 1}` }] }],
    });
    const $defs = {
      ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`d${at}`, each(at)])),
      d30: { required: ["z"] },
    };
    expect(checkArguments({ $defs, $ref: "#/$defs/d0" }, {}).type).toBe("ok");
  });

  test("a value is checked through bounds.schemaReferencesMax references in a row, and fits what lies behind more", () => {
    const row = (count: number): Json => ({
      $ref: "#/$defs/d1",
      $defs: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `d${at + 1}`,
          at + 1 === count ? { required: ["z"] } : { $ref: `#/$defs/d${at + 2}` },
        ]),
      ),
    });
    expect(faults({}, row(bounds.schemaReferencesMax))).toHaveLength(1);
    expect(faults({}, row(bounds.schemaReferencesMax + 1))).toEqual([]);
  });

  test("a check ends when its work is bounds.argumentWorkMax: what is seen until then is named, the rest fits", () => {
    const list: Json = { properties: { a: { items: { type: "number" } } } };
    // One for each schema that is looked at, and one for each keyword: two for the root, for the list and for each item.
    const seen = (bounds.argumentWorkMax - 4) / 2;
    const wrongAt = (at: number) => ({ a: Array.from({ length: seen + 1 }, (_, item) => (item === at ? {} : 1)) });
    expect(faults(wrongAt(seen - 1), list)).toEqual([`a[${seen - 1}]: expected number, found {}`]);
    expect(faults(wrongAt(seen), list)).toEqual([]);
  });

  test("a pattern is followed for bounds.argumentWorkMax steps; a longer text fits", () => {
    const pattern: Json = { properties: { a: { pattern: "^a+$" } } };
    const text = (chars: number) => ({ a: `${"a".repeat(chars)}!` });
    expect(faults(text(bounds.argumentWorkMax / 2), pattern)).toHaveLength(1);
    expect(faults(text(bounds.argumentWorkMax), pattern)).toEqual([]);
  });

  test("an input that is nested too deep is refused", () => {
    const deep = Array.from({ length: 1_000 }).reduce<Json>((inner) => [inner], 1);
    expect(faults({ a: deep }, true)).toEqual([`the input is nested deeper than ${bounds.valueDepthMax} levels`]);
  });
});

test("whatever stands for a schema, without a keyword in it all input fits and is not changed", () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((one) => one !== false),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (anything, input) => {
        const given: Json = JSON.parse(JSON.stringify(input));
        expect(checkArguments(JSON.parse(JSON.stringify(anything)), given)).toEqual({ type: "ok", input: given });
      },
    ),
    { numRuns: 100 },
  );
});
