import { processOwner } from "../adapters/environment.ts";
import { type CommandCall, calledText } from "../agent/command-call.ts";
import type { LaneEnd } from "../agent/lane-choices.ts";
import { type Refused, refused, stopped } from "../agent/refused.ts";
import type { Session, TurnResult } from "../agent/session.ts";
import type { LaneId } from "../kernel/ids.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { LaneEnding } from "../log/lanes.ts";
import { following } from "./lane-following.ts";
import { laneSession } from "./lane-session.ts";
import type { LaneSetting } from "./lane-setting.ts";
import { type Spent, spending } from "./spent.ts";
import type { LaneStream } from "./start.ts";

export type Forks = {
  /** The command in a lane of its own; its result comes into this one's conversation. Refused, nothing was started. */
  run(call: CommandCall, model: ModelChoice): Promise<Forked | Refused>;
  /** Stops what runs. */
  interrupt(by: string): Promise<void>;
  /** Resolves when none runs and each has its end in the log. */
  idle(): Promise<void>;
};

export type Forked = { readonly lane: LaneId; readonly turn: TurnResult; readonly spent: Spent };

/** `by`: who stopped it, from its beginning on; null: nobody. */
type Run = { child: Session | null; by: string | null };

/**
 * Fresh lanes (DESIGN 6): own log, own head, own key; the parent's facts, mode and permissions. What such a lane did stays in
 * its log; the parent learns its last words.
 */
export function forksOf(setting: LaneSetting): Forks {
  const running = new Map<Run, Promise<unknown>>();
  return {
    run(call, model) {
      const run: Run = { child: null, by: null };
      const done = ranBeside({ call, model }, setting, run).finally(() => running.delete(run));
      running.set(run, done);
      return done;
    },
    async interrupt(by) {
      const runs = [...running.keys()];
      for (const run of runs) run.by ??= by;
      await Promise.all(runs.map(({ child }) => child?.interrupt(by)));
    },
    // Whoever called is told how it ended.
    idle: async () => void (await Promise.allSettled(running.values())),
  };
}

type Task = { readonly call: CommandCall; readonly model: ModelChoice };

async function ranBeside(task: Task, setting: LaneSetting, run: Run): Promise<Forked | Refused> {
  const { call, model } = task;
  const { parent } = setting;
  const title = calledText(call);
  const lane = await parent.laneStarted({ title, text: call.body, model });
  if (typeof lane !== "string") return lane;
  const end = await ranIn(lane, task, setting, run);
  await parent.laneFinished(lane, { title }, endOf("type" in end ? end : end.turn));
  return "type" in end ? end : { lane, ...end };
}

function endOf(end: TurnResult | Refused): LaneEnd {
  if ("type" in end) {
    const ending = end.by === "interrupt" ? "interrupted" : "failed";
    return { ending, detail: end.why, text: "" };
  }
  return { ending: endings[end.reason] ?? "failed", detail: end.detail, text: end.text };
}

const endings: Partial<Readonly<Record<TurnResult["reason"], LaneEnding>>> = {
  done: "done",
  interrupted: "interrupted",
};

async function ranIn(
  lane: LaneId,
  task: Task,
  setting: LaneSetting,
  run: Run,
): Promise<Omit<Forked, "lane"> | Refused> {
  const { stores, session } = setting;
  const stream: LaneStream = { type: "lane", session, lane };
  const lease = await stores.log.lease(stream, processOwner());
  if (lease.type !== "leased") return refused(lease.type === "refused" ? lease.why : `${lane} is open elsewhere`);
  let unfollow = () => {};
  try {
    const child = await laneSession(stream, lease.fence, task.model, setting);
    run.child = child;
    unfollow = following(setting.parent, child);
    // Stopped while it was opened: nothing of it is sent.
    if (run.by !== null) return stopped(`it was interrupted by ${run.by}`);
    const spent = spending(child);
    const turn = await child.call(task.call);
    return "type" in turn ? turn : { turn, spent: spent() };
  } catch (error) {
    // A lane that fails must not take its parent along: its end says why.
    return refused(error instanceof Error ? error.message : String(error));
  } finally {
    unfollow();
    await run.child?.idle();
    await run.child?.close();
    await lease.release();
  }
}
