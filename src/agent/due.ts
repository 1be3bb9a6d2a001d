import { bounds } from "../kernel/bounds.ts";
import { decide } from "./decide.ts";
import { factsDue } from "./facts.ts";
import { withHooks } from "./hook-loop.ts";
import type { Lane } from "./lane.ts";
import { plannedNow, summariesNow } from "./reducing.ts";
import { sectionsNow } from "./sections-now.ts";
import type { Effect, Situation } from "./situation.ts";
import { toolNamed } from "./tool-named.ts";
import type { Opened, Writer } from "./writer.ts";

/** What is to be started now, by the log's state and what else deciding needs. `isRunning`: whether anything is. */
export function dueNow(lane: Lane, writer: Writer, opened: Opened, isRunning: boolean): readonly Effect[] {
  const decided = decide(writer.state(), situationOf(lane, writer, opened));
  return withHooks(writer.state(), decided, { hooks: lane.fx.hooks, isRunning });
}

function situationOf(lane: Lane, writer: Writer, opened: Opened): Situation {
  const { config, fx } = lane;
  const state = writer.state();
  return {
    now: fx.clock.now(),
    stepsMax: Math.max(1, Math.min(config.stepsMax, bounds.stepsPerTurnMax)),
    rendererChanged: writer.rendererChanged(),
    damaged: opened.damaged,
    sectionsChanged: () => config.assembly === "boundary" && isSectionsChanged(writer),
    headLost: writer.head() === null && state.epoch !== null,
    isReadOnly: (name) => toolNamed(name, config)?.readOnly ?? true,
    factsDue: () => factsDue(lane).length > 0,
    forecast: () => lane.prompt().forecast,
    planned: (pressure) => plannedNow(pressure, lane),
    summaries: summariesNow(lane),
  };
}

function isSectionsChanged(writer: Writer): boolean {
  const sent = (writer.head()?.system ?? []).filter(({ scope }) => scope === "session");
  return JSON.stringify(sent) !== JSON.stringify(sectionsNow(writer.state(), "boundary"));
}
