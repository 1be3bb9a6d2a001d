import { isRecord } from "../../kernel/canonical.ts";
import type { Binding } from "./binding.ts";
import type { Brain, BrainReply } from "./brain.ts";
import { echoToolsBrain, scriptedBrain } from "./brains.ts";
import { type SimulatorOptions, startSimulator } from "./server.ts";

const usage = `Usage: varve simulate [options]

The provider simulator: one JSON line with its address on stdout, then it serves until SIGTERM or SIGINT.

Options:
  --port <n>           a free one when not given
  --brain <file>       module whose default export answers requests
  --script <file>      JSON list of replies, served in order
  --rounds <n>         tool calls of the echo brain, used without the two above (2)
  --window <tokens>    window of every model
  --minimum <tokens>   smallest cacheable prefix of every model
  --binding <mode>     error, drop_block or off: what a changed prefix does to reasoning
  --clock <mode>       real or manual
  --log <file>         where each record is appended as a line of JSON
  -h, --help           display this
`;

/** What `varve simulate` and `main.ts` do with their arguments. */
export async function runSimulator(args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    process.stdout.write(usage);
    return;
  }
  const options = await optionsOf(args);
  const simulator = await startSimulator(options);
  process.stdout.write(`${JSON.stringify({ url: simulator.url, pid: process.pid })}\n`);
  const stop = () => {
    simulator.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

const known = ["port", "brain", "script", "rounds", "window", "minimum", "binding", "clock", "log"] as const;
type Name = (typeof known)[number];

async function optionsOf(args: readonly string[]): Promise<SimulatorOptions> {
  const given = pairsOf(args);
  const { port, window, minimum, binding, clock, log } = given;
  return {
    brain: await brainOf(given),
    ...(port === undefined ? {} : { port: countOf("port", port) }),
    ...(window === undefined ? {} : { windowTokens: countOf("window", window) }),
    ...(minimum === undefined ? {} : { minimumTokens: countOf("minimum", minimum) }),
    ...(binding === undefined ? {} : { binding: oneOf<Binding>("binding", binding, ["error", "drop_block", "off"]) }),
    ...(clock === undefined ? {} : { clock: oneOf<"real" | "manual">("clock", clock, ["real", "manual"]) }),
    ...(log === undefined ? {} : { logFile: log }),
  };
}

function pairsOf(args: readonly string[]): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  for (let at = 0; at < args.length; at += 2) {
    const name = known.find((one) => `--${one}` === args[at]);
    const value = args[at + 1];
    if (name === undefined || value === undefined) throw new UsageError(`unknown or incomplete option ${args[at]}`);
    given[name] = value;
  }
  return given;
}

async function brainOf({ brain, script, rounds }: Partial<Record<Name, string>>): Promise<Brain> {
  if (brain !== undefined) return brainFrom(await load(brain), brain);
  if (script !== undefined) return scriptedBrain(repliesFrom(await load(script), script));
  return echoToolsBrain(rounds === undefined ? {} : { rounds: countOf("rounds", rounds) });
}

/** The default export of a module, or a JSON file's value. */
async function load(file: string): Promise<unknown> {
  const url = new URL(file, `file://${process.cwd()}/`).href;
  const loaded: unknown = await (file.endsWith(".json") ? import(url, { with: { type: "json" } }) : import(url));
  return isRecord(loaded) ? loaded.default : undefined;
}

function brainFrom(value: unknown, file: string): Brain {
  if (typeof value !== "function") throw new UsageError(`${file} has no default export that is a function`);
  return (request) => {
    const reply: unknown = value(request);
    // The proof is the module's own: a brain file promises the type, and what it says is only ever rendered.
    return reply as BrainReply | Promise<BrainReply>;
  };
}

function repliesFrom(value: unknown, file: string): readonly BrainReply[] {
  if (!Array.isArray(value) || !value.every(isRecord)) throw new UsageError(`${file} is not a list of replies`);
  return value;
}

function countOf(name: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new UsageError(`--${name} takes a whole number, not ${text}`);
  return count;
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw new UsageError(`--${name} takes one of ${choices.join(", ")}`);
  return choice;
}

/** Wrong arguments, as against a simulator that failed. */
export class UsageError extends Error {}
