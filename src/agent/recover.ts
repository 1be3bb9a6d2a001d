import { handleOf, hashOf } from "../kernel/hash.ts";
import { isMadeAnew } from "../log/block.ts";
import type { EntryBody, TurnEnd } from "../log/entry.ts";
import { asksForAnswer, pendingPieces } from "../log/reduce.ts";
import type { State } from "../log/state.ts";
import { lostHook } from "./hooks.ts";
import { lostLanes } from "./lane-choices.ts";
import { lostTask } from "./task-end.ts";

/**
 * What a restart finds: intents without a result become named entries, never a rerun (DESIGN 4). Calls that were never
 * started are left as they are: nothing happened, and the turn may still be resumed.
 */
export function recoveryOf(state: State): readonly EntryBody[] {
  const open = [state.request?.id, state.summary.asked?.request, state.rolling.asked?.request].filter(
    (id) => id !== undefined,
  );
  const requests = open.map((request): EntryBody => ({ type: "outcome-unknown", what: "request", request }));
  const calls = state.calls.filter((call) => call.status.type === "started");
  const hooks = Object.entries(state.hooks.open).map(([run, hook]) => lostHook(run, hook));
  return [
    ...hooks,
    ...requests,
    ...calls.map(({ callId }): EntryBody => ({ type: "outcome-unknown", what: "tool", callId, text })),
    ...lostLanes(state.lanes.open),
    ...Object.keys(state.placeholders).map(lostPlaceholder),
    ...Object.entries(state.background).flatMap(([task, { command }]) => lostTask(task, command)),
  ];
}

/** What a command's text was to be filled with: the command was not sent, so nobody waits for it. */
function lostPlaceholder(run: string): EntryBody {
  const handle = handleOf(hashOf(""));
  return { type: "placeholder-ended", run, ending: "unknown", exitCode: null, output: "", handle };
}

/** A new message after a restart: the open turn is closed first, so that its calls have results (CASES C-019). */
export function closingOf(state: State): readonly EntryBody[] {
  if (state.turn === null) return [];
  const open = state.calls.filter((call) => call.status.type !== "returned" && call.status.type !== "started");
  return open.map(
    ({ callId }): EntryBody => ({
      type: "outcome-unknown",
      what: "tool",
      callId,
      text: "Interrupted: the session ended before this call was run. It did not run.",
    }),
  );
}

const text =
  "Interrupted: the session ended while this call ran, so its outcome is unknown. It may have had its effect, in part or in " +
  "whole. Check before you repeat it.";

/** How the last turn was broken off, where something still waits for its answer; null: there is nothing to go on with. */
export function resumable(state: State): TurnEnd | null {
  const { turn, lastTurn, live } = state;
  if (turn !== null || lastTurn === null || !brokenOff.has(lastTurn.reason)) return null;
  const newest = live.findLast((piece) => !isMadeAnew(piece));
  const waits = newest !== undefined && newest.role !== "assistant";
  return pendingPieces(state).some(asksForAnswer) || waits ? lastTurn.reason : null;
}

const brokenOff: ReadonlySet<TurnEnd> = new Set(["interrupted", "provider-gave-up", "step-limit"]);
