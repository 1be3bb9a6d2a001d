import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "./client-table.ts";
import { runProgram } from "./run-program.ts";

const installMsMax = 240_000;

/** What is installed of other people: clients, and servers. */
export type Program = Pick<Client, "name" | "package" | "bin" | "postinstall">;

/** Where one lies: a folder of its own, so that one more does not unsettle those that are there. */
export function binOf(client: Program, cache: string): string {
  return join(cache, folderOf(client), "node_modules", ".bin", client.bin);
}

/**
 * Those that could be installed; what is there already is taken as it is. A registry that cannot be reached skips a
 * client, loudly; anything else fails.
 */
export async function installed<P extends Program>(wanted: readonly P[], cache: string): Promise<readonly P[]> {
  const there: P[] = [];
  for (const client of wanted) {
    const startedAt = performance.now();
    const failed = await install(client, join(cache, folderOf(client)));
    if (failed === null) {
      there.push(client);
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      process.stdout.write(`${client.name}: installed (${seconds} s)\n`);
    } else if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED/.test(failed))
      process.stderr.write(`\n*** SKIPPED: ${client.name} was NOT tested, the registry cannot be reached ***\n\n`);
    else throw new Error(`${client.package} cannot be installed:\n${failed}`);
  }
  return there;
}

function folderOf(client: Program): string {
  return client.package.replace(/^@/, "").replaceAll(/[/@]/g, "-");
}

/** Gives what went wrong, or null. */
async function install(client: Program, folder: string): Promise<string | null> {
  const done = join(folder, "installed");
  if (await exists(done)) return null;
  await mkdir(folder, { recursive: true });
  const options = { cwd: folder, env: process.env, timeout: installMsMax };
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  const got = await runProgram("npm", ["install", "--prefix", folder, ...flags, client.package], options);
  if (got.code !== 0) return got.output;
  if (client.postinstall !== null) {
    const set = await runProgram(process.execPath, [join(folder, client.postinstall)], options);
    if (set.code !== 0) return set.output;
  }
  await mkdir(done);
  return null;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
