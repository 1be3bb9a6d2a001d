import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { modelFor } from "../../src/cli/demo/demo.ts";
import { perform, windowWithoutEnd } from "../../src/cli/demo/perform.ts";
import type { Task } from "../../src/cli/demo/plan.ts";
import { type Sample, shopSample, tinySample } from "../../src/cli/demo/sample.ts";
import { login } from "../../src/cli/demo/tasks/login.ts";
import { prices } from "../../src/cli/demo/tasks/prices.ts";
import { wishes } from "../../src/cli/demo/tasks/wishes.ts";
import { promptTokensOf, type Wire } from "../../src/kernel/usage.ts";
import { spawnSimulator } from "../../src/testing/simulate/spawn.ts";
import { writeOutputs } from "./outputs.ts";
import { writeRetrieval } from "./retrieval.ts";
import { type Spoken, spokenOf } from "./spoken.ts";
import { claudeCode, codex, pi, type Transcript } from "./transcripts.ts";

/**
 * `bench make-data [--outputs]`: plays the demo's tasks against the simulator with every reduction off, writes each session
 * in the shape of another program's file to `bench/data/sessions`, and then the outputs of tools that `bench digest`
 * measures; `--outputs`: only these; `--retrieval`: only what `bench retrieval` measures. Usage is what the simulator reported: simulated, and said so.
 */
export async function runMakeData(args: readonly string[]): Promise<object> {
  if (args.includes("--retrieval")) return await writeRetrieval(import.meta.dirname);
  const sessions = args.includes("--outputs") ? [] : await writeSessions();
  return { sessions, outputs: await writeOutputs(import.meta.dirname) };
}

async function writeSessions(): Promise<readonly object[]> {
  const root = await mkdtemp(join(tmpdir(), "varve-data-"));
  const rows: object[] = [];
  try {
    for (const play of plays) rows.push(await written(play, join(root, play.name)));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  await writeFile(join(folder, "index.jsonl"), jsonLines(rows));
  return rows;
}

const folder = join(import.meta.dirname, "sessions");

type Play = {
  readonly name: string;
  readonly format: "claude-code" | "codex" | "pi";
  readonly wire: Wire;
  readonly tasks: readonly [Task, ...Task[]];
};

const plays: readonly Play[] = [
  { name: "login", format: "claude-code", wire: "anthropic", tasks: [login] },
  { name: "wishes", format: "codex", wire: "responses", tasks: [wishes] },
  { name: "prices", format: "pi", wire: "anthropic", tasks: [prices] },
  { name: "discount", format: "claude-code", wire: "anthropic", tasks: tinySample().tasks },
];

const transcripts: Readonly<Record<Play["format"], Transcript>> = { "claude-code": claudeCode, codex, pi };

async function written(play: Play, root: string): Promise<object> {
  const sample = sampleOf(play);
  const work = join(root, "work");
  const home = join(root, "home");
  await sample.copyTo(work);
  await mkdir(home, { recursive: true });
  const simulator = await spawnSimulator(["--brain", sample.brain, "--window", String(windowWithoutEnd)]);
  try {
    const model = modelFor(play.wire, windowWithoutEnd);
    const played = await perform({
      work,
      home,
      url: simulator.url,
      model,
      windowTokens: windowWithoutEnd,
      tasks: play.tasks,
      reductions: "off",
      onLine: () => {},
    });
    if (played.turn.reason !== "done") throw new Error(`${play.name}: ${played.turn.reason}: ${played.turn.detail}`);
    const cwd = `/home/dev/${sample.name}`;
    const spoken = await spokenOf(home, work, played.session, cwd);
    const file = join(play.format, "shop", `${play.name}.jsonl`);
    const text = jsonLines(transcripts[play.format](spoken, { session: played.session, cwd }));
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
    process.stderr.write(`${file}: ${text.length} characters\n`);
    return indexRow(play, file, text.length, spoken);
  } finally {
    await simulator.stop();
  }
}

function sampleOf({ name }: Play): Sample {
  if (name === "discount") return tinySample();
  const shop = shopSample();
  if (shop === null) throw new Error("bench make-data: the packages of examples/shop are not installed");
  return shop;
}

/** The columns that readers of `index.jsonl` use; the sums are those of the simulator. */
function indexRow(play: Play, file: string, bytes: number, spoken: readonly Spoken[]): object {
  const answers = spoken.filter((one) => one.type === "answer");
  const results = spoken.filter((one) => one.type === "result");
  const sum = (value: (answer: (typeof answers)[number]) => number) =>
    answers.reduce((total, one) => total + value(one), 0);
  return {
    file,
    source: "varve demo",
    licence: "MIT",
    simulated: true,
    bytes,
    format: play.format,
    user_msgs: spoken.filter((one) => one.type === "user" && !one.injected).length,
    assistant_msgs: answers.length,
    tool_calls: sum((one) => one.blocks.filter((block) => block.type === "call").length),
    tool_results: results.length,
    tool_result_chars: results.reduce((total, one) => total + one.text.length, 0),
    compactions: 0,
    usage_records: answers.length,
    input_tokens: sum((one) => one.usage.uncached),
    cache_read_tokens: sum((one) => one.usage.cacheRead),
    cache_write_tokens: sum((one) => one.usage.cacheWrite5m + one.usage.cacheWrite1h + one.usage.cacheWriteOther),
    output_tokens: sum((one) => one.usage.output),
    peak_context_tokens: Math.max(0, ...answers.map((one) => promptTokensOf(one.usage))),
    models: [...new Set(answers.map((one) => one.model))],
  };
}

function jsonLines(values: readonly object[]): string {
  return `${values.map((value) => JSON.stringify(value)).join("\n")}\n`;
}
