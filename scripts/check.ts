import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Cheapest first; the first stage that fails ends the run. */
const stages: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: "format and lint", args: ["node_modules/@biomejs/biome/bin/biome", "check", "--error-on-warnings"] },
  { name: "layering", args: ["scripts/layering.ts"] },
  { name: "types", args: ["node_modules/typescript7/bin/tsc", "-p", "."] },
  { name: "types of the sample", args: ["node_modules/typescript7/bin/tsc", "-p", "examples/shop"] },
  { name: "unused code", args: ["node_modules/knip/bin/knip.js", "--no-progress", "--treat-config-hints-as-errors"] },
];

const root = join(import.meta.dirname, "..");
for (const stage of stages) {
  const startedAt = performance.now();
  const run = spawnSync(process.execPath, stage.args, { cwd: root, encoding: "utf8" });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (run.status === 0) {
    console.log(`check: ${stage.name} ok (${seconds} s)`);
    continue;
  }
  process.stdout.write(run.stdout);
  process.stderr.write(run.stderr);
  console.error(`check: ${stage.name} FAILED; the stages behind it did not run`);
  process.exitCode = 1;
  break;
}
