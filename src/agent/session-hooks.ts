import { bounds } from "../kernel/bounds.ts";
import type { EntryBody } from "../log/entry.ts";
import type { HookEvent } from "../log/hook.ts";
import type { HookInput } from "../ports/hooks.ts";
import {
  attachedOf,
  type HookLane,
  hookName,
  nothingTold,
  ran,
  roundOf,
  startedEntries,
  type Told,
  wordsOf,
} from "./hooks.ts";

/** Hooks of what happens outside the turns: the session begins and ends, the user says something. */
export type SessionHooks = {
  /** Before a message is kept. `kept-back`: it is not sent, and `entries` say what happened. */
  message(text: string): Promise<MessageTold>;
  /** The first of this process: also where a turn is gone on with and there is no message. */
  started(): Promise<readonly EntryBody[]>;
  ended(): Promise<void>;
  /** Ends what runs of these right now. */
  stop(): void;
};

export type MessageTold = { readonly entries: readonly EntryBody[] } & (
  | { readonly type: "goes-on" }
  | { readonly type: "kept-back"; readonly reason: "permission-refused" | "interrupted"; readonly why: string }
);

export function createSessionHooks(lane: HookLane): SessionHooks {
  const isResumed = lane.state().turns > 0;
  let isStarted = false;
  let running = new AbortController();

  const started = async (): Promise<MessageTold> => {
    if (isStarted) return goesOn([]);
    isStarted = true;
    const source = isResumed ? "resume" : "startup";
    const input = { source, model: lane.state().model?.model ?? "" };
    return await tell({ event: "SessionStart", subject: source, input });
  };
  const tell = async (at: At): Promise<MessageTold> => {
    running = new AbortController();
    const round = roundOf(lane, at.event, at.subject);
    if (round === null) return goesOn([]);
    await lane.record(startedEntries(round));
    const told = await ran(round, at.input, lane, running.signal);
    const of = { event: at.event, subject: at.subject, run: round.runs[0]?.run ?? "" };
    return await messageTold(told, of, lane, running.signal);
  };
  return {
    async message(text) {
      const first = await started();
      if (first.type === "kept-back") return first;
      const then = await tell({ event: "UserPromptSubmit", subject: "", input: { prompt: text } });
      return { ...then, entries: [...first.entries, ...then.entries] };
    },
    started: async () => (await started()).entries,
    async ended() {
      if (!isStarted) return;
      const over = new AbortController();
      const late = lane.fx.clock.sleep(bounds.hookEndMsMax, over.signal).then(() => over.abort());
      await toldOfEnd(lane, over.signal);
      over.abort();
      await late;
    },
    stop: () => running.abort(),
  };
}

type At = { readonly event: HookEvent; readonly subject: string; readonly input: HookInput };

function goesOn(entries: readonly EntryBody[]): MessageTold {
  return { type: "goes-on", entries };
}

async function messageTold(
  { ended, said }: Told,
  of: { readonly event: HookEvent; readonly subject: string; readonly run: string },
  lane: HookLane,
  signal: AbortSignal,
): Promise<MessageTold> {
  if (signal.aborted)
    return { type: "kept-back", entries: ended, reason: "interrupted", why: "stopped before the message was sent" };
  const stops = said.find((one) => one.stops !== null || (one.outcome === "blocked" && blocks.has(of.event)));
  if (stops !== undefined) {
    const why = `the hook ${hookName(stops.hook)} did not let the message through: ${stops.stops ?? stops.detail}`;
    return { type: "kept-back", entries: ended, reason: "permission-refused", why };
  }
  // A refusal of what cannot be refused is for the user, who reads of it in the log.
  const words = wordsOf(said.filter(({ outcome }) => outcome === "done"));
  return goesOn([...ended, ...(await attachedOf(of, words, lane))]);
}

const blocks: ReadonlySet<HookEvent> = new Set(["UserPromptSubmit", "UserPromptExpansion"]);

async function toldOfEnd(lane: HookLane, signal: AbortSignal): Promise<Told> {
  const round = roundOf(lane, "SessionEnd", "other");
  if (round === null) return nothingTold;
  try {
    await lane.record(startedEntries(round));
    const told = await ran(round, { reason: "other" }, lane, signal);
    await lane.record(told.ended);
    return told;
  } catch (error) {
    // A log that cannot be written keeps no session open; without an intent in it, nothing was run.
    if (error instanceof Error) return nothingTold;
    throw error;
  }
}
