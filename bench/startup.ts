import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { version } from "../src/version.ts";
import { percentile, rounded } from "./timing.ts";

const runs = 20;

/** Start of the built `varve --version` beside `node -e 0`, the same Node, in turns, so that a slow moment hits both. */
export async function runStartup(): Promise<object> {
  const built = "dist/cli/main.mjs";
  if (!existsSync(built)) throw new Error(`${built} is not there; run \`npm run build\` first`);
  const node: number[] = [];
  const varve: number[] = [];
  for (let run = 0; run < runs; run++) {
    node.push(timed(["-e", "0"]));
    varve.push(timed([built, "--version"]));
  }
  const row = (name: string, of: string, times: readonly number[]) => ({
    name,
    version: of,
    firstRequestMs: null,
    wallMs: rounded(percentile(times, 0.5)),
  });
  const commands = [row("node -e 0", process.version, node), row("varve --version", version, varve)];
  return { commands, ratio: rounded(percentile(varve, 0.5) / percentile(node, 0.5)) };
}

function timed(args: readonly string[]): number {
  const start = performance.now();
  const { status } = spawnSync(process.execPath, args);
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}`);
  return performance.now() - start;
}
