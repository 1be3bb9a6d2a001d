import { execFile } from "node:child_process";

export type Ran = { readonly code: number; readonly output: string };

/** A program to its end, its standard input empty; one that outlives `timeout` (milliseconds) is ended. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly timeout: number },
): Promise<Ran> {
  return new Promise((resolve) => {
    const done = (error: Error | null, stdout: string, stderr: string) => {
      const code = error === null ? 0 : "code" in error && typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    };
    const child = execFile(file, [...args], { ...options, maxBuffer: 64 * 1024 * 1024 }, done);
    child.stdin?.end();
  });
}

export function check(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Error(why);
}
