import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { todoWriteTool } from "../../src/tools/todo-write.ts";
import type { ToolContext } from "../../src/tools/tool.ts";

const tool = todoWriteTool();
const nothing: ToolContext = {
  cwd: "/",
  seen: () => null,
  original: async () => null,
  mode: () => "default",
  modeBefore: () => "default",
  tasksStarted: () => 0,
  tasksEnded: () => ({}),
  onProgress: () => {},
};
const write = async (todos: unknown) => {
  const parsed = tool.parse({ todos });
  if (parsed.type === "bad") return parsed.why;
  return await parsed.call.run(nothing, new AbortController().signal);
};

test("the whole list is noted beside the result, which says how far it is", async () => {
  const todos = [
    { text: "add flag", status: "done" },
    { text: "write test", status: "in-progress" },
    { text: "update changelog", status: "pending" },
  ];
  expect(await write(todos)).toMatchObject({
    ending: "done",
    output: "1 of 3 done. Now: write test",
    notes: [{ type: "todos", todos }],
  });
});

const rows: readonly (readonly [name: string, todos: unknown, says: RegExp])[] = [
  ["an empty list clears it", [], /empty/],
  ["all done", [{ text: "a", status: "done" }], /1 of 1 done. Nothing is left/],
];
test.each(rows)("%s", async (_name, todos, says) => {
  const outcome = await write(todos);
  expect(typeof outcome === "string" ? outcome : outcome.output).toMatch(says);
});

const wrong: readonly (readonly [name: string, todos: unknown, why: RegExp])[] = [
  ["blank text", [{ text: " ", status: "pending" }], /todos\[0\]\.text: expected what is to be done/],
  [
    "an unknown status",
    [{ text: "a", status: "open" }],
    /todos\[0\]: status: expected "pending" or "in-progress" or "done"/,
  ],
  ["two at once", ["a", "b"].map((text) => ({ text, status: "in-progress" })), /at most one in-progress, got 2/],
  [
    "more than bounds.todosMax",
    Array.from({ length: bounds.todosMax + 1 }, () => ({ text: "a", status: "pending" })),
    /expected a list of 0 to 100/,
  ],
];
test.each(wrong)("%s is refused", async (_name, todos, why) => {
  expect(await write(todos)).toMatch(why);
});
