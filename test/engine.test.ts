import { join } from "node:path";
import { expect, test } from "vitest";
import { importsOf } from "../scripts/imports.ts";
import { readSources } from "../scripts/sources.ts";
import { apply, codecFor } from "../src/engine.ts";

test("the engine's entry reaches no package, and of the platform only hashing", () => {
  const imports = readSources(join(import.meta.dirname, ".."), "src").flatMap(importsOf);
  const reached = new Set(["src/engine.ts"]);
  const packages = new Set<string>();
  for (const file of reached)
    for (const { from, target } of imports) {
      if (from !== file) continue;
      if (target.type === "package") packages.add(target.name);
      else reached.add(target.path);
    }
  expect(reached.size).toBeGreaterThan(30);
  // Exact counts load their tokenizer only when asked for; the engine does not ask.
  expect([...packages]).toEqual(["node:crypto"]);
});

test("a body of somebody else is cut, changed in one place, and stays the same elsewhere", () => {
  const body = new TextEncoder().encode('{ "model": "m", "messages": [ {"role":"user","content":"hello \\u0041"} ] }');
  const segments = codecFor("chat").segments(body);
  const changed = apply(body, segments, [{ type: "text", segment: 0, text: "bye" }]);
  expect(new TextDecoder().decode(changed)).toBe('{ "model": "m", "messages": [ {"role":"user","content":"bye"} ] }');
});
