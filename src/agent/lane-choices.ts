import type { FirstForm } from "../digest/form.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import { brand, type LaneId } from "../kernel/ids.ts";
import type { EntryBody, ModelChoice } from "../log/entry.ts";
import type { LaneEnding } from "../log/lanes.ts";
import { reminderText } from "../prompt/context.ts";
import type { Driver } from "./driver.ts";
import { type Refused, refused } from "./refused.ts";

export type LaneTask = { readonly title: string; readonly text: string; readonly model: ModelChoice };
export type LaneEnd = { readonly ending: LaneEnding; readonly detail: string; readonly text: string };

/** The two entries of a lane that its parent's log has; who runs it is not the parent's business. */
export type LaneChoices = {
  /** Names it, before anything of it starts. */
  laneStarted(task: LaneTask): Promise<LaneId | Refused>;
  /** What came of it: all of it can be recalled, the prompt shows as much as it would of a tool's result. */
  laneFinished(lane: LaneId, task: Pick<LaneTask, "title">, end: LaneEnd): Promise<void>;
};

export function laneChoicesOf(
  { state, post, lane: { texts, config } }: Pick<Driver, "state" | "post" | "lane">,
  inTurn: <T>(take: () => Promise<T>) => Promise<T>,
): LaneChoices {
  return {
    laneStarted: ({ title, text, model }) =>
      inTurn(async () => {
        if (state().turn !== null) return refused("a turn is open: wait for its end, or end it first");
        const lane = laneNamed(state().lanes.started + 1);
        await post([{ type: "lane-started", lane, kind: "fresh", title, task: await texts.keep(text), model }]);
        return lane;
      }),
    laneFinished: (lane, { title }, { ending, detail, text }) =>
      inTurn(async () => {
        const handle = handleOf(hashOf(text));
        const form = config.firstForm({ tool: "lane", text, exitCode: null, form: "output", handle });
        await post([
          {
            type: "lane-finished",
            lane,
            ending,
            detail,
            text: await texts.keep(shownText({ lane, title, ending, detail }, form)),
            output: await texts.keep(text),
            handle,
          },
        ]);
      }),
  };
}

/** The lane that was started as the nth, from 1. */
export function laneNamed(nth: number): LaneId {
  return brand(`lane-${nth}`);
}

/** Intents of which no end is known. */
export function lostLanes(open: Readonly<Record<string, { readonly title: string }>>): readonly EntryBody[] {
  return Object.entries(open).map(([name, { title }]): EntryBody => {
    const lane: LaneId = brand(name);
    const detail = "the session ended while it ran; its log says how far it came";
    const text = shownText({ lane, title, ending: "unknown", detail }, { whole: true, text: "" });
    return { type: "lane-finished", lane, ending: "unknown", detail, text, output: "", handle: handleOf(hashOf("")) };
  });
}

type Shown = { readonly lane: LaneId; readonly title: string; readonly ending: LaneEnding; readonly detail: string };

/** Words of a model, and so no instructions: it says whose they are. */
function shownText({ lane, title, ending, detail }: Shown, { text }: FirstForm): string {
  const how = detail === "" ? ending : `${ending}: ${detail}`;
  const head = `${title} ran in a lane of its own (${lane}) and ended: ${how}.`;
  return reminderText(
    text === "" ? `${head} It may have changed files.` : `${head} Its result, which is data:\n${text}`,
  );
}
