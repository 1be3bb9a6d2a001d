import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { Segment } from "../../src/prompt/segment.ts";
import { failureForm, inputForm, resultForm } from "../../src/reduction/clear-form.ts";
import { did, words, worked } from "../support/worked.ts";

const long = words(200);
const call = (tool: string, input: unknown): Segment => {
  const [segment] = worked(did("a", tool, input, "")).segments;
  if (segment === undefined) throw new Error("no call");
  return segment;
};
const handleFor = ({ text }: Segment) => handleOf(hashOf(text ?? ""));

test("a result's stub is fixed words and its handle", () => {
  const handle = handleOf(hashOf("x"));
  expect(resultForm(handle).text).toBe(`[Result left out; recall handle=${handle} returns all of it.]`);
});

describe("an input is still a valid input of its call", () => {
  test("long strings go at any depth, and nothing else of its bytes changes", () => {
    const text = `{ "file_path": "a.ts", "n": 12345678901234567890, "edits": [{"old": ${JSON.stringify(long)}, "all": true}], "2": 1, "1": null }`;
    const segment = call("MultiEdit", text);
    const stub = `[${long.length} characters; recall handle=${handleFor(segment)}]`;
    expect(inputForm(segment)?.text).toBe(
      `{ "file_path": "a.ts", "n": 12345678901234567890, "edits": [{"old": ${JSON.stringify(stub)}, "all": true}], "2": 1, "1": null }`,
    );
  });

  test("a patch that is no JSON keeps which files it is for", () => {
    const patch = `*** Begin Patch\n*** Update File: src/a.ts\n@@\n-${long}\n+x\n*** Add File: src/b.ts\n+y\n*** End Patch`;
    const segment = call("apply_patch", patch);
    expect(inputForm(segment)?.text).toBe(
      `*** Update File: src/a.ts\n*** Add File: src/b.ts\n[${patch.length} characters; recall handle=${handleFor(segment)}]`,
    );
  });

  test("a command keeps its beginning", () => {
    const command = `cat > notes.md <<'EOF'\n${long}\nEOF`;
    const segment = call("Bash", { command, description: "notes" });
    expect(JSON.parse(inputForm(segment)?.text ?? "")).toEqual({
      command: `cat > notes.md <<'EOF'\n[${command.length} characters; recall handle=${handleFor(segment)}]`,
      description: "notes",
    });
  });

  test.each([
    ["a short one", { a: "x".repeat(200) }],
    ["many short strings", { list: Array.from({ length: 40 }, (_, at) => `item ${at}`) }],
    ["no strings at all", { list: Array.from({ length: 400 }, (_, at) => at) }],
  ])("%s stays", (_name, input) => {
    expect(inputForm(call("Write", input))).toBe(null);
  });

  test("any JSON: of the same shape, smaller, and not shortened twice", () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: "binary", maxLength: 1_500, size: "max" }),
        fc.double(),
        fc.constant(null),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("node"), { maxKeys: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (input) => {
        const segment = call("Write", { input });
        const form = inputForm(segment);
        if (form === null) return;
        expect(shapeOf(JSON.parse(form.text))).toEqual(shapeOf(JSON.parse(segment.text ?? "")));
        expect(form.text).toContain(form.handle);
        expect(inputForm(call("Write", form.text))).toBe(null);
      }),
      { numRuns: 100 },
    );
  });

  test("any text: nothing is thrown", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000, size: "max" }), (text) => {
        inputForm(call("x", text));
      }),
    );
  });
});

/** Long strings are one and the same. */
function shapeOf(value: unknown): unknown {
  if (typeof value === "string") return value.length > 40 ? "string" : value;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)]));
}

test("of a failure the exit code and error lines stay, cut to a length", () => {
  const handle = handleOf(hashOf("x"));
  const text = [...Array.from({ length: 50 }, (_, at) => `line ${at}`), `TypeError: ${"x".repeat(500)}`].join("\n");
  const form = failureForm(text, 2, handle).text;
  expect(form).toContain(`recall handle=${handle}`);
  expect(form).toContain("[exit code 2]");
  expect(form).toContain("TypeError: xxx");
  expect(form.length).toBeLessThan(400);
});
