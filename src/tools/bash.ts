import { exitCodeLine } from "../digest/first-form.ts";
import { bounds } from "../kernel/bounds.ts";
import type { RunEnd, RunResult, Shell } from "../ports/shell.ts";
import { capturedText } from "./captured.ts";
import { defineTool } from "./define.ts";
import type { Tool, ToolContext, ToolOutcome } from "./tool.ts";

export function bashTool(options: { readonly shell: Shell }): Tool {
  return defineTool({
    name: "Bash",
    description: `Run a bash command in the working directory. Each call is a new shell (cd does not last), stdin is empty, background processes end with the call. To look at files use Read, Grep, Glob. timeoutMs: default ${bounds.commandMsDefault}.`,
    fields: {
      command: { type: "string", optional: false },
      timeoutMs: { type: "integer", minimum: 1, maximum: bounds.commandMsMax, optional: true },
      description: { type: "string", description: "a few words for the user", optional: true },
    },
    readOnly: false,
    plan: ({ command, timeoutMs = bounds.commandMsDefault, description }) => {
      if (command.trim() === "") return "command: expected a command, got white space.";
      if (command.includes("\0")) return "command: holds a NUL byte, which no command can.";
      const bytes = new TextEncoder().encode(command).length;
      if (bytes > bounds.commandBytesMax) {
        return `command: ${bytes} bytes; a shell takes at most ${bounds.commandBytesMax}. Write it to a file and run that.`;
      }
      return {
        access: { type: "command", command },
        title: `Bash ${description ?? firstLine(command)}`,
        run: (context, signal) => run(options.shell, { command, timeoutMs }, context, signal),
      };
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
  const exitCode = exitCodeOf(result.end);
  const notes = notesOf(result, exitCode, call.timeoutMs);
  const text = capturedText(result.output);
  const output =
    notes.length === 0 ? text : `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${notes.join("\n")}`;
  return {
    ending: endingOf(result.end, exitCode),
    output: output === "" ? "[no output]" : output,
    exitCode,
    files: [],
    images: [],
    form: "output",
  };
}

/** A command killed by a signal has the code a shell would give it. */
function exitCodeOf(end: RunEnd): number | null {
  if (end.type === "exited") return end.exitCode;
  return end.type === "killed" ? 128 + (signalNumbers[end.signal] ?? 0) : null;
}

const signalNumbers: { readonly [signal: string]: number } = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGIO: 29,
  SIGSYS: 31,
};

function endingOf(end: RunEnd, exitCode: number | null): ToolOutcome["ending"] {
  if (end.type === "timed-out" || end.type === "interrupted") return end.type;
  return exitCode === 0 ? "done" : "failed";
}

function notesOf(result: RunResult, exitCode: number | null, timeoutMs: number): readonly string[] {
  const notes = [...endNotes(result.end, timeoutMs), ...leftNotes[result.leftBehind]];
  return exitCode === null || exitCode === 0 ? notes : [...notes, exitCodeLine(exitCode)];
}

function endNotes(end: RunEnd, timeoutMs: number): readonly string[] {
  switch (end.type) {
    case "timed-out":
      return [`[timed out after ${timeoutMs} ms; the command was ended, its output so far stands above]`];
    case "interrupted":
      return ["[interrupted by the user; the command was ended, its output so far stands above]"];
    case "killed":
      return [`[ended by ${end.signal}]`];
    case "not-started":
      return [`[the command could not be started: ${end.why}]`];
    case "exited":
      return [];
  }
}

const leftNotes = {
  none: [],
  ended: ["[processes left in the background were ended with the command]"],
  "gave-up": ["[a process that this command started could not be ended and may still run]"],
} as const;

function firstLine(command: string): string {
  const line = command.trim().split("\n", 1)[0] ?? "";
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}
