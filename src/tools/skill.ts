import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import type { Tool } from "./tool.ts";

/** Skills in the middle of a turn. The text comes as a block of its own, never as this call's result (DESIGN 4, Trust). */
export function skillTool(): Tool {
  return defineTool({
    name: "Skill",
    description: "Begin a skill of the list; its text follows. finished: true when its task is done.",
    fields: {
      skill: { type: "string", optional: false },
      arguments: { type: "string", optional: true },
      finished: { type: "boolean", optional: true },
    },
    readOnly: false,
    plan: ({ skill: name, arguments: typed = "", finished = false }) => {
      // As it is written in rules: another spelling would slip past one that refuses it.
      if (!/^[a-z0-9-]+$/.test(name)) return `skill: expected a name as the list has it, got ${JSON.stringify(name)}.`;
      if (finished && typed !== "") return "arguments: a skill that is finished takes none.";
      return {
        access: { type: "none" },
        title: `Skill ${name}${finished ? " is finished" : typed === "" ? "" : ` ${typed}`}`,
        run: async ({ skills }) => {
          const answer = finished ? skills?.finish(name) : await skills?.activate(name, typed);
          if (answer === undefined) return failed("Skill: there are no skills here.");
          if (answer.type === "failed") return failed(`Skill: ${answer.why}.`);
          return done(answer.says, { notes: [{ type: "attached", entries: answer.entries }] });
        },
      };
    },
  });
}
