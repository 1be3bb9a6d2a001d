import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileStore } from "../src/adapters/store-file.ts";
import type { TurnResult } from "../src/agent/session.ts";
import type { MemoryPolicy } from "../src/budget/window.ts";
import type { Wire } from "../src/kernel/usage.ts";
import type { ModelChoice } from "../src/log/entry.ts";
import type { Stores } from "../src/ports/store.ts";
import { createSession } from "../src/session/create-session.ts";
import type { OpenSession, SessionOptions } from "../src/session/options.ts";
import type { Brain, BrainRequest } from "../src/testing/simulate/brain.ts";
import { createSimulation, type Simulation } from "../src/testing/simulate/simulation.ts";
import { withSummaries } from "../src/testing/simulate/summaries.ts";
import { type LongChanges, longChanges } from "./long-changes.ts";
import { type PassingClock, passingClock } from "./long-clock.ts";
import { diceOf } from "./long-dice.ts";
import { type FaultPlan, faultPlan, longSummaries } from "./long-faults.ts";
import { writeLongFiles } from "./long-files.ts";
import { type SeenModel, seenModel } from "./long-model.ts";
import { longModels } from "./long-models.ts";
import { type Restarts, restarts } from "./long-restarts.ts";
import { type Tally, tally } from "./long-tally.ts";
import { type LongTurn, longTurn, type Step } from "./long-turns.ts";

export type LongRun = {
  readonly turns: number;
  readonly windowTokens: number;
  readonly wire: Wire;
  readonly faults: "on" | "off";
  /** Left out: as it suits the model. */
  readonly memory?: MemoryPolicy;
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

/** `more`: requests beside the answers the script has for it, and beside those that came to nothing. */
export type PlayedTurn = {
  readonly end: TurnResult["reason"] | "nothing to resume";
  readonly detail: string;
  readonly requests: number;
  readonly more: number;
};

/** All that a turn is played with. */
type Stage = {
  readonly run: LongRun;
  readonly faults: FaultPlan;
  readonly clock: PassingClock;
  readonly seen: SeenModel;
  readonly tally: Tally;
  readonly restarts: Restarts;
  readonly changes: LongChanges;
};

const restartsMin = 6;
const turnsBetweenRestartsMin = 5;
const turnsBetweenRestartsMax = 300;
const turnMs = 30_000;
/** Now and then the user is away for longer than a cache lives. */
const awayTurns = 30;

/** One session of `turns` turns, as the product plays it: its tools, its store, its own opening of what was closed. */
export async function playLong(run: LongRun): Promise<Played> {
  const [work, root] = [join(run.folder, "work"), join(run.folder, "home")];
  await mkdir(work, { recursive: true });
  const files = await writeLongFiles(work);
  const clock = passingClock();
  const counted = tally();
  const script = { turn: longTurn(0, files), answers: 0 };
  const next = () => script.turn.replies[counted.answers - script.answers] ?? script.turn.replies.at(-1);
  const simulation = createSimulation({
    brain: withSummaries(scripted(next), { behaviours: run.faults === "on" ? longSummaries : [] }),
    windowTokens: run.windowTokens,
    recordsMax: 3,
  });
  const faults = faultPlan(simulation, run);
  const seen = seenModel(simulation, clock, () => {
    faults.beforeRequest(counted.newestPrompt);
    return counted.due;
  });
  const models = longModels(run.wire);
  const open = openerOf(run, { work, root, models }, { clock, model: seen.model });
  const opened = await restarts(open, counted.take);
  const changes = longChanges(models);
  const stage: Stage = { run, faults, clock, seen, tally: counted, restarts: opened, changes };
  const turns: PlayedTurn[] = [];
  for (let turn = 0; turn < run.turns; turn += 1) {
    Object.assign(script, { turn: longTurn(turn, files), answers: counted.answers });
    turns.push(await playTurn(turn, script.turn, stage));
    if ((turn + 1) % Math.max(1, Math.floor(run.turns / 10)) > 0) continue;
    run.onTenth?.(turns.length);
    seen.pause();
  }
  const session = opened.session();
  await session.close();
  const { counts } = changes;
  return {
    root,
    session: session.id,
    simulation,
    seen,
    tally: counted,
    turns,
    changes: counts,
    restartMs: opened.openedMs,
  };
}

async function playTurn(turn: number, { message, replies }: LongTurn, stage: Stage): Promise<PlayedTurn> {
  const { run, tally: counted, restarts: opened } = stage;
  const before = { requests: counted.requests, failed: counted.failed };
  const dice = diceOf(turn + 7);
  const restart = run.faults === "on" ? restartAt(turn, run.turns) : "none";
  if (run.faults === "on") {
    stage.faults.beforeTurn(dice);
    await stage.changes.change(opened.session(), turn, dice);
  }
  if (restart === "in-turn") opened.closeAtNextCall();
  stage.clock.pass(turnMs * (dice.below(40) === 0 ? awayTurns : 1));
  let end: TurnResult | null = await opened.session().prompt(message);
  if (restart !== "none") {
    await opened.restart();
    stage.seen.pause();
    if (end.reason === "interrupted") end = await opened.session().resume();
  }
  const { reason = "nothing to resume", detail = "" } = end ?? {};
  const requests = counted.requests - before.requests;
  return { end: reason, detail, requests, more: requests - (counted.failed - before.failed) - replies.length };
}

function restartAt(turn: number, turns: number): "none" | "in-turn" | "behind-turn" {
  const usual = Math.floor(turns / restartsMin);
  const every = Math.max(turnsBetweenRestartsMin, Math.min(turnsBetweenRestartsMax, usual));
  if (turn % every < every - 1) return "none";
  return turn % (2 * every) < every ? "in-turn" : "behind-turn";
}

function openerOf(
  { windowTokens, stores, memory }: LongRun,
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
      userFolder: null,
      mode: "bypassPermissions",
      listed: null,
      memoryByModel: memory === undefined ? {} : Object.fromEntries(models.map(({ model }) => [model, memory])),
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
