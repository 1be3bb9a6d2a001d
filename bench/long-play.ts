import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileStore } from "../src/adapters/store-file.ts";
import type { TurnResult } from "../src/agent/session.ts";
import { createSession, type OpenSession, type SessionOptions } from "../src/create-session.ts";
import type { Wire } from "../src/kernel/usage.ts";
import type { ModelChoice } from "../src/log/entry.ts";
import type { Stores } from "../src/ports/store.ts";
import type { Brain, BrainRequest } from "../src/testing/simulate/brain.ts";
import { createSimulation, type Simulation } from "../src/testing/simulate/simulation.ts";
import { type LongChanges, longChanges } from "./long-changes.ts";
import { passingClock } from "./long-clock.ts";
import { diceOf } from "./long-dice.ts";
import { addFaults } from "./long-faults.ts";
import { writeLongFiles } from "./long-files.ts";
import { type SeenModel, seenModel } from "./long-model.ts";
import { longModels } from "./long-models.ts";
import { type Tally, tally } from "./long-tally.ts";
import { type LongTurn, longTurn, type Step } from "./long-turns.ts";

export type LongRun = {
  readonly turns: number;
  readonly windowTokens: number;
  readonly wire: Wire;
  readonly faults: "on" | "off";
  /** Holds the workspace, and the session where no other stores are given; empty. */
  readonly folder: string;
  readonly stores?: Stores;
  /** Told after each tenth of the turns. */
  readonly onTenth?: (tenth: number) => void;
};

export type Played = {
  readonly root: string;
  readonly session: string;
  readonly simulation: Simulation;
  readonly seen: SeenModel;
  readonly tally: Tally;
  readonly turns: readonly PlayedTurn[];
  readonly changes: LongChanges["counts"];
  /** How long each restart took to open the session, in order. */
  readonly restartMs: readonly number[];
};

/** `planned`: answers the script has for it; `more`: requests beside those and beside the ones that came to nothing. */
export type PlayedTurn = {
  readonly end: TurnResult["reason"] | "nothing to resume";
  readonly detail: string;
  readonly requests: number;
  readonly more: number;
};

const restartsMin = 6;
const turnsBetweenRestartsMax = 300;
const turnMs = 30_000;

/** One session of `turns` turns, as the product plays it: its tools, its store, its own opening of what was closed. */
export async function playLong(run: LongRun): Promise<Played> {
  const [work, root] = [join(run.folder, "work"), join(run.folder, "home")];
  await mkdir(work, { recursive: true });
  const [file, ...files] = await writeLongFiles(work);
  if (file === undefined) throw new Error("the workspace has no files");
  const clock = passingClock();
  const counted = tally();
  const script: { turn: LongTurn; step: number } = { turn: longTurn(0, [file, ...files]), step: 0 };
  const simulation = createSimulation({
    brain: scripted(() => script.turn.replies[script.step] ?? script.turn.replies.at(-1)),
    windowTokens: run.windowTokens,
    recordsMax: 3,
  });
  const seen = seenModel(simulation, clock, () => counted.due);
  const models = longModels(run.wire);
  const open = openerOf(run, { work, root, models }, { clock, model: seen.model });
  let session = await open();
  const { id } = session;
  let closing: Promise<void> | null = null;
  let closeAtCall: number | null = null;
  const listen = () =>
    session.listen((event) => {
      if (event.type !== "entry") return;
      counted.take(event.entry);
      if (event.entry.type === "response-received") script.step += 1;
      if (event.entry.type !== "tool-started" || closeAtCall === null) return;
      closeAtCall = null;
      closing = session.close();
    });
  listen();
  const restartMs: number[] = [];
  const restart = async () => {
    await (closing ?? session.close());
    closing = null;
    const start = performance.now();
    session = await open(id);
    restartMs.push(performance.now() - start);
    listen();
    seen.pause();
  };
  const changes = longChanges(models);
  const turns: PlayedTurn[] = [];
  const every = Math.max(5, Math.min(turnsBetweenRestartsMax, Math.floor(run.turns / restartsMin)));
  for (let turn = 0; turn < run.turns; turn += 1) {
    script.turn = longTurn(turn, [file, ...files]);
    script.step = 0;
    const before = { requests: counted.requests, failed: counted.failed };
    const dice = diceOf(turn + 7);
    if (run.faults === "on") addFaults(simulation, dice, { ...run, promptTokens: counted.newestPrompt });
    if (run.faults === "on") await changes.change(session, turn, dice);
    const isRestart = run.faults === "on" && turn % every === every - 1;
    closeAtCall = isRestart && turn % (2 * every) === every - 1 ? 1 : null;
    clock.pass(turnMs * (dice.below(40) === 0 ? 30 : 1));
    let end: TurnResult | null = await session.prompt(script.turn.message);
    if (isRestart) await restart();
    if (isRestart && end.reason === "interrupted") end = await session.resume();
    const { reason = "nothing to resume", detail = "" } = end ?? {};
    const requests = counted.requests - before.requests;
    const more = requests - (counted.failed - before.failed) - script.turn.replies.length;
    turns.push({ end: reason, detail, requests, more });
    if ((turn + 1) % Math.max(1, Math.floor(run.turns / 10)) === 0) {
      run.onTenth?.(turns.length);
      seen.pause();
    }
  }
  await session.close();
  return { root, session: id, simulation, seen, tally: counted, turns, changes: changes.counts, restartMs };
}

function openerOf(
  { windowTokens, stores }: LongRun,
  { work, root, models }: { readonly work: string; readonly root: string; readonly models: readonly ModelChoice[] },
  world: Pick<NonNullable<SessionOptions["world"]>, "clock" | "model">,
): (resume?: string) => Promise<OpenSession> {
  const clock = world.clock ?? passingClock();
  let chosen = models[0];
  return async (resume) => {
    if (chosen === undefined) throw new Error("a long run needs a model");
    const session = await createSession({
      model: chosen,
      endpoints: {},
      cwd: work,
      home: root,
      mode: "bypassPermissions",
      listed: null,
      windows: Object.fromEntries(models.map(({ model }) => [model, { windowTokens }])),
      open: resume === undefined ? { type: "new" } : { type: "resume", session: resume },
      world: { ...world, stores: stores ?? fileStore({ root, clock, sync: false }), env: { PATH: process.env.PATH } },
    });
    const { chooseModel } = session;
    return {
      ...session,
      async chooseModel(model) {
        chosen = model;
        await chooseModel(model);
      },
    };
  };
}

/** Says what the script says; of the request it needs no more than a handle to recall. */
function scripted(step: () => Step | undefined): Brain {
  return (request) => step()?.(handleIn(request)) ?? { text: "The script is at its end." };
}

function handleIn({ messages }: BrainRequest): string | null {
  for (const { role, parts } of messages.toReversed())
    for (const part of role === "user" ? parts.toReversed() : []) {
      const text = part.type === "text" || part.type === "result" ? part.text : "";
      const found = /handle=([0-9a-f]{12})/.exec(text)?.[1];
      if (found !== undefined) return found;
    }
  return null;
}
