import type { PermissionMode } from "../log/entry.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import type { Tool } from "./tool.ts";

/** Into plan mode: fewer rights, so nobody is asked. The set of tools stays as it is; permissions refuse (M-71). */
export function enterPlanModeTool(): Tool {
  return defineTool({
    name: "EnterPlanMode",
    description:
      "Before a large or unclear change: look around and plan first. Writes are refused until the plan is accepted.",
    fields: {},
    readOnly: false,
    plan: () => ({
      access: { type: "none" },
      title: "EnterPlanMode",
      run: async ({ mode }) => {
        if (mode() === "plan") return done("Plan mode is on already.");
        return done("Plan mode is on: read and think; writes and commands that change anything are refused.", {
          notes: [{ type: "mode", mode: "plan" }],
        });
      },
    }),
  });
}

/** Out of it with a plan that the user accepts. Whoever says no, or cannot be asked, leaves the session in plan mode. */
export function exitPlanModeTool(): Tool {
  return defineTool({
    name: "ExitPlanMode",
    description: "Show the finished plan to the user and ask to carry it out. Only in plan mode.",
    fields: { plan: { type: "string", optional: false } },
    readOnly: false,
    plan: ({ plan }) => {
      if (plan.trim() === "") return "plan: expected the plan, got white space.";
      return {
        access: { type: "leave-plan", plan },
        title: "ExitPlanMode",
        run: async ({ mode, modeBefore }) => {
          if (mode() !== "plan") return failed("There is no plan mode to leave; go on.");
          const next = modeBefore();
          return done(`The plan was accepted. ${leftTexts[next]}`, { notes: [{ type: "mode", mode: next }] });
        },
      };
    },
  });
}

const leftTexts: Readonly<Record<PermissionMode, string>> = {
  default: "Permission mode is default again: carry it out; writes ask the user.",
  acceptEdits: "Permission mode is acceptEdits again: carry it out; edits inside the project are allowed.",
  plan: "Plan mode stays on.",
  dontAsk: "Permission mode is dontAsk again: what would need a question is refused.",
  bypassPermissions: "Permission mode is bypassPermissions again: carry it out with care.",
};
