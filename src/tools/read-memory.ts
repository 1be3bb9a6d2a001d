import type { Memory } from "../ports/memory.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import type { Tool } from "./tool.ts";

/** Memory files lie outside the workspace: they are read by name, and nothing else there is. */
export function readMemoryTool({ memory }: { readonly memory: Memory }): Tool {
  return defineTool({
    name: "ReadMemory",
    description: "A memory file that the memory index names, whole.",
    fields: { name: { type: "string", optional: false, description: "as the index has it" } },
    readOnly: true,
    plan: ({ name }) => ({
      access: { type: "none" },
      title: `ReadMemory ${name}`,
      run: async () => {
        const found = await memory.read(name);
        if (found.type === "found") return done(found.text, { form: "range" });
        const like = found.names.length === 0 ? "There are none." : `There are: ${found.names.join(", ")}.`;
        return failed(`No memory is named ${JSON.stringify(name.slice(0, 100))}. ${like}`);
      },
    }),
  });
}
