import { exitCodeLine } from "../digest/first-form.ts";
import type { RunEnd, RunResult } from "../ports/shell.ts";
import { capturedText } from "./captured.ts";

/** A finished command as one text: what it printed, then what is to be said of its end. */
export function reportOf(
  result: RunResult,
  said: { readonly timedOut: string; readonly interrupted: string },
): { readonly output: string; readonly exitCode: number | null } {
  const exitCode = exitCodeOf(result.end);
  const code = exitCode === null || exitCode === 0 ? [] : [exitCodeLine(exitCode)];
  const notes = [...endNotes(result.end, said), ...leftNotes[result.leftBehind], ...code];
  const text = capturedText(result.output);
  const output =
    notes.length === 0 ? text : `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${notes.join("\n")}`;
  return { output: output === "" ? "[no output]" : output, exitCode };
}

/** A command killed by a signal has the code a shell would give it. */
export function exitCodeOf(end: RunEnd): number | null {
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

function endNotes(end: RunEnd, { timedOut, interrupted }: Parameters<typeof reportOf>[1]): readonly string[] {
  switch (end.type) {
    case "timed-out":
      return [`[${timedOut}; the command was ended, its output so far stands above]`];
    case "interrupted":
      return [`[${interrupted}; the command was ended, its output so far stands above]`];
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
