import { printable } from "../src/cli/terminal.ts";
import { runAssembly } from "./assembly.ts";
import { runMakeData } from "./data/make.ts";
import { runDigest } from "./digest.ts";
import { runEstimate } from "./estimate.ts";
import { runLong } from "./long.ts";
import { runNative } from "./native.ts";
import { runRecompute } from "./recompute.ts";
import { runReplay } from "./replay.ts";
import { runResults } from "./results.ts";
import { runResume } from "./resume.ts";
import { runRetrieval } from "./retrieval.ts";
import { runRisk } from "./risk.ts";
import { runSearchBench } from "./search.ts";
import { runStartup } from "./startup.ts";
import { runSteps } from "./steps.ts";
import { runToolSearch } from "./toolsearch.ts";

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<object | string>>> = {
  assembly: runAssembly,
  steps: runSteps,
  long: runLong,
  native: runNative,
  startup: runStartup,
  estimate: runEstimate,
  resume: runResume,
  digest: runDigest,
  "make-data": runMakeData,
  results: runResults,
  replay: runReplay,
  recompute: runRecompute,
  risk: runRisk,
  retrieval: runRetrieval,
  search: runSearchBench,
  toolsearch: runToolSearch,
};

const [name = "", ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  process.stderr.write(`bench: expected one of ${Object.keys(benches).join(", ")}; got "${name}"\n`);
  process.exit(2);
}
const result = await bench(args);
// Tables name what sessions name.
const text =
  typeof result === "string" ? printable(result) : JSON.stringify(result, null, args.includes("--json") ? 0 : 2);
process.stdout.write(`${text}\n`);
