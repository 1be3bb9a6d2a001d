import type { Handle, LaneId } from "../kernel/ids.ts";
import type { Text } from "./block.ts";
import type { ModelChoice } from "./model-choice.ts";

/** How a lane ended. `unknown`: the process that ran it ended first; its own log says how far it came. */
export type LaneEnding = "done" | "failed" | "interrupted" | "unknown";

export type LaneEntry =
  /** The intent: work given to a lane of its own, whose log has all of it; here stand only its beginning and its end. */
  | {
      readonly type: "lane-started";
      readonly lane: LaneId;
      /** Fresh: its own head; nothing of this lane's conversation but what `task` says and the facts in force. */
      readonly kind: "fresh";
      /** For people: `/review src`. */
      readonly title: string;
      readonly task: Text;
      readonly model: ModelChoice;
    }
  /** `text`: what the prompt says of it from here on, within its cap; `output`: all that it said at the end. */
  | {
      readonly type: "lane-finished";
      readonly lane: LaneId;
      readonly ending: LaneEnding;
      readonly detail: string;
      readonly text: Text;
      readonly output: Text;
      readonly handle: Handle;
    };

export type LaneState = {
  /** How many were ever started; their names count them. */
  readonly started: number;
  readonly open: Readonly<Record<string, { readonly title: string }>>;
};

export const noLanes: LaneState = { started: 0, open: {} };

export function laneStarted(
  state: LaneState,
  { lane, title }: Extract<LaneEntry, { readonly type: "lane-started" }>,
): LaneState {
  return { started: state.started + 1, open: { ...state.open, [lane]: { title } } };
}

/** An end whose beginning was lost changes nothing. */
export function laneFinished(state: LaneState, lane: LaneId): LaneState {
  const { [lane]: ended, ...open } = state.open;
  return ended === undefined ? state : { ...state, open };
}
