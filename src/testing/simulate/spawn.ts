import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../kernel/canonical.ts";
import { parseJson } from "../../kernel/json.ts";

export type SpawnedSimulator = { readonly url: string; readonly pid: number; stop(): Promise<number | null> };

/**
 * The simulator as its own process, so that it lives on while an agent is killed. `args` are those of `varve simulate`.
 * Rejects if it ends (wrong arguments, a port that is taken) or says no address within `startMsMax` milliseconds; its
 * stderr is this process's. `stop` ends it, waits until it is gone and gives its exit code: 1 where an expectation failed.
 */
export async function spawnSimulator(args: readonly string[] = [], startMsMax = 10_000): Promise<SpawnedSimulator> {
  // The built package has the same files under the same names, compiled.
  const main = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "./main.ts" : "./main.mjs", import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const started = await firstLine(child, startMsMax);
  const { url, pid } = started;
  return {
    url,
    pid,
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode);
        child.once("exit", resolve);
        child.kill("SIGTERM");
      }),
  };
}

function firstLine(child: ChildProcess, startMsMax: number): Promise<{ readonly url: string; readonly pid: number }> {
  return new Promise((resolve, reject) => {
    let text = "";
    const fail = (why: string) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`the simulator did not start: ${why}`));
    };
    const timer = setTimeout(() => fail(`no address within ${startMsMax} ms`), startMsMax);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`it ended with ${code}`));
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes("\n")) return;
      const parsed = parseJson(text.split("\n")[0] ?? "");
      if (parsed.type === "bad" || !isRecord(parsed.value)) return fail(`it said ${text}`);
      clearTimeout(timer);
      child.removeAllListeners("exit");
      resolve({ url: String(parsed.value.url), pid: Number(parsed.value.pid) });
    });
  });
}
