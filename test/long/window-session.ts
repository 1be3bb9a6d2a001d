import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { passingClock } from "../../bench/long-clock.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import type { MemoryPolicy } from "../../src/budget/window.ts";
import type { Entry, ModelChoice } from "../../src/log/entry.ts";
import type { Model } from "../../src/ports/model.ts";
import { createSession } from "../../src/session/create-session.ts";
import type { Brain, BrainMessage, BrainReply } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { withSummaries } from "../../src/testing/simulate/summaries.ts";
import { simulatedModel } from "../support/simulated-model.ts";

export type Shown = { readonly turn: number; readonly body: string };

export type WindowRun = {
  readonly entries: readonly Entry[];
  /** Requests as they left, each with the turn it was of; those for a summary apart. */
  readonly steps: readonly Shown[];
  readonly summaries: readonly Shown[];
  readonly ends: readonly string[];
  /** What the assistant said in the end of each turn. */
  readonly answers: readonly string[];
};

export const rule = "Never push to main without asking me first";
export const told = { turn: 40, port: "16543" } as const;
export const asked = { turn: 240, words: "Which port does the staging database of Halberd listen on" } as const;

/** A session with a small model of one's own: talk, now and then a file, one thing said early and asked for late. */
export async function playWindow(what: {
  readonly turns: number;
  readonly windowTokens: number;
  readonly model: ModelChoice;
  readonly memory?: MemoryPolicy;
}): Promise<WindowRun> {
  const folder = await mkdtemp(join(tmpdir(), "varve-window-"));
  const [cwd, home] = [join(folder, "work"), join(folder, "home")];
  await mkdir(cwd);
  await writeFile(
    join(cwd, "notes.md"),
    Array.from({ length: 40 }, (_, at) => `note ${at}: ${talk(at, 9)}`).join("\n"),
  );
  const clock = passingClock();
  const { model, windowTokens } = what;
  const simulation = createSimulation({ brain: withSummaries(brain), windowTokens, recordsMax: 3 });
  const inner = simulatedModel(simulation, () => clock.now());
  const run = { turn: 0, steps: [] as Shown[], summaries: [] as Shown[] };
  const seen: Model = {
    stream(request, signal) {
      const list = request.body.includes("<summary-request") ? run.summaries : run.steps;
      list.push({ turn: run.turn, body: request.body });
      clock.pass(2_000);
      return inner.stream(request, signal);
    },
  };
  const stores = memoryStore(clock);
  try {
    const session = await createSession({
      ...{ model, endpoints: {}, cwd, home, mode: "bypassPermissions", listed: null },
      window: { windowTokens, outputTokensMax: 500 },
      ...(what.memory === undefined ? {} : { memory: what.memory }),
      world: { clock, model: seen, stores, env: { PATH: process.env.PATH } },
    });
    const entries: Entry[] = [];
    session.listen((event) => {
      if (event.type === "entry") entries.push(event.entry);
    });
    const [ends, answers]: [string[], string[]] = [[], []];
    for (; run.turn < what.turns; run.turn += 1) {
      const { reason, text } = await session.prompt(messageOf(run.turn));
      ends.push(reason);
      answers.push(text);
      const [proposed] = session.state().facts.proposed;
      if (proposed !== undefined) await session.changeFacts({ type: "accept", fact: proposed.id, scope: "session" });
    }
    await session.close();
    return { entries, steps: run.steps, summaries: run.summaries, ends, answers };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function messageOf(turn: number): string {
  if (turn === 0) return `Let us look after the Halberd project. ${rule}.`;
  if (turn === told.turn)
    return `The staging database of Halberd listens on port ${told.port}, user ravn. Keep that in mind.`;
  if (turn === asked.turn) return `${asked.words}?`;
  if (turn % 6 === 3) return `Look into notes.md for part ${turn} of the plan.`;
  return `Part ${turn}: ${talk(turn, 22)}.`;
}

/** What the newest message of the user asks for, and what came back for it since. */
const brain: Brain = ({ messages }) => {
  const newest = messages.findLastIndex(({ role, parts }) => role === "user" && parts.some(isSaid));
  const text = (messages[newest]?.parts ?? []).filter(isSaid).at(-1)?.text ?? "";
  const results = messages
    .slice(newest)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "result" ? [part.text] : [])));
  if (text.includes("Look into notes.md"))
    return results.length === 0 ? read : { text: `I read it: ${talk(results.length, 12)}.` };
  if (!text.includes(asked.words)) return { text: `Understood. ${talk(text.length, 18)}.` };
  if (results.length === 0) return { calls: [{ tool: "recall", input: { search: "staging database Halberd port" } }] };
  return { text: foundIn(results.join("\n").split("\n")) };
};

const read: BrainReply = { calls: [{ tool: "Read", input: { path: "notes.md" } }] };

type Said = Extract<BrainMessage["parts"][number], { readonly type: "text" }>;

/** A client's own blocks begin with a tag. */
function isSaid(part: BrainMessage["parts"][number]): part is Said {
  return part.type === "text" && !part.text.startsWith("<");
}

/** The line, and the handle under which the search names it. */
function foundIn(lines: readonly string[]): string {
  const at = lines.findIndex((line) => /listens on port \d+/.test(line));
  const source = lines.slice(0, at).findLast((line) => /^\[[0-9a-f]{12}\]/.test(line));
  return at === -1
    ? `Nothing was found: ${lines.join("\n")}`
    : `${lines[at]?.trim()} (source: ${source?.slice(1, 13)})`;
}

const words = "route store cache batch login parser socket render schema index queue token shard filter worker".split(
  " ",
);

function talk(seed: number, count: number): string {
  return Array.from({ length: count }, (_, at) => words[(seed * 7 + at * (3 + (seed % 5))) % words.length]).join(" ");
}
