import { bounds } from "../kernel/bounds.ts";
import { canonicalJson, type Json } from "../kernel/canonical.ts";
import { handleOf, hashOf } from "../kernel/hash.ts";
import type { Handle, RequestId } from "../kernel/ids.ts";
import { parseJson } from "../kernel/json.ts";
import type { Text } from "./block.ts";
import type { EntryOf } from "./entry.ts";

/**
 * What calls returned since the user's newest message, so that one whose result is taken away and asked for again and again
 * is noticed (CASES C-015). A message begins afresh: the user acted.
 */
export type RepeatState = {
  /** By `callKey`; the one that returned last stands last. */
  readonly calls: Readonly<Record<string, Returned>>;
  /** The newest return that said something new, and the answer that asked for it. */
  readonly fresh: { readonly seq: number; readonly request: RequestId | null };
  /** Answers without anything new since then that asked for what the model was told is not shown again. */
  readonly insisted: { readonly answers: number; readonly request: RequestId | null; readonly what: string };
};

export type Returned = {
  /** Of the newest output. */
  readonly handle: Handle;
  /** How often that output was shown. */
  readonly times: number;
  /** Ids of the newest pieces that showed it. */
  readonly shown: readonly string[];
  /** The model was told that it is not shown again. */
  readonly told: boolean;
};

export const noRepeats: RepeatState = {
  calls: {},
  fresh: { seq: 0, request: null },
  insisted: { answers: 0, request: null, what: "" },
};

/** Equal for calls that ask for the same: however the input's JSON is written. */
export function callKey({ tool, input }: Asked): string {
  return `${tool} ${handleOf(hashOf(typeof input === "string" ? canonical(input) : input.blob))}`;
}

type Asked = { readonly tool: string; readonly input: Text };

function canonical(input: string): string {
  const parsed = parseJson(input);
  // What `JSON.parse` gives is JSON.
  return parsed.type === "ok" ? canonicalJson(parsed.value as Json) : input;
}

/** Which entries say it, and the answer that asked for the call. */
type Of<E> = { readonly call: Asked; readonly entry: E; readonly request: RequestId | null };

export function returnedAgain(state: RepeatState, { call, entry, request }: Of<EntryOf<"tool-returned">>): RepeatState {
  const { seq, handle } = entry;
  const key = callKey(call);
  const { [key]: before, ...others } = state.calls;
  const isNew = before?.handle !== handle;
  const last = isNew ? { times: 0, shown: [], told: false } : before;
  const shown = [...last.shown, `${seq}.0`].slice(-shownKept);
  const calls = { ...newest(others), [key]: { ...last, handle, times: last.times + 1, shown } };
  return isNew ? { calls, fresh: { seq, request }, insisted: noRepeats.insisted } : { ...state, calls };
}

/** The newest tell where it stands; the one at hand may not be shown, which is said only then. */
const shownKept = bounds.repeatsShownMin + 1;

function newest(calls: RepeatState["calls"]): RepeatState["calls"] {
  const all = Object.entries(calls);
  return all.length < bounds.repeatCallsMax ? calls : Object.fromEntries(all.slice(1 - bounds.repeatCallsMax));
}

/** The return of this number is not shown. One that was told before, and brought nothing new beside it, is insisted on. */
export function withheld(
  state: RepeatState,
  { call, piece, request, what }: Omit<Of<never>, "entry"> & { readonly piece: string; readonly what: string },
): RepeatState {
  const key = callKey(call);
  const known = state.calls[key];
  if (known === undefined) return state;
  const shown = known.shown.filter((id) => id !== piece);
  const calls = { ...state.calls, [key]: { ...known, times: known.times - 1, shown, told: true } };
  const { fresh, insisted } = state;
  // Calls of one answer count once: none of them could know of the other's note.
  const isCounted = request !== null && (request === fresh.request || request === insisted.request);
  if (!known.told || isCounted) return { ...state, calls };
  return { ...state, calls, insisted: { answers: insisted.answers + 1, request, what } };
}
