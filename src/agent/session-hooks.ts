import { bounds } from "../kernel/bounds.ts";
import type { EntryBody } from "../log/entry.ts";
import type { HookEvent } from "../log/hook.ts";
import type { HookInput } from "../ports/hooks.ts";
import {
  attachedOf,
  besideType,
  type HookLane,
  hookName,
  isBeside,
  nothingTold,
  ran,
  roundOf,
  startedEntries,
  type Told,
  wordsOf,
} from "./hooks.ts";

/** Hooks of what happens outside the turns: the session or the lane begins and ends, the user says something. */
export type SessionHooks = {
  /** Before a message is kept. `kept-back`: it is not sent, and `entries` say what happened. */
  message(text: string): Promise<MessageTold>;
  /** Before the text of a command that the user calls is filled and sent. */
  expansion(command: { readonly name: string; readonly typed: string }): Promise<MessageTold>;
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

/** A lane beside the main one has its own beginning and end, and what it is given to do is no message of the user's. */
export function createSessionHooks(lane: HookLane): SessionHooks {
  const isResumed = lane.state().turns > 0;
  const running = new Set<AbortController>();
  let isStarted = false;

  const tell = async (at: At): Promise<MessageTold> => {
    const round = roundOf(lane, at.event, at.subject);
    if (round === null) return goesOn([]);
    const controller = new AbortController();
    running.add(controller);
    try {
      await lane.record(startedEntries(round));
      const told = await ran(round, at.input, lane, controller.signal);
      const of = { event: at.event, subject: at.subject, run: round.runs[0]?.run ?? "" };
      return await messageTold(told, of, lane, controller.signal);
    } finally {
      running.delete(controller);
    }
  };
  const started = async (): Promise<MessageTold> => {
    if (isStarted) return goesOn([]);
    isStarted = true;
    if (isBeside(lane.state())) return await tell({ event: "SubagentStart", subject: besideType, input: {} });
    const source = isResumed ? "resume" : "startup";
    const input = { source, model: lane.state().model?.model ?? "" };
    return await tell({ event: "SessionStart", subject: source, input });
  };
  const startedAnd = async (at: At): Promise<MessageTold> => {
    const first = await started();
    if (first.type === "kept-back") return first;
    const then = await tell(at);
    return { ...then, entries: [...first.entries, ...then.entries] };
  };
  return {
    async message(text) {
      const prompt = { event: "UserPromptSubmit", subject: "", input: { prompt: text } } as const;
      return isBeside(lane.state()) ? await started() : await startedAnd(prompt);
    },
    expansion: ({ name, typed }) =>
      startedAnd({
        event: "UserPromptExpansion",
        subject: name,
        input: { expansion_type: "slash_command", command_name: name, command_args: typed },
      }),
    started: async () => (await started()).entries,
    async ended() {
      if (!isStarted || isBeside(lane.state())) return;
      const over = new AbortController();
      const late = lane.fx.clock.sleep(bounds.hookEndMsMax, over.signal).then(() => over.abort());
      await toldOfEnd(lane, over.signal);
      over.abort();
      await late;
    },
    stop: () => {
      for (const controller of running) controller.abort();
    },
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
