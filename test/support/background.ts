import { shellBackground } from "../../src/adapters/background.ts";
import type { Background } from "../../src/ports/background.ts";
import type { RunEnd, RunResult, Shell } from "../../src/ports/shell.ts";

export type FakeBackground = Background & {
  /** The oldest running command of that text ends, with what it printed. */
  end(command: string, output: string, end?: RunEnd): void;
  /** Commands in the order they were started. */
  readonly commands: readonly string[];
};

/** The product's own tasks over commands that a test ends; one that is stopped ends at once. */
export function fakeBackground(): FakeBackground {
  const commands: string[] = [];
  const ends = new Map<string, (output: string, end: RunEnd) => void>();
  const shell: Shell = {
    run: ({ command, onOutput }, signal) =>
      new Promise<RunResult>((resolve) => {
        const text = command.type === "script" ? command.text : command.path;
        commands.push(text);
        const finish = (output: string, end: RunEnd) => {
          ends.delete(text);
          onOutput?.(output);
          const empty = { head: "", bytesLeftOut: 0, tail: "" };
          resolve({ end, output: { ...empty, head: output }, errorOutput: empty, leftBehind: "none" });
        };
        ends.set(text, finish);
        signal.addEventListener("abort", () => finish("", { type: "interrupted" }), { once: true });
      }),
  };
  return {
    ...shellBackground(shell),
    commands,
    end: (command, output, end = { type: "exited", exitCode: 0 }) => ends.get(command)?.(output, end),
  };
}
