import { UsageError as SimulatorUsage } from "../testing/simulate/arguments.ts";
import { runSimulator } from "../testing/simulate/run.ts";
import { exitCodes, UsageError } from "./exit.ts";

/** `varve simulate`: the provider simulator, until it is told to end. */
export async function runSimulate(args: readonly string[]): Promise<number> {
  await runSimulator([...args]).catch((error: unknown) => {
    throw error instanceof SimulatorUsage ? new UsageError(error.message) : error;
  });
  return exitCodes.done;
}
