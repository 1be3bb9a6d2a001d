import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Client, clients } from "../test/e2e/client-table.ts";
import { binOf } from "../test/e2e/install-client.ts";

/** A program that is given one prompt, ready to run. */
export type Prompted = {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
};

/** The clients of `npm run e2e` that are installed on this machine; the others with the command that brings them. */
export async function peersIn(
  root: string,
  url: string,
  prompt: string,
): Promise<{ readonly there: readonly Prompted[]; readonly notes: readonly string[] }> {
  const cache = process.env.VARVE_E2E_CACHE ?? join(homedir(), ".cache", "varve-e2e");
  const there: Prompted[] = [];
  const notes: string[] = [];
  for (const client of clients) {
    if (existsSync(binOf(client, cache))) there.push(await prepared(client, { cache, root, url, prompt }));
    else notes.push(`${client.name} is not installed: npm run e2e -- ${client.name}`);
  }
  return { there, notes };
}

async function prepared(
  client: Client,
  { cache, root, url, prompt }: Readonly<Record<"cache" | "root" | "url" | "prompt", string>>,
): Promise<Prompted> {
  const model = client.models[0] ?? "";
  const home = join(root, client.name);
  await mkdir(home, { recursive: true });
  const settings = client.settings(url, model);
  if (settings !== null) {
    await mkdir(dirname(join(home, settings.file)), { recursive: true });
    await writeFile(join(home, settings.file), JSON.stringify(settings.content));
  }
  return {
    name: client.name,
    version: client.package.slice(client.package.lastIndexOf("@") + 1),
    file: binOf(client, cache),
    args: client.first(prompt, url, model),
    env: { ...plainEnvironment(home), ...client.env(url, model) },
  };
}

/** Nothing of this machine's environment: an empty home, no keys, no proxies. */
export function plainEnvironment(home: string): NodeJS.ProcessEnv {
  return { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, HOME: home, NO_COLOR: "1" };
}
