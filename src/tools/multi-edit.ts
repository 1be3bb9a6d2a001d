import { bounds } from "../kernel/bounds.ts";
import { defineTool } from "./define.ts";
import { editFile, wrongChange } from "./edit.ts";
import type { Files } from "./open-file.ts";
import type { Tool } from "./tool.ts";

export function multiEditTool(files: Files): Tool {
  return defineTool({
    name: "MultiEdit",
    description:
      "Several Edits of one file in one call, in order, each on what the one before left. All of them happen, or none.",
    fields: {
      path: { type: "string", optional: false },
      edits: {
        type: "list",
        optional: false,
        minimum: 1,
        maximum: bounds.editsPerCallMax,
        of: {
          old: { type: "string", optional: false },
          new: { type: "string", optional: false },
          all: { type: "boolean", optional: true },
        },
      },
    },
    readOnly: false,
    plan: ({ path, edits }) => {
      const changes = edits.map((edit) => ({ old: edit.old, new: edit.new, all: edit.all ?? false }));
      const wrong = changes.flatMap((change, at) => {
        const why = wrongChange(change);
        return why === null ? [] : [`edits[${at}].${why}`];
      });
      if (wrong.length > 0) return wrong.join("\n");
      return {
        access: { type: "write", path },
        title: `MultiEdit ${path} (${changes.length} edits)`,
        run: (context) => editFile(files, path, changes, context),
      };
    },
  });
}
