import { UsageError } from "./arguments.ts";
import { runSimulator } from "./run.ts";

runSimulator(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
