import { bounds } from "../kernel/bounds.ts";
import { own } from "../kernel/own.ts";
import type { Background, TaskLook } from "../ports/background.ts";
import type { RunEnd } from "../ports/shell.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import { exitCodeOf } from "./run-report.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

type Ports = { readonly background: Background };

const task = { type: "string", optional: false } as const;

/** What a task printed since the last look. Its whole output is an original of its own, once it ended. */
export function taskOutputTool({ background }: Ports): Tool {
  return defineTool({
    name: "TaskOutput",
    description:
      "What a background task printed since the last look, and whether it runs; waitMs: first wait for its end, so long at most.",
    fields: { task, waitMs: { type: "integer", minimum: 0, maximum: bounds.commandMsMax, optional: true } },
    readOnly: true,
    plan: ({ task, waitMs = 0 }) => ({
      access: { type: "none" },
      title: `TaskOutput ${task}`,
      run: async (context, signal) => {
        await background.wait(task, waitMs, signal);
        const look = background.look(task);
        if (look !== null) return done(lookText(task, look, context), { form: "output" });
        const ended = endedText(task, context);
        return ended === null ? unknown(task, background) : done(ended);
      },
    }),
  });
}

export function taskStopTool({ background }: Ports): Tool {
  return defineTool({
    name: "TaskStop",
    description: "End a background task and all it started.",
    fields: { task },
    readOnly: false,
    plan: ({ task }) => ({
      access: { type: "none" },
      title: `TaskStop ${task}`,
      run: async (context) => {
        const end = await background.stop(task);
        if (end !== null) return done(`${task} ${endWords(end)}.`);
        const ended = background.look(task) === null ? endedText(task, context) : `${task} has ended already.`;
        return ended === null ? unknown(task, background) : done(ended);
      },
    }),
  });
}

function lookText(task: string, { text, charsLeftOut, end }: TaskLook, context: ToolContext): string {
  const whole = end === null ? null : recallWords(task, context);
  const state = end === null ? "runs" : endWords(end);
  const left = charsLeftOut === 0 ? [] : [`[… ${charsLeftOut} characters before this were not kept for a look …]`];
  const news = text === "" ? ["[no new output]"] : [text];
  return [`[${[`${task} ${state}`, ...(whole === null ? [] : [whole])].join("; ")}]`, ...left, ...news].join("\n");
}

function endedText(task: string, context: ToolContext): string | null {
  const ended = own(context.tasksEnded(), task);
  if (ended === undefined) return null;
  const code = ended.exitCode === null ? "" : `, exit code ${ended.exitCode}`;
  return `${task} has ended (${ended.ending}${code}); all it printed: recall handle=${ended.handle}`;
}

function recallWords(task: string, context: ToolContext): string {
  const ended = own(context.tasksEnded(), task);
  return ended === undefined
    ? "the report of its end gives a handle for all of it"
    : `all of it: recall handle=${ended.handle}`;
}

function endWords(end: RunEnd): string {
  const code = exitCodeOf(end);
  return code === null ? words[end.type] : `ended with exit code ${code}`;
}

const words: { readonly [T in RunEnd["type"]]: string } = {
  exited: "ended",
  killed: "was ended by a signal",
  "timed-out": "ran out of its time",
  interrupted: "was stopped",
  "not-started": "could not be started",
};

function unknown(task: string, background: Background): ToolOutcome {
  const names = background.running();
  const running = names.length === 0 ? "No task runs" : `Running: ${names.join(", ")}`;
  return failed(`There is no task ${JSON.stringify(task.slice(0, 80))}. ${running}.`);
}
