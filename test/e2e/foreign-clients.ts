import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isRecord } from "../../src/kernel/canonical.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { apply } from "../../src/prompt/apply.ts";
import type { Edit } from "../../src/prompt/segment.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../src/testing/simulate/spawn.ts";

/**
 * `npm run e2e`: two real clients of other people, pi and opencode, run a whole tool loop against our simulator, and the
 * bodies they sent survive `apply`. They are installed once into `~/.cache/varve-e2e` (or $VARVE_E2E_CACHE); nothing of
 * theirs is kept in this repository. Where the system allows it, they run without any network but
 * loopback.
 */
const installMsMax = 240_000;
const clientMsMax = 120_000;

type Client = {
  readonly name: string;
  readonly package: string;
  /** Whose path is started, and whether it is a script for Node. */
  readonly bin: string;
  readonly postinstall: string | null;
  readonly wire: Wire;
  readonly settings: (url: string) => { readonly file: string; readonly content: unknown };
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

const prompt = "Read hello.txt";
const limits = { contextWindow: 200_000, maxTokens: 8_000 };

const clients: readonly Client[] = [
  {
    name: "pi",
    package: "@mariozechner/pi-coding-agent@0.73.1",
    bin: "pi",
    postinstall: null,
    wire: "anthropic",
    settings: (url) => {
      const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
      const model = { id: "claude-sonnet-4-5", name: "Simulated", reasoning: false, input: ["text"], cost, ...limits };
      const provider = { baseUrl: url, api: "anthropic-messages", apiKey: "dummy", models: [model] };
      return { file: ".pi/agent/models.json", content: { providers: { simulator: provider } } };
    },
    args: ["-p", "--provider", "simulator", "--model", "claude-sonnet-4-5", prompt],
    env: { PI_OFFLINE: "1" },
  },
  {
    name: "opencode",
    package: "opencode-ai@1.18.33",
    bin: "opencode",
    postinstall: "node_modules/opencode-ai/postinstall.mjs",
    wire: "chat",
    settings: (url) => {
      const models = { "sim-chat": { limit: { context: 128_000, output: 8_000 } } };
      const options = { baseURL: `${url}/v1`, apiKey: "dummy" };
      const provider = { simulator: { npm: "@ai-sdk/openai-compatible", options, models } };
      const content = { autoupdate: false, share: "disabled", provider, model: "simulator/sim-chat" };
      return { file: ".config/opencode/opencode.json", content };
    },
    args: ["run", "--model", "simulator/sim-chat", prompt],
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  },
];

type Ran = { readonly code: number; readonly output: string };

function run(file: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv; timeout: number }) {
  return new Promise<Ran>((resolve) => {
    const done = (error: Error | null, stdout: string, stderr: string) => {
      const code = error === null ? 0 : "code" in error && typeof error.code === "number" ? error.code : 1;
      resolve({ code, output: `${stdout}${stderr}` });
    };
    const child = execFile(file, [...args], { ...options, maxBuffer: 64 * 1024 * 1024 }, done);
    child.stdin?.end();
  });
}

/** Once: what is there already is taken as it is. Gives what went wrong, or null. */
async function install(client: Client, cache: string): Promise<string | null> {
  await mkdir(cache, { recursive: true });
  const npm = ["install", "--prefix", cache, "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
  const got = await run("npm", [...npm, client.package], { cwd: cache, env: process.env, timeout: installMsMax });
  if (got.code !== 0) return got.output;
  if (client.postinstall === null) return null;
  // Its own step of installation: it links the binary of this platform. No other script of any package runs.
  const set = await run(process.execPath, [join(cache, client.postinstall)], {
    cwd: cache,
    env: process.env,
    timeout: installMsMax,
  });
  return set.code === 0 ? null : set.output;
}

async function drive(client: Client, cache: string, simulator: SpawnedSimulator): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), `varve-e2e-${client.name}-`));
  try {
    const [home, work] = [join(root, "home"), join(root, "work")];
    const { file, content } = client.settings(simulator.url);
    await mkdir(dirname(join(home, file)), { recursive: true });
    await mkdir(work);
    await writeFile(join(home, file), JSON.stringify(content));
    await writeFile(join(work, "hello.txt"), "hello from the file\n");
    await fetch(`${simulator.url}/_sim/reset`, { method: "POST" });
    const path = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
    // Nothing of this machine's environment: an empty home, no keys, no proxies.
    const env = { PATH: path, HOME: home, NO_COLOR: "1", ...client.env };
    const bin = join(cache, "node_modules", ".bin", client.bin);
    const ran = await run(bin, client.args, { cwd: work, env, timeout: clientMsMax });
    check(ran.code === 0, `${client.name} ended with ${ran.code}:\n${ran.output}`);
    check(ran.output.includes("Done after 2 tool results: hello from the file"), `${client.name} said:\n${ran.output}`);
    return await sentBodies(client, simulator);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function sentBodies({ name, wire }: Client, { url }: SpawnedSimulator): Promise<readonly string[]> {
  const answer: unknown = await (await fetch(`${url}/_sim/requests`)).json();
  const records = isRecord(answer) && Array.isArray(answer.requests) ? answer.requests.filter(isRecord) : [];
  const refused = records.filter(({ status }) => status !== 200);
  check(
    refused.length === 0,
    `${name}: ${refused.length} requests were refused: ${JSON.stringify(refused[0]?.violation)}`,
  );
  const bodies = records.filter((record) => record.wire === wire).map(({ body }) => String(body));
  check(bodies.length >= 3, `${name} sent ${bodies.length} requests, expected a tool loop of 3 or more`);
  return bodies;
}

/** Every segment replaced by its own bytes changes nothing; a text edit changes only the span of its segment. */
function survivesApply({ name, wire }: Client, body: string): number {
  const bytes = new TextEncoder().encode(body);
  const { segments: cut } = codecFor(wire);
  const segments = cut(bytes);
  const own = segments.map(({ id, span }): Edit => ({ type: "bytes", segment: id, bytes: bytes.slice(...span) }));
  check(Buffer.compare(apply(bytes, segments, own), bytes) === 0, `${name}: its own bytes put back changed the body`);
  for (const { id, span, textSpans } of segments) {
    if (textSpans.length === 0) continue;
    const edited = apply(bytes, segments, [{ type: "text", segment: id, text: '新しい "text" 😀' }]);
    const tail = bytes.length - span[1];
    check(Buffer.compare(edited.subarray(0, span[0]), bytes.subarray(0, span[0])) === 0, `${name}: bytes before ${id}`);
    check(
      Buffer.compare(edited.subarray(edited.length - tail), bytes.subarray(span[1])) === 0,
      `${name}: bytes behind ${id}`,
    );
    const others = (list: typeof segments) =>
      list
        .filter((one) => one.id !== id)
        .map(({ hash }) => hash)
        .join();
    check(others(cut(edited)) === others(segments), `${name}: an edit of ${id} changed another segment`);
  }
  return segments.length;
}

function check(holds: boolean, why: string): void {
  if (!holds) throw new Error(why);
}

/** Those that could be installed. A registry that cannot be reached skips a client, loudly; anything else fails. */
async function installed(cache: string): Promise<readonly Client[]> {
  const there: Client[] = [];
  for (const client of clients) {
    const failed = await install(client, cache);
    if (failed === null) there.push(client);
    else if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED/.test(failed))
      process.stderr.write(`\n*** SKIPPED: ${client.name} was NOT tested, the registry cannot be reached ***\n\n`);
    else throw new Error(`${client.package} cannot be installed:\n${failed}`);
  }
  return there;
}

/** This script again, on a machine with no network but loopback; null where the system does not allow that. */
async function driveApart(names: readonly string[]): Promise<Ran | null> {
  const loopback = ["-rn", "sh", "-c", 'ip link set lo up && exec "$0" "$@"', process.execPath];
  const options = { cwd: process.cwd(), env: process.env, timeout: clientMsMax * 2 };
  const can = await run("unshare", [...loopback, "--version"], options);
  if (can.code !== 0) return null;
  return await run("unshare", [...loopback, fileURLToPath(import.meta.url), "--drive", ...names], options);
}

async function driveAll(chosen: readonly Client[], cache: string): Promise<void> {
  const simulator = await spawnSimulator();
  try {
    for (const client of chosen) {
      const bodies = await drive(client, cache, simulator);
      const counts = bodies.map((body) => survivesApply(client, body));
      process.stdout.write(`${client.name}: tool loop done, bodies of ${counts.join(", ")} segments unharmed\n`);
    }
  } finally {
    await simulator.stop();
  }
}

async function main(args: readonly string[]): Promise<void> {
  const cache = process.env.VARVE_E2E_CACHE ?? join(homedir(), ".cache", "varve-e2e");
  if (args[0] === "--drive")
    return await driveAll(
      clients.filter(({ name }) => args.includes(name)),
      cache,
    );
  const chosen = await installed(cache);
  if (chosen.length === 0) return;
  const apart = await driveApart(chosen.map(({ name }) => name));
  if (apart === null) {
    process.stderr.write("no network namespaces here: the clients could reach more than the simulator\n");
    return await driveAll(chosen, cache);
  }
  process.stdout.write(apart.output);
  check(apart.code === 0, "the clients did not run through");
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
