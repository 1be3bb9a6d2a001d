import { bounds } from "../kernel/bounds.ts";
import type { TurnEnd } from "../log/entry.ts";
import type { HookEvent } from "../log/hook.ts";
import type { State } from "../log/state.ts";
import type { Hooks } from "../ports/hooks.ts";
import { besideType, isBeside } from "./hooks.ts";
import type { Effect, LoopEvent } from "./situation.ts";

/**
 * What was decided, with hooks before it where they are to be told: of an end of the turn, of a compaction, and after one.
 * Pure; without hooks it changes nothing.
 */
export function withHooks(
  state: State,
  decided: readonly Effect[],
  { hooks, isRunning }: { readonly hooks: Hooks | null; readonly isRunning: boolean },
): readonly Effect[] {
  const { open, stops } = state.hooks;
  // What comes next waits for what is being told of what came before: it may be a formatter, or end the turn.
  // Where nothing runs any more, its end could not be stored, and nobody waits for it.
  if (isRunning && Object.values(open).some(({ event }) => holdsUp.has(event))) return [];
  if (stops !== null && state.turn !== null && state.turn.interruptedAt === null) return stopped(state, stops);
  if (hooks === null) return decided;
  const due = dueNow(state, decided);
  const told = due.find(
    ({ event, subject }) => !state.hooks.told.includes(event) && hooks.due(event, subject).length > 0,
  );
  return told === undefined ? ended(state, decided) : [{ type: "tell-hooks", ...told }];
}

const holdsUp: ReadonlySet<HookEvent> = new Set<HookEvent>([
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "SubagentStop",
  "StopFailure",
  "PreCompact",
  "PostCompact",
]);

function isOfCall(effect: Effect): boolean {
  return "callId" in effect;
}

/** As after an interrupt: what was not started does not run, what runs comes to its end. */
function stopped(state: State, why: string): readonly Effect[] {
  const open = state.calls.filter(({ status }) => status.type !== "returned");
  if (open.length > 0)
    return open.flatMap(({ callId, status }): readonly Effect[] =>
      status.type === "started"
        ? []
        : [{ type: "close-call", callId, ending: "not-run", why: "Not run: a hook of the user's ended the turn." }],
    );
  if (state.request !== null || state.summary.asked !== null) return [];
  return [{ type: "end-turn", reason: "permission-refused", detail: `a hook ended the turn: ${why}` }];
}

type Due = { readonly event: LoopEvent; readonly subject: string };

/** In order; whatever is told already is left out by who asks. */
function dueNow(state: State, decided: readonly Effect[]): readonly Due[] {
  const { compacted } = state.hooks;
  const [next] = decided;
  const after: readonly Due[] =
    compacted === null || state.request !== null || decided.some(isOfCall)
      ? []
      : [
          { event: "PostCompact", subject: compacted },
          ...(isBeside(state) ? [] : [{ event: "SessionStart", subject: "compact" } as const]),
        ];
  if (next?.type === "summarize" || next?.type === "compact")
    return [...after, { event: "PreCompact", subject: state.summary.wanted === null ? "auto" : "manual" }];
  if (next?.type !== "end-turn") return after;
  const event = endings[next.reason];
  if (event === null) return after;
  if (event === "StopFailure") return [...after, { event, subject: next.reason }];
  return [...after, isBeside(state) ? { event: "SubagentStop", subject: besideType } : { event, subject: "" }];
}

/** What hooks are told of an end; null: the user, or a limit of the user's, ended the turn. */
const endings: Readonly<Record<TurnEnd, "Stop" | "StopFailure" | null>> = {
  done: "Stop",
  "permission-refused": "Stop",
  "provider-gave-up": "StopFailure",
  "window-too-small": "StopFailure",
  failed: "StopFailure",
  interrupted: null,
  "step-limit": null,
};

function ended(state: State, decided: readonly Effect[]): readonly Effect[] {
  const [next] = decided;
  if (next?.type !== "end-turn" || state.hooks.continues <= bounds.stopHookContinuesMax) return decided;
  const detail = `hooks kept the turn from ending ${bounds.stopHookContinuesMax} times in a row; it ends all the same`;
  return [{ ...next, detail: next.detail === "" ? detail : `${next.detail}; ${detail}` }];
}
