import { bounds } from "../kernel/bounds.ts";
import type { CallId } from "../kernel/ids.ts";
import type { EntryOf } from "./entry.ts";
import type { HookEvent } from "./hook.ts";

/** What the log says of hooks, as far as anything that follows depends on it. */
export type HookState = {
  /** Runs without an end, by name. */
  readonly open: Readonly<Record<string, OpenHook>>;
  /** Events that were told since the newest request, message or compaction: none is told twice of one matter. */
  readonly told: readonly HookEvent[];
  /** Calls whose guard was cut off by the end of a process: what it would have said is not known. */
  readonly unsure: readonly CallId[];
  /** Why a hook wants the turn to end. */
  readonly stops: string | null;
  /** How often in a row hooks kept the turn from ending, and whether it goes on for the newest of them. */
  readonly continues: number;
  readonly goesOn: boolean;
  /** A compaction that no request came after yet. */
  readonly compacted: "manual" | "auto" | null;
};

export type OpenHook = { readonly event: HookEvent; readonly command: string; readonly callId: CallId | null };

export const noHooks: HookState = {
  open: {},
  told: [],
  unsure: [],
  stops: null,
  continues: 0,
  goesOn: false,
  compacted: null,
};

export function hookStarted(hooks: HookState, { run, event, command, callId }: EntryOf<"hook-started">): HookState {
  const told = hooks.told.includes(event) ? hooks.told : [...hooks.told, event];
  return { ...hooks, open: { ...hooks.open, [run]: { event, command, callId: callId ?? null } }, told };
}

/** `inTurn`: whether there is a turn that it could end. */
export function hookEnded(hooks: HookState, entry: EntryOf<"hook-ended">, inTurn: boolean): HookState {
  const { [entry.run]: ended, ...open } = hooks.open;
  if (ended === undefined) return hooks;
  const isCutOff = entry.outcome === "unknown" && ended.event === "PreToolUse" && ended.callId !== null;
  const next: HookState = {
    ...hooks,
    open,
    unsure: isCutOff && ended.callId !== null ? [...hooks.unsure, ended.callId] : hooks.unsure,
    stops: inTurn && hooks.stops === null ? (entry.stops ?? null) : hooks.stops,
  };
  const keepsOn =
    (ended.event === "Stop" || ended.event === "SubagentStop") && entry.outcome === "blocked" && !hooks.goesOn;
  if (!keepsOn) return next;
  const continues = hooks.continues + 1;
  return { ...next, continues, goesOn: continues <= bounds.stopHookContinuesMax };
}

export function afterRequest(hooks: HookState): HookState {
  const { told, unsure, goesOn, compacted } = hooks;
  if (told.length === 0 && unsure.length === 0 && !goesOn && compacted === null) return hooks;
  return { ...hooks, told: [], unsure: [], goesOn: false, compacted: null };
}

export function afterMessage(hooks: HookState): HookState {
  return hooks.continues === 0 ? hooks : { ...hooks, continues: 0 };
}

export function afterTurn(hooks: HookState): HookState {
  const { told, stops, continues, goesOn } = hooks;
  if (told.length === 0 && stops === null && continues === 0 && !goesOn) return hooks;
  return { ...hooks, told: [], stops: null, continues: 0, goesOn: false };
}

/** `null`: none came of it. The next one is a matter of its own. */
export function afterCompaction(hooks: HookState, by: "manual" | "auto" | null): HookState {
  const of: ReadonlySet<HookEvent> = new Set(["PreCompact", "PostCompact", "SessionStart"]);
  return { ...hooks, told: hooks.told.filter((event) => !of.has(event)), compacted: by ?? hooks.compacted };
}
