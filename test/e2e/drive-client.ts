import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isRecord } from "../../src/kernel/canonical.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import type { SpawnedSimulator } from "../../src/testing/simulate/spawn.ts";
import type { Client } from "./client-table.ts";
import { binOf } from "./install-client.ts";
import { check, runProgram } from "./run-program.ts";
import { survivesApply } from "./survives-apply.ts";

export const clientMsMax = 120_000;
const secret = "hello from the file";

/**
 * One client with one model: read, shell, final text, and all of it once more in a resumed session. Nothing it sent may
 * be refused, no reasoning lost, and from the second request on the cache is read. Gives one line for people.
 */
export async function driveClient(
  client: Client,
  model: string,
  { cache, simulator }: { readonly cache: string; readonly simulator: SpawnedSimulator },
): Promise<string> {
  const startedAt = performance.now();
  const { url } = simulator;
  const root = await mkdtemp(join(tmpdir(), `varve-e2e-${client.name}-`));
  try {
    await fetch(`${url}/_sim/reset`, { method: "POST" });
    const run = await prepare(client, model, { root, url, bin: binOf(client, cache) });
    await run(client.first("Read hello.txt", url, model), null);
    await run(client.resumed("Read hello.txt again", url, model), client.resumeBreaks);
    const records = await recordsOf(url);
    const counts = judge(`${client.name} with ${model}`, client, model, records);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    const read = records.map(({ readTokens, promptTokens }) => `${readTokens}/${promptTokens}`).join(" ");
    const resume = client.resumeBreaks === null ? "and resume done" : `done, resume refused by ${client.resumeBreaks}`;
    return `${client.name} ${model}: loop ${resume} (${seconds} s), cache read ${read}, bodies of ${counts.join(", ")} segments unharmed`;
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function prepare(
  client: Client,
  model: string,
  { root, url, bin }: { readonly root: string; readonly url: string; readonly bin: string },
): Promise<(args: readonly string[], breaks: string | null) => Promise<void>> {
  const name = `${client.name} with ${model}`;
  const [home, work] = [join(root, "home"), join(root, "work")];
  await mkdir(home);
  await mkdir(work);
  await writeFile(join(work, "hello.txt"), `${secret}\n`);
  const settings = client.settings(url, model);
  if (settings !== null) {
    await mkdir(dirname(join(home, settings.file)), { recursive: true });
    await writeFile(join(home, settings.file), JSON.stringify(settings.content));
  }
  // Nothing of this machine's environment: an empty home, no keys, no proxies.
  const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
  const { NODE_COMPILE_CACHE } = process.env;
  const env = { PATH: path, NODE_COMPILE_CACHE, HOME: home, NO_COLOR: "1", ...client.env(url, model) };
  return async (args, breaks) => {
    const ran = await runProgram(bin, args, { cwd: work, env, timeout: clientMsMax });
    if (breaks !== null) return check(ran.code !== 0, `${name} is mended: it resumes without breaking ${breaks}`);
    check(ran.code === 0, `${name} ended with ${ran.code}:\n${ran.output}\n${await refusals(url)}`);
    check(ran.output.includes("Done after 2 tool results"), `${name} said:\n${ran.output}\n${await refusals(url)}`);
  };
}

function judge(name: string, client: Client, model: string, records: readonly SimRecord[]): readonly number[] {
  const { wire, resumeBreaks } = client;
  const refused = records.find(({ status, violation }) => status !== 200 && violation?.rule !== (resumeBreaks ?? ""));
  check(refused === undefined, `${name}: a request was refused: ${JSON.stringify(refused?.violation)}`);
  const dropped = records.flatMap((record) => record.dropped);
  check(dropped.length === 0, `${name}: reasoning was dropped: ${JSON.stringify(dropped[0])}`);
  // A title or a summary is asked for without tools.
  const steps = records.filter((one) => one.wire === wire && one.status === 200 && /tools"/.test(one.body));
  const least = resumeBreaks === null ? 6 : 3;
  check(steps.length >= least, `${name} sent ${steps.length} requests, expected ${least} or more`);
  check(steps.at(-1)?.body.includes(secret) === true, `${name}: the file's text never came back`);
  const reasoning = client.reasoning[model];
  const isKept = reasoning === undefined || reasoning.test(steps.at(-1)?.body ?? "");
  check(isKept, `${name}: the reasoning never came back`);
  const cold = steps.slice(1).find(({ readTokens }) => readTokens === 0);
  check(cold === undefined, `${name}: request ${cold?.n} read nothing from the cache (${cold?.missCause})`);
  return records.map((record) => survivesApply(name, record.wire, record.body));
}

async function recordsOf(url: string): Promise<readonly SimRecord[]> {
  const answer: unknown = await (await fetch(`${url}/_sim/requests`)).json();
  // The proof is the simulator's own type: this program started it from this very checkout.
  return isRecord(answer) && Array.isArray(answer.requests) ? (answer.requests as readonly SimRecord[]) : [];
}

async function refusals(url: string): Promise<string> {
  const refused = (await recordsOf(url)).filter(({ status }) => status !== 200);
  return refused.map(({ n, status, violation }) => `request ${n}: ${status} ${JSON.stringify(violation)}`).join("\n");
}
