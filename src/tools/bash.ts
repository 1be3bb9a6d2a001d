import { bounds } from "../kernel/bounds.ts";
import type { Background } from "../ports/background.ts";
import type { RunEnd, Shell } from "../ports/shell.ts";
import { defineTool } from "./define.ts";
import { done, failed } from "./outcome.ts";
import { reportOf } from "./run-report.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

export function bashTool(ports: { readonly shell: Shell; readonly background: Background }): Tool {
  return defineTool({
    name: "Bash",
    description: `Run a bash command in the working directory. Each call is a new shell (cd does not last), stdin is empty, processes left behind end with the call. background: true runs it beside the turn (servers, long builds): the call returns a task name at once, the end is reported to you. To look at files use Read, Grep, Glob. timeoutMs: default ${bounds.commandMsDefault}; in the background none.`,
    fields: {
      command: { type: "string", optional: false },
      timeoutMs: { type: "integer", minimum: 1, maximum: bounds.commandMsMax, optional: true },
      description: { type: "string", description: "a few words for the user", optional: true },
      background: { type: "boolean", optional: true },
    },
    readOnly: false,
    plan: ({ command, timeoutMs, description, background = false }) => {
      if (command.trim() === "") return "command: expected a command, got white space.";
      if (command.includes("\0")) return "command: holds a NUL byte, which no command can.";
      const bytes = new TextEncoder().encode(command).length;
      if (bytes > bounds.commandBytesMax) {
        return `command: ${bytes} bytes; a shell takes at most ${bounds.commandBytesMax}. Write it to a file and run that.`;
      }
      const title = `Bash ${description ?? commandTitle(command)}`;
      const access = { type: "command", command } as const;
      if (background) {
        const run = async (context: ToolContext) => start(ports.background, { command, timeoutMs }, context);
        return { access, title: `${title} (background)`, run };
      }
      const call = { command, timeoutMs: timeoutMs ?? bounds.commandMsDefault };
      return { access, title, run: (context, signal) => run(ports.shell, call, context, signal) };
    },
  });
}

async function run(
  shell: Shell,
  call: { readonly command: string; readonly timeoutMs: number },
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const request = {
    command: { type: "script", text: call.command },
    cwd: context.cwd,
    timeoutMs: call.timeoutMs,
    bytesMax: bounds.captureBytesMax,
    onOutput: context.onProgress,
  } as const;
  const result = await shell.run(request, signal);
  const { output, exitCode } = reportOf(result, {
    timedOut: `timed out after ${call.timeoutMs} ms`,
    interrupted: "interrupted by the user",
  });
  return { ending: endingOf(result.end, exitCode), output, exitCode, files: [], images: [], form: "output" };
}

function endingOf(end: RunEnd, exitCode: number | null): ToolOutcome["ending"] {
  if (end.type === "timed-out" || end.type === "interrupted") return end.type;
  return exitCode === 0 ? "done" : "failed";
}

function start(
  background: Background,
  call: { readonly command: string; readonly timeoutMs: number | undefined },
  context: ToolContext,
): ToolOutcome {
  const { command, timeoutMs = bounds.taskMsMax } = call;
  const started = background.start({ number: context.tasksStarted() + 1, command, cwd: context.cwd, timeoutMs });
  if (started.type === "refused") return failed(`Not started: ${started.why}.`);
  const { task } = started;
  return done(
    `Started as ${task}. You will be told when it ends; until then TaskOutput shows what it printed, TaskStop ends it.`,
    { notes: [{ type: "background", task, command }] },
  );
}

export function commandTitle(command: string): string {
  const line = command.trim().split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 120).toWellFormed()}…` : line;
}
