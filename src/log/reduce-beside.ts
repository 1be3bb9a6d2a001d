import { push } from "../kernel/vector.ts";
import { attachmentHandle, withAttached, withEnded, withUsed } from "./attached.ts";
import { type Piece, userText } from "./block.ts";
import type { EntryOf, EntryType } from "./entry.ts";
import { pinned, proposed, refused, retired } from "./facts.ts";
import { hookEnded, hookStarted } from "./hook-state.ts";
import { laneFinished, laneStarted } from "./lanes.ts";
import { withoutRun } from "./placeholder.ts";
import { showing, withOpen, withReturned } from "./reduce-calls.ts";
import { withRevealed } from "./revealed.ts";
import type { State } from "./state.ts";

export type ReduceHandlers<T extends EntryType> = {
  readonly [K in T]: (state: State, entry: EntryOf<K>) => State;
};

type Beside =
  | "attachment-ended"
  | "attachments-used"
  | "fact-pinned"
  | "fact-proposed"
  | "fact-refused"
  | "fact-retired"
  | "facts-shown"
  | "hook-ended"
  | "hook-started"
  | "input-rewritten"
  | "lane-finished"
  | "lane-started"
  | "placeholder-ended"
  | "placeholder-started"
  | "server-measured"
  | "text-attached"
  | "tool-approved"
  | "tools-revealed";

/** Of the one reducer, what stands beside the conversation itself: texts from outside, facts, lanes, hooks. */
export const besideHandlers: ReduceHandlers<Beside> = {
  "text-attached": (state, { seq, attachment }) => {
    const piece = userText(seq, "attached", attachment.text);
    const { kind, text, original = text } = attachment;
    return {
      ...(attachment.side === "system" ? state : queued(state, piece)),
      attached: withAttached(state.attached, attachment, piece.id, turnAt(state)),
      originals: push(state.originals, {
        handle: attachmentHandle(attachment),
        callId: null,
        tool: kind,
        text: original,
      }),
    };
  },
  "attachments-used": (state, { names }) => ({ ...state, attached: withUsed(state.attached, names, turnAt(state)) }),
  "attachment-ended": (state, { kind, name, why }) => ({
    ...state,
    attached: withEnded(state.attached, { kind, name }, why),
  }),

  "tools-revealed": (state, { callId, tools }) => {
    const reveals = tools.map(({ declaration }) => declaration);
    const shown =
      callId === null
        ? state
        : withReturned(state, callId, (call) => ({
            ...call,
            pieces: call.pieces.map((piece) => showing(piece, reveals)),
          }));
    return { ...shown, revealed: withRevealed(state.revealed, tools, turnAt(state)) };
  },

  // Of a project's stream, which is folded where it is read (mcp/cards.ts).
  "server-measured": (state) => state,
  "tool-approved": (state) => state,

  "lane-started": (state, entry) => ({ ...state, lanes: laneStarted(state.lanes, entry) }),
  "lane-finished": (state, { seq, lane, text, output, handle }) => {
    const lanes = laneFinished(state.lanes, lane);
    if (lanes === state.lanes) return state;
    // As a fold it stands for work that was done, and stays through the next one.
    const piece: Piece = { id: `${seq}.0`, role: "user", kind: "fold", block: { type: "text", text } };
    const originals = push(state.originals, { handle, callId: null, tool: lane, text: output });
    return { ...queued(state, piece), lanes, originals };
  },

  "fact-proposed": (state, entry) => withFacts(state, proposed(state.facts, entry)),
  "fact-pinned": (state, entry) => withFacts(state, pinned(state.facts, entry)),
  "fact-refused": (state, { fact }) => withFacts(state, refused(state.facts, fact)),
  "fact-retired": (state, { fact }) => withFacts(state, retired(state.facts, fact)),
  "facts-shown": (state, { seq, text }) => queued(state, userText(seq, "facts", text)),

  "placeholder-started": (state, { run, what, allowed }) =>
    allowed ? { ...state, placeholders: { ...state.placeholders, [run]: what } } : state,
  "placeholder-ended": (state, { run, handle, output, tool = "Bash" }) => ({
    ...state,
    placeholders: withoutRun(state.placeholders, run),
    originals: push(state.originals, { handle, callId: null, tool, text: output }),
  }),

  "hook-started": (state, entry) => ({ ...state, hooks: hookStarted(state.hooks, entry) }),
  "hook-ended": (state, entry) => ({ ...state, hooks: hookEnded(state.hooks, entry, state.turn !== null) }),
  "input-rewritten": (state, { callId, input }) => withOpen(state, callId, (call) => ({ ...call, rewritten: input })),
};

export function queued(state: State, piece: Piece): State {
  return { ...state, waiting: [...state.waiting, piece] };
}

/** What comes in front of a message is for the turn that it begins. */
function turnAt({ turn, turns }: State): number {
  return turn === null ? turns + 1 : turns;
}

function withFacts(state: State, facts: State["facts"]): State {
  return facts === state.facts ? state : { ...state, facts };
}
