import { join } from "node:path";
import { type Check, failed, ok } from "./doctor-check.ts";
import { homeChecks } from "./doctor-home.ts";
import { serviceChecks } from "./doctor-services.ts";
import { toolChecks } from "./doctor-tools.ts";
import { exitCodes, UsageError } from "./exit.ts";
import { readModelsFile } from "./models-file.ts";
import { settingsFiles } from "./permissions.ts";
import { type Flags, homeOf } from "./settings.ts";
import { printable } from "./terminal.ts";

type DoctorFlags = Pick<Flags, "wire" | "baseUrl"> & { readonly json?: boolean };

/** `varve doctor`: what a session needs, one line each with what to do. Looks only: nothing is written, no key is shown. */
export async function runDoctor(flags: DoctorFlags): Promise<number> {
  const root = homeOf(process.env);
  const checks = [
    ...(await toolChecks()),
    ...(await homeChecks(root)),
    await settingsCheck(root),
    await modelsCheck(root),
    ...(await serviceChecks(flags, process.env)),
  ];
  const isWell = checks.every(({ state }) => state !== "fail");
  if (flags.json === true) process.stdout.write(`${JSON.stringify({ ok: isWell, checks })}\n`);
  else for (const check of checks) process.stdout.write(`${printable(lineOf(check)).replaceAll("\n", " ")}\n`);
  return isWell ? exitCodes.done : exitCodes.failed;
}

function lineOf({ name, state, said, todo }: Check): string {
  return `${state.padEnd(6)}${name.padEnd(11)}${said}${todo === null ? "" : ` -> ${todo}`}`;
}

async function settingsCheck(home: string): Promise<Check> {
  return await parsed("settings", "correct the file", async () => {
    const files = await settingsFiles({ home, cwd: process.cwd() });
    return files.length === 0 ? "no settings files" : files.map(({ path }) => path).join(", ");
  });
}

async function modelsCheck(root: string): Promise<Check> {
  return await parsed("models", "see docs/models.md", async () => {
    const { windows, prices } = await readModelsFile(root);
    const count = Object.keys(windows).length;
    if (count + prices.length === 0) return `no models.json in ${root}: tables and listings are used`;
    return `${join(root, "models.json")}: ${count} windows, ${prices.length} prices`;
  });
}

/** A file of the user's that is wrong says so by throwing. */
async function parsed(name: string, todo: string, read: () => Promise<string>): Promise<Check> {
  try {
    return ok(name, await read());
  } catch (error) {
    if (error instanceof UsageError) return failed(name, error.message, todo);
    throw error;
  }
}
