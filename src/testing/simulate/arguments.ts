import type { Binding } from "./binding.ts";
import { parseFault } from "./fault-text.ts";
import type { SimulatorOptions } from "./server.ts";
import { isSummaryBehaviour, type SummaryBehaviour, summaryBehaviours } from "./summaries.ts";

/** What the command line says: how to serve, who answers, and what is told at the end. */
export type Arguments = {
  readonly serve: Omit<SimulatorOptions, "brain" | "script" | "summaries">;
  readonly mind:
    | { readonly type: "brain" | "script" | "replay"; readonly file: string }
    | { readonly type: "echo"; readonly rounds?: number; readonly reasoning?: string };
  /** Who answers requests for a summary: the module given by `--brain` itself, or, one after the other, as it says here. */
  readonly summaries: "own" | readonly SummaryBehaviour[];
  /** Any request that a rule refused makes the run a failure. */
  readonly noViolations: boolean;
  readonly reportFile: string | null;
};

/** Wrong arguments, as against a simulator that failed. */
export class UsageError extends Error {}

const kinds = {
  port: "once",
  brain: "once",
  script: "once",
  replay: "once",
  rounds: "once",
  reasoning: "once",
  summaries: "once",
  model: "many",
  window: "once",
  "model-window": "many",
  minimum: "once",
  binding: "once",
  fault: "many",
  clock: "once",
  now: "once",
  log: "once",
  record: "once",
  report: "once",
  "expect-no-violations": "flag",
} as const satisfies Readonly<Record<string, "once" | "many" | "flag">>;
type Name = keyof typeof kinds;
type Given = Partial<Record<Name, readonly string[]>>;

export function readArguments(args: readonly string[]): Arguments {
  const given = givenIn(args);
  const one = (name: Name) => given[name]?.[0];
  const report = one("report");
  return {
    serve: serveOf(given),
    mind: mindOf(given),
    summaries: summariesOf(given),
    noViolations: given["expect-no-violations"] !== undefined,
    reportFile: report ?? null,
  };
}

function givenIn(args: readonly string[]): Given {
  const given: Given = {};
  for (let at = 0; at < args.length; at += 1) {
    const [, word = "", , joined] = /^--([^=]+)(=([\s\S]*))?$/.exec(args[at] ?? "") ?? [];
    if (!isName(word)) throw new UsageError(`unknown option ${args[at]}; --help lists them`);
    const kind: (typeof kinds)[Name] = kinds[word];
    if (kind === "flag") {
      if (joined !== undefined) throw new UsageError(`--${word} takes no value`);
      given[word] = [""];
      continue;
    }
    if (joined === undefined) at += 1;
    const value = joined ?? args[at];
    if (value === undefined) throw new UsageError(`--${word} needs a value`);
    if (kind === "once" && given[word] !== undefined) throw new UsageError(`--${word} is given twice`);
    given[word] = [...(given[word] ?? []), value];
  }
  return given;
}

function isName(word: string): word is Name {
  return Object.hasOwn(kinds, word);
}

function serveOf(given: Given): Arguments["serve"] {
  const one = (name: Name) => given[name]?.[0];
  const [port, window, minimum, binding, clock, now] = [
    one("port"),
    one("window"),
    one("minimum"),
    one("binding"),
    one("clock"),
    one("now"),
  ];
  return {
    ...(port === undefined ? {} : { port: portOf(port) }),
    ...(window === undefined ? {} : { windowTokens: countOf("window", window) }),
    ...(minimum === undefined ? {} : { minimumTokens: countOf("minimum", minimum) }),
    ...(binding === undefined ? {} : { binding: oneOf<Binding>("binding", binding, ["error", "drop_block", "off"]) }),
    ...(clock === undefined ? {} : { clock: oneOf<"real" | "manual">("clock", clock, ["real", "manual"]) }),
    ...(now === undefined ? {} : { startMs: momentOf(now) }),
    ...(one("log") === undefined ? {} : { logFile: one("log") ?? "" }),
    ...(one("record") === undefined ? {} : { recordFile: one("record") ?? "" }),
    modelWindows: pairsOf("model-window", given).map(([id, tokens]) => [id, countOf("model-window", tokens)]),
    modelsLike: pairsOf("model", given),
    faults: (given.fault ?? []).map((text) => {
      const fault = parseFault(text);
      if (typeof fault === "string") throw new UsageError(`--fault ${text}: ${fault}`);
      return fault;
    }),
  };
}

function mindOf(given: Given): Arguments["mind"] {
  const files = (["brain", "script", "replay"] as const).flatMap((type) =>
    (given[type] ?? []).map((file) => ({ type, file })),
  );
  const [file, more] = files;
  if (more !== undefined) throw new UsageError(`--${file?.type} and --${more.type} both say who answers; give one`);
  const [rounds, reasoning] = [given.rounds?.[0], given.reasoning?.[0]];
  if (file === undefined)
    return {
      type: "echo",
      ...(rounds === undefined ? {} : { rounds: countOf("rounds", rounds) }),
      ...(reasoning === undefined ? {} : { reasoning }),
    };
  const idle = (["rounds", "reasoning"] as const).find((name) => given[name] !== undefined);
  if (idle !== undefined) throw new UsageError(`--${idle} is of the echo brain; with --${file.type} it says nothing`);
  return file;
}

function summariesOf(given: Given): Arguments["summaries"] {
  const text = given.summaries?.[0];
  if (text === undefined) return [];
  if (text === "own") {
    if (given.brain !== undefined) return "own";
    throw new UsageError("--summaries own leaves them to the module of --brain; there is none");
  }
  return text.split(",").map((name) => {
    if (isSummaryBehaviour(name)) return name;
    throw new UsageError(`--summaries takes own, or a list of ${summaryBehaviours.join(", ")}; not ${name}`);
  });
}

/** `NAME=VALUE`, as often as it is given. */
function pairsOf(name: "model" | "model-window", given: Given): readonly (readonly [string, string])[] {
  return (given[name] ?? []).map((text) => {
    const at = text.lastIndexOf("=");
    if (at < 1 || at === text.length - 1) throw new UsageError(`--${name} takes MODEL=VALUE, not ${text}`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
}

function portOf(text: string): number {
  const port = countOf("port", text);
  if (port > 65_535) throw new UsageError(`--port takes a number up to 65535, not ${text}`);
  return port;
}

function countOf(name: string, text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count))
    throw new UsageError(`--${name} takes a whole number, not ${JSON.stringify(text)}`);
  return count;
}

function momentOf(text: string): number {
  const ms = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(ms))
    throw new UsageError(`--now takes a moment such as 2026-11-29T12:00:00Z, not ${JSON.stringify(text)}`);
  return ms;
}

function oneOf<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw new UsageError(`--${name} takes one of ${choices.join(", ")}, not ${text}`);
  return choice;
}
