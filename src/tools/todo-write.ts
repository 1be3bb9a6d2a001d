import { bounds } from "../kernel/bounds.ts";
import type { Todo } from "../log/entry.ts";
import { defineTool } from "./define.ts";
import { done } from "./outcome.ts";
import type { Tool } from "./tool.ts";

/** The list lives in the log, not in the conversation: it can be shown again whatever became of the call (CASES C-011). */
export function todoWriteTool(): Tool {
  return defineTool({
    name: "TodoWrite",
    description:
      "Keep the list of steps of a longer task: the whole list each time, at most one in-progress. Mark a step done as soon as it is.",
    fields: {
      todos: {
        type: "list",
        optional: false,
        maximum: bounds.todosMax,
        of: {
          text: { type: "string", optional: false },
          status: { type: "string", optional: false, values: ["pending", "in-progress", "done"] },
        },
      },
    },
    readOnly: false,
    plan: ({ todos }) => {
      const blank = todos.findIndex(({ text }) => text.trim() === "");
      if (blank >= 0) return `todos[${blank}].text: expected what is to be done, got white space.`;
      const active = todos.filter(({ status }) => status === "in-progress").length;
      if (active > 1) return `todos: expected at most one in-progress, got ${active}.`;
      return {
        access: { type: "none" },
        title: `TodoWrite ${todos.length} items`,
        run: async () => done(listText(todos), { notes: [{ type: "todos", todos }] }),
      };
    },
  });
}

function listText(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list is empty now.";
  const finished = todos.filter(({ status }) => status === "done").length;
  const next = todos.find(({ status }) => status === "in-progress") ?? todos.find(({ status }) => status === "pending");
  return `${finished} of ${todos.length} done. ${next === undefined ? "Nothing is left." : `Now: ${next.text}`}`;
}
