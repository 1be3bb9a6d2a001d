import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseJson } from "../../src/kernel/json.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

test("the tools are these, in this order, whatever the locale", () => {
  expect(world.tools.map((tool) => tool.declaration.name)).toEqual([
    "Bash",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "MultiEdit",
    "Read",
    "ReadMemory",
    "Remember",
    "RememberFact",
    "Search",
    "Skill",
    "TaskOutput",
    "TaskStop",
    "TodoWrite",
    "WebFetch",
    "Write",
    "recall",
  ]);
  const names = world.tools.map((tool) => tool.declaration.name);
  expect([...names].sort()).toEqual(names);
});

test("their declarations take at most 2,000 tokens in all", () => {
  const sent = world.tools.map(({ declaration }) => {
    const schema = parseJson(declaration.inputSchema);
    return {
      name: declaration.name,
      description: declaration.description,
      input_schema: schema.type === "ok" ? schema.value : null,
    };
  });
  const tokens = encode(JSON.stringify(sent)).length;
  console.log(`built-in tools: ${tokens} tokens (o200k)`);
  expect(tokens).toBeLessThanOrEqual(2_000);
});

test("C-047 · every schema is a closed object, its bytes the same at each start", async () => {
  const other = await createWorld();
  expect(other.tools.map((tool) => tool.declaration)).toEqual(world.tools.map((tool) => tool.declaration));
  other.remove();
  for (const { declaration } of world.tools) {
    expect(parseJson(declaration.inputSchema)).toMatchObject({
      value: { type: "object", additionalProperties: false },
    });
  }
});

test("only reading tools run side by side", () => {
  const readOnly = world.tools.filter((tool) => tool.readOnly).map((tool) => tool.declaration.name);
  expect(readOnly).toEqual(["Glob", "Grep", "Read", "ReadMemory", "Search", "TaskOutput", "WebFetch", "recall"]);
});

test("a call says what it would touch, and is one line for people", () => {
  const call = (name: string, input: object) => {
    const parsed = world.tools.find((tool) => tool.declaration.name === name)?.parse(input);
    return parsed?.type === "ok" ? [parsed.call.access, parsed.call.title] : parsed;
  };
  expect(call("Read", { path: "a", startLine: 1, endLine: 80 })).toEqual([{ type: "read", path: "a" }, "Read a 1-80"]);
  expect(call("Write", { path: "a", content: "x" })).toEqual([{ type: "write", path: "a" }, "Write a (1 line)"]);
  expect(call("Edit", { path: "a", old: "x", new: "y" })).toEqual([{ type: "write", path: "a" }, "Edit a"]);
  expect(call("Bash", { command: "ls\npwd" })).toEqual([{ type: "command", command: "ls\npwd" }, "Bash ls"]);
  expect(call("Grep", { pattern: "x" })).toEqual([{ type: "read", path: "." }, 'Grep "x" in .']);
  expect(call("Glob", { pattern: "*", path: "src" })).toEqual([{ type: "read", path: "src" }, "Glob * in src"]);
  expect(call("recall", { handle: "abc" })).toEqual([{ type: "none" }, "recall abc"]);
});
