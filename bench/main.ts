import { runEstimate } from "./estimate.ts";
import { runResume } from "./resume.ts";
import { runStartup } from "./startup.ts";
import { runSteps } from "./steps.ts";

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<object>>> = {
  steps: runSteps,
  startup: runStartup,
  estimate: runEstimate,
  resume: runResume,
};

const [name = "", ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(`bench: expected one of ${Object.keys(benches).join(", ")}; got "${name}"\n`);
  process.exit(2);
}
process.stdout.write(`${JSON.stringify(await bench(args), null, args.includes("--json") ? 0 : 2)}\n`);
