import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileStore } from "../src/adapters/store-file.ts";
import { noReductions } from "../src/agent/reductions.ts";
import { addUsage, noUsage, promptTokensOf } from "../src/kernel/usage.ts";
import type { LedgerRow } from "../src/ledger/row.ts";
import { createSession } from "../src/session/create-session.ts";
import type { OpenSession } from "../src/session/options.ts";
import type { BrainReply } from "../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../src/testing/simulate/brains.ts";
import { createSimulation } from "../src/testing/simulate/simulation.ts";
import { simulatedModel } from "../test/support/simulated-model.ts";
import { passingClock } from "./long-clock.ts";
import { figuresOf, ledgerRows } from "./long-ledger.ts";

export type AssemblyRun = { readonly historyTokens: number; readonly folder: string };

/** One session each way: a history, `/commit` in a real repository, and an ordinary turn behind it. */
export async function playAssembly(run: AssemblyRun, assembly: "append" | "boundary") {
  const [work, root] = [join(run.folder, "work"), join(run.folder, "home")];
  const parts = Math.ceil(run.historyTokens / partTokens);
  await makeRepository(work, parts);
  const clock = passingClock();
  const windowTokens = 1_000_000;
  const simulation = createSimulation({ brain: scriptedBrain(script(parts)), windowTokens, recordsMax: 3 });
  const stores = fileStore({ root, clock, sync: false });
  const session = await createSession({
    // One that does not tie its reasoning to the prefix, so that boundary may be chosen.
    model: "claude-sonnet-4-6",
    endpoints: {},
    cwd: work,
    home: root,
    userFolder: null,
    listed: null,
    window: { windowTokens },
    reductions: noReductions,
    assembly,
    world: { clock, model: simulatedModel(simulation, () => clock.now()), stores, env: gitEnv },
  });
  for (let part = 0; part < parts; part += 1) {
    clock.pass(turnMs);
    await ended(session.prompt(`Read part-${part}.txt.`));
  }
  const before = (await ledgerRows(stores, session.id)).length;
  clock.pass(turnMs);
  const result = await session.command("/commit all of it");
  if (result.type !== "turn" || result.turn.reason !== "done") throw new Error(`/commit: ${JSON.stringify(result)}`);
  const behind = (await ledgerRows(stores, session.id)).length;
  clock.pass(turnMs);
  await ended(session.prompt("Thanks. What is next?"));
  const { id } = session;
  const heads = session.state().epoch?.number ?? 0;
  await session.close();
  const rows = await ledgerRows(stores, id);
  return {
    assembly,
    historyTokens: promptOf(rows[before - 1]),
    committed: await lastCommit(work),
    epochs: heads,
    commit: figuresFor(rows.slice(before, behind)),
    next: figuresFor(rows.slice(behind)),
  };
}

/** What one part comes to, as the simulator counts it. */
const partTokens = 5_250;
const turnMs = 20_000;
const gitEnv = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  HOME: "/nonexistent",
};

function figuresFor(rows: readonly LedgerRow[]) {
  const usage = rows.reduce((sum, { reported }) => (reported === "unknown" ? sum : addUsage(sum, reported)), noUsage);
  return {
    requests: rows.length,
    usd: figuresOf(rows).usd,
    promptTokens: promptTokensOf(usage),
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheWriteOther,
    breaks: rows.flatMap(({ breaks }) => breaks),
  };
}

function promptOf(row: LedgerRow | undefined): number {
  return row === undefined || row.reported === "unknown" ? 0 : promptTokensOf(row.reported);
}

async function ended(turn: ReturnType<OpenSession["prompt"]>): Promise<void> {
  const { reason, detail } = await turn;
  if (reason !== "done") throw new Error(`a turn ended as ${reason}: ${detail}`);
}

/** What the model does: reads part by part, then what the bundled skill says, then a word. */
function script(parts: number): readonly BrainReply[] {
  const bash = (command: string): BrainReply => ({ calls: [{ tool: "Bash", input: { command } }] });
  const reads = Array.from({ length: parts }, (_, part): readonly BrainReply[] => [
    { calls: [{ tool: "Read", input: { path: `part-${part}.txt`, startLine: 1, endLine: linesOfPart } }] },
    { text: `Part ${part} is read.` },
  ]);
  return [
    ...reads.flat(),
    ...["git status --short", "git diff", "git log --oneline -10", "git add change.txt"].map(bash),
    bash('git commit -m "Say what changed"'),
    { text: "Committed: Say what changed." },
    { text: "Nothing." },
  ];
}

const linesOfPart = 280;

async function makeRepository(work: string, parts: number): Promise<void> {
  await mkdir(work, { recursive: true });
  for (let part = 0; part < parts; part += 1) {
    const line = (n: number) => `part ${part}, line ${n}: ${words(part * 1_000 + n)}`;
    await writeFile(join(work, `part-${part}.txt`), Array.from({ length: linesOfPart }, (_, n) => line(n)).join("\n"));
  }
  await git(work, "init", "-q");
  await git(work, "config", "user.name", "bench");
  await git(work, "config", "user.email", "bench@example.com");
  await writeFile(join(work, "change.txt"), "before\n");
  await git(work, "add", ".");
  await git(work, "commit", "-q", "-m", "Begin");
  await writeFile(join(work, "change.txt"), "after\n");
}

/** Words that repeat nowhere, so that nothing is taken for shown already. */
function words(seed: number): string {
  return Array.from({ length: 8 }, (_, n) => vocabulary[(seed * 31 + n * n * 7 + n) % vocabulary.length] ?? "").join(
    " ",
  );
}

const vocabulary =
  "amber birch cedar delta ember fjord grove harbor inlet juniper kernel lagoon meadow nectar orchard pebble quartz river summit timber upland valley willow yonder zephyr anchor beacon canyon dune eddy forest".split(
    " ",
  );

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", [...args], { cwd, env: gitEnv });
  return stdout.trim();
}

function lastCommit(work: string): Promise<string> {
  return git(work, "log", "-1", "--format=%s");
}
