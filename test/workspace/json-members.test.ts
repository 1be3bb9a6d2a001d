import fc from "fast-check";
import { expect, test } from "vitest";
import { type Wanted, withMembers, withoutMember } from "../../src/workspace/json-members.ts";

const wanted: Wanted = { cap: 8000, env: { A: "1", B: "2" } };
const put = (text: string, members = wanted) => {
  const result = withMembers(text, members);
  if (result.type === "bad") throw new Error(result.why);
  return result;
};

test("an empty text becomes an object", () => {
  expect(put("").text).toBe('{\n  "cap": 8000,\n  "env": {\n    "A": "1",\n    "B": "2"\n  }\n}\n');
  expect(JSON.parse(put(" \n").text)).toEqual(wanted);
});

test("members are spliced in behind the last one with its indentation, and not a character else changes", () => {
  const text = '{\n\t"model" :  "opus",\n\t"env": {\n\t\t"PATH":"/x\\u0041"\n\t}, "n": 1.0e2\n}\n';
  expect(put(text).text).toBe(
    '{\n\t"model" :  "opus",\n\t"env": {\n\t\t"PATH":"/x\\u0041",\n\t\t"A": "1",\n\t\t"B": "2"\n\t}, "n": 1.0e2,\n\t"cap": 8000\n}\n',
  );
});

test("an object on one line stays on one line, an empty one opens", () => {
  expect(put('{"x": 1}', { a: true, b: ["c"] }).text).toBe('{"x": 1, "a": true, "b": ["c"]}');
  expect(put('{\n  "env": { }\n}', { env: { A: "1" } }).text).toBe('{\n  "env": {\n    "A": "1"\n  }\n}');
  expect(put("{}", { a: 1 }).text).toBe('{\n  "a": 1\n}');
});

test("line ends and the byte order mark stay as they are", () => {
  const text = put('\ufeff{\r\n    "x": {}\r\n}\r\n', { x: { y: { z: 1 } } }).text;
  expect(text).toBe('\ufeff{\r\n    "x": {\r\n        "y": {\r\n            "z": 1\r\n        }\r\n    }\r\n}\r\n');
});

test("a value that is there stays, and is named where it is another one", () => {
  const text = '{"cap": 50000, "env": {"B": "2", "A": "9"}}';
  expect(put(text)).toEqual({ type: "put", text, kept: ["cap", "env.A"] });
  const list = '{ "env": [ ] }';
  expect(put(list, { env: { A: "1" } })).toEqual({ type: "put", text: list, kept: ["env"] });
  const same = '{ "mcp": { "varve": { "command": "varve", "args": [ "mcp" ] } } }';
  expect(put(same, { mcp: { varve: { command: "varve", args: ["mcp"] } } })).toEqual({
    type: "put",
    text: same,
    kept: [],
  });
});

test("what lies two levels deep is one value: an entry of somebody's is not completed with parts of ours", () => {
  const text = '{"mcpServers": {"varve": {"command": "mine"}}}';
  const ours = { mcpServers: { varve: { command: "varve", args: ["mcp"] } } };
  expect(put(text, ours)).toEqual({ type: "put", text, kept: ["mcpServers.varve"] });
});

test("of a repeated key the last one counts, as every reader takes it", () => {
  expect(put('{"env": {"X": "1"}, "env": {"Y": "2"}}', { env: { A: "1" } }).text).toBe(
    '{"env": {"X": "1"}, "env": {"Y": "2", "A": "1"}}',
  );
});

test("what is no plain JSON, or no object, is left alone", () => {
  for (const text of ['{\n  // mine\n  "x": 1\n}', '{"x": 1,}', "[1]", '"x"', "{", `${"[".repeat(5_000)}`])
    expect(withMembers(text, wanted).type).toBe("bad");
});

test("whatever object is there, the result holds all of it and what was wanted, and a second time changes nothing", () => {
  const key = fc.constantFrom("cap", "env", "A", "B", "other", "__proto__", "é");
  const value = fc.jsonValue({ maxDepth: 2 });
  const object = fc.array(fc.tuple(key, value), { maxLength: 5 }).map((pairs) => Object.fromEntries(pairs));
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 2, "\t"), (had, space) => {
      const { text } = put(JSON.stringify(had, null, space));
      const now: unknown = JSON.parse(text);
      expect(now).toMatchObject(had);
      expect(Object.keys(Object(now))).toEqual(expect.arrayContaining(["cap", "env"]));
      expect(put(text).text).toBe(text);
    }),
  );
});

test("a member is taken out with its comma, and every other character stays", () => {
  const cut = (text: string, key = "b") => withoutMember(text, ["s", key]);
  for (const [text, left] of [
    ['{"s": {"a": 1, "b": 2, "c": 3}}', '{"s": {"a": 1, "c": 3}}'],
    ['{"s": {\n  "b": {"x": [1]},\n  "c": 3\n}}', '{"s": {\n  "c": 3\n}}'],
    ['{"s": {\n  "a": 1,\n  "b": 2\n}, "t": 1}\n', '{"s": {\n  "a": 1\n}, "t": 1}\n'],
    ['\ufeff{"é": 1, "s": { "b": 2 }}', '\ufeff{"é": 1, "s": {}}'],
  ] as const)
    expect(cut(text)).toEqual({ type: "cut", text: left });
  for (const text of ["{}", '{"s": 3}', '{"s": {"a": 1}}', '{"b": 1}', "[]"]) expect(cut(text).type).toBe("absent");
  for (const text of ["{", '{"s": {"b": 1, "b": 2}}', '{"s": {"b": 1,}}']) expect(cut(text).type).toBe("bad");
});

test("what was put in and taken out again leaves the text as it was, where the object had members", () => {
  const text = '{\n\t"s": {\n\t\t"a": 1\n\t}\n}';
  const added = put(text, { s: { b: { x: "1" } } }).text;
  expect(withoutMember(added, ["s", "b"])).toEqual({ type: "cut", text });
});
