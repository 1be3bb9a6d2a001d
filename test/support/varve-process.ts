import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../src/testing/simulate/spawn.ts";

const source = join(import.meta.dirname, "../../src/cli/main.ts");
const fromSource: ReadonlySet<string | undefined> = new Set(["demo", "simulate"]);

/** See `built-program.ts`. */
function programFor([command]: readonly string[]): string {
  return fromSource.has(command) ? source : (process.env.VARVE_TESTS_PROGRAM ?? source);
}
const brainFile = join(import.meta.dirname, "told-brain.ts");

/** A folder to work in and a home of its own. */
export type Place = {
  readonly work: string;
  readonly home: string;
  write(path: string, text: string): void;
  read(path: string): Buffer;
  remove(): void;
};

export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), "varve-cli-"));
  const work = join(folder, "work");
  mkdirSync(work);
  return {
    work,
    home: join(folder, "home"),
    write(path, text) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    },
    read: (path) => readFileSync(join(work, path)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Running = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when stdout or stderr has said it. */
  said(what: RegExp): Promise<void>;
};

export type Extra = { readonly env?: Readonly<Record<string, string | undefined>>; readonly stdin?: string };

/** The command line as its own process, with nothing of the test's environment but the path. */
export function startVarve(args: readonly string[], { work, home }: Place, extra: Extra = {}): Running {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: home, VARVE_HOME: home, ...extra.env };
  const stdio = [extra.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, [programFor(args), ...args], { cwd: work, env, stdio: [...stdio] });
  child.stdin?.end(extra.stdin);
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const text = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString("utf8");
  const collect = (into: Buffer[]) => (chunk: Buffer) => {
    into.push(chunk);
    child.emit("said");
  };
  child.stdout?.on("data", collect(stdout));
  child.stderr?.on("data", collect(stderr));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout: text(stdout), stderr: text(stderr) }));
  });
  const said = (what: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (what.test(text(stdout) + text(stderr))) resolve();
      };
      child.on("said", look);
      child.once("close", () => reject(new Error(`ended without saying ${what}: ${text(stdout)}${text(stderr)}`)));
      look();
    });
  return { child, ended, said };
}

export function varve(args: readonly string[], place: Place, extra: Extra = {}): Promise<Ended> {
  return startVarve(args, place, extra).ended;
}

export const wires = ["anthropic", "chat", "responses", "gemini"] as const;
export type WireName = (typeof wires)[number];

/** The simulator as a process whose model does what the prompt tells it (`told-brain.ts`). */
export type Provider = SpawnedSimulator & {
  /** What the environment of a process that talks to it says. */
  env(wire?: WireName): Readonly<Record<string, string>>;
  fault(fault: Readonly<Record<string, unknown>>): Promise<void>;
  records(): Promise<readonly SimRecord[]>;
};

export async function startProvider(args: readonly string[] = []): Promise<Provider> {
  const simulator = await spawnSimulator(["--brain", brainFile, ...args]);
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${simulator.url}${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  return {
    ...simulator,
    env: (wire = "anthropic") => envs[wire](simulator.url),
    fault: (fault) => post("/_sim/faults", fault),
    async records() {
      const parsed = parseJson(await (await fetch(`${simulator.url}/_sim/requests`)).text());
      const list = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.requests : null;
      if (!Array.isArray(list)) throw new Error("the simulator gave no records");
      // The proof is the simulator's own: it prints its records, and both sides are of one version.
      return list as readonly SimRecord[];
    },
  };
}

const envs: Readonly<Record<WireName, (url: string) => Readonly<Record<string, string>>>> = {
  anthropic: (url) => ({ ANTHROPIC_API_KEY: "simulated", ANTHROPIC_BASE_URL: url, VARVE_MODEL: "claude-sonnet-5-5" }),
  chat: (url) => ({ OPENAI_API_KEY: "simulated", OPENAI_BASE_URL: `${url}/v1`, VARVE_MODEL: "deepseek-flash" }),
  responses: (url) => ({ OPENAI_API_KEY: "simulated", OPENAI_BASE_URL: `${url}/v1`, VARVE_MODEL: "gpt-6.2-sol" }),
  gemini: (url) => ({ GEMINI_API_KEY: "simulated", GEMINI_BASE_URL: url, VARVE_MODEL: "gemini-4-argon" }),
};

/** A session's surroundings: a provider and a place of its own, so that tests can run side by side. */
export type Scene = {
  readonly provider: Provider;
  readonly place: Place;
  /** `varve` with the environment that leads to this provider. */
  run(args: readonly string[], stdin?: string): Promise<Ended>;
  /** One turn of the newest session, or of a new one. */
  ask(prompt: string, args?: readonly string[]): Promise<Ended>;
  start(args: readonly string[]): Running;
  /** Entries of the newest session with one of these types. */
  entries(...types: readonly string[]): Promise<ReturnType<typeof linesOf>>;
};

export async function inScene(wire: WireName, play: (scene: Scene) => Promise<void>): Promise<void> {
  const provider = await startProvider();
  const place = newPlace();
  const env = provider.env(wire);
  const run = (args: readonly string[], stdin?: string) =>
    varve(args, place, stdin === undefined ? { env } : { env, stdin });
  try {
    await play({
      provider,
      place,
      run,
      ask: (prompt, args = []) => run(["-p", prompt, ...args]),
      start: (args) => startVarve(args, place, { env }),
      async entries(...types) {
        const log = await run(["log", "--json"]);
        return linesOf(log.stdout).filter(({ type }) => types.includes(String(type)));
      },
    });
  } finally {
    await provider.stop();
    place.remove();
  }
}

/** Prompts that tell the model what to do. */
export const tell = (...replies: readonly unknown[]) => JSON.stringify(replies);
export const call = (tool: string, input: unknown, id?: string) => ({
  calls: [{ tool, input, ...(id ? { id } : {}) }],
});

/** The JSON lines of an output. */
export function linesOf(output: string): readonly Readonly<Record<string, unknown>>[] {
  return output
    .trimEnd()
    .split("\n")
    .map((line) => {
      const parsed = parseJson(line);
      if (parsed.type === "bad" || !isRecord(parsed.value)) throw new Error(`no JSON object: ${line}`);
      return parsed.value;
    });
}
