import { systemClock } from "../adapters/clock.ts";
import { maskedEffects } from "../adapters/masked-effects.ts";
import { settingOf } from "../agent/facts.ts";
import { openSession, type Session } from "../agent/session.ts";
import { loadState } from "../agent/stored-state.ts";
import { assumedWindowTokens } from "../budget/window.ts";
import { type EntryBody, logFormat, type ModelChoice } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { version } from "../version.ts";
import type { LaneSetting } from "./lane-setting.ts";
import type { Described } from "./options.ts";
import { configOf, effectsOf } from "./parts.ts";
import { type LaneStream, projectIn } from "./start.ts";

/** A fresh lane's session: its log begins with what its parent has in force. */
export async function laneSession(
  stream: LaneStream,
  fence: number,
  model: ModelChoice,
  { options, parent, stores, ids, guarded, serving }: LaneSetting,
): Promise<Session> {
  const entries = firstEntries(stream, parent.state(), model, options);
  const appended = await stores.log.append({ stream, expectedSeq: 0, fence, entries });
  if (appended.type !== "appended") throw new Error(`the log of ${stream.lane} cannot be written`);
  const loaded = await loadState(stores.log, null, stream);
  const now = () => child.state();
  const own = { ...options, model };
  const { config, background, budget } = await configOf(
    own,
    guarded,
    { stores, id: stream.session, loaded, serving },
    now,
  );
  const windowTokens = () => settingOf(child.state(), config).windowTokens ?? assumedWindowTokens;
  const clock = options.world?.clock ?? systemClock;
  const project = projectIn(options, loaded);
  const open = { stores, stream, fence, clock, ids, background, project, budget, windowTokens, guarded, serving };
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
