import { systemClock } from "../adapters/clock.ts";
import { processOwner } from "../adapters/environment.ts";
import type { Guarded } from "../adapters/guarded.ts";
import { maskedEffects } from "../adapters/masked-effects.ts";
import type { CommandCall } from "../agent/command-call.ts";
import { calledText } from "../agent/command-call.ts";
import { settingOf } from "../agent/facts.ts";
import type { LaneEnd } from "../agent/lane-choices.ts";
import { type Refused, refused } from "../agent/refused.ts";
import { openSession, type Session, type TurnResult } from "../agent/session.ts";
import { loadState } from "../agent/stored-state.ts";
import { assumedWindowTokens } from "../budget/window.ts";
import type { LaneId, SessionId } from "../kernel/ids.ts";
import { type EntryBody, logFormat, type ModelChoice } from "../log/entry.ts";
import type { LaneEnding } from "../log/lanes.ts";
import type { State } from "../log/state.ts";
import type { Stores } from "../ports/store.ts";
import type { Ids } from "../ports/world.ts";
import { version } from "../version.ts";
import type { Described } from "./options.ts";
import { configOf, effectsOf } from "./parts.ts";
import { type LaneStream, projectIn } from "./start.ts";

export type ForkSetting = {
  readonly options: Described;
  readonly parent: Session;
  readonly stores: Stores;
  readonly session: SessionId;
  readonly ids: Ids;
  readonly guarded: Guarded;
};

export type Forks = {
  /** The command in a lane of its own; its result comes into this one's conversation. Refused, nothing was started. */
  run(call: CommandCall, model: ModelChoice): Promise<Forked | Refused>;
  /** Stops what runs. */
  interrupt(by: string): Promise<void>;
};

export type Forked = { readonly lane: LaneId; readonly turn: TurnResult };

/**
 * Fresh lanes (DESIGN 6): own log, own head, own key; the parent's facts, mode and permissions. What such a lane did stays in
 * its log; the parent learns its last words.
 */
export function forksOf(setting: ForkSetting): Forks {
  const running = new Set<Session>();
  return {
    async run(call, model) {
      const { parent } = setting;
      const title = calledText(call);
      const lane = await parent.laneStarted({ title, text: call.body, model });
      if (typeof lane !== "string") return lane;
      const end = await ranIn(lane, { call, model }, setting, running);
      await parent.laneFinished(lane, { title }, endOf(end));
      return "type" in end ? end : { lane, turn: end };
    },
    async interrupt(by) {
      await Promise.all([...running].map((child) => child.interrupt(by)));
    },
  };
}

function endOf(end: TurnResult | Refused): LaneEnd {
  if ("type" in end) return { ending: "failed", detail: end.why, text: "" };
  return { ending: endings[end.reason] ?? "failed", detail: end.detail, text: end.text };
}

const endings: Partial<Readonly<Record<TurnResult["reason"], LaneEnding>>> = {
  done: "done",
  interrupted: "interrupted",
};

async function ranIn(
  lane: LaneId,
  task: { readonly call: CommandCall; readonly model: ModelChoice },
  setting: ForkSetting,
  running: Set<Session>,
): Promise<TurnResult | Refused> {
  const { stores, session } = setting;
  const stream: LaneStream = { type: "lane", session, lane };
  const lease = await stores.log.lease(stream, processOwner());
  if (lease.type !== "leased") return refused(lease.type === "refused" ? lease.why : `${lane} is open elsewhere`);
  let child: Session | null = null;
  try {
    child = await opened(stream, lease.fence, task.model, setting);
    running.add(child);
    return await child.call(task.call);
  } catch (error) {
    // A lane that fails must not take its parent along: its end says why.
    return refused(error instanceof Error ? error.message : String(error));
  } finally {
    if (child !== null) {
      running.delete(child);
      await child.idle();
      await child.close();
    }
    await lease.release();
  }
}

async function opened(
  stream: LaneStream,
  fence: number,
  model: ModelChoice,
  { options, parent, stores, ids, guarded }: ForkSetting,
): Promise<Session> {
  const entries = firstEntries(stream, parent.state(), model, options);
  const appended = await stores.log.append({ stream, expectedSeq: 0, fence, entries });
  if (appended.type !== "appended") throw new Error(`the log of ${stream.lane} cannot be written`);
  const loaded = await loadState(stores.log, null, stream);
  const now = () => child.state();
  const own = { ...options, model };
  const { config, background, budget } = await configOf(own, guarded, { stores, id: stream.session, loaded }, now);
  const windowTokens = () => settingOf(child.state(), config).windowTokens ?? assumedWindowTokens;
  const clock = options.world?.clock ?? systemClock;
  const project = projectIn(options, loaded);
  const open = { stores, stream, fence, clock, ids, background, project, budget, windowTokens, guarded };
  const fx = maskedEffects(effectsOf(own, open), guarded.mask);
  const child: Session = await openSession(config, fx, { state: loaded.state, damaged: loaded.damage.length > 0 });
  return child;
}

/** What the parent has in force is so here from the first entry on (law 6; planning refuses writes in every lane). */
function firstEntries(
  { session, lane }: LaneStream,
  parent: State,
  model: ModelChoice,
  { cwd }: Described,
): readonly EntryBody[] {
  const facts = parent.facts.active.map(({ id: fact, text, scope }): EntryBody => {
    return { type: "fact-pinned", fact, text, scope };
  });
  return [
    {
      type: "session-started",
      format: logFormat,
      session,
      lane,
      project: parent.started?.project ?? null,
      cwd: parent.started?.cwd ?? cwd,
      version,
    },
    { type: "model-chosen", model },
    { type: "mode-chosen", mode: parent.mode },
    ...(parent.verbosity === null ? [] : [{ type: "verbosity-chosen", verbosity: parent.verbosity } as const]),
    ...facts,
  ];
}
