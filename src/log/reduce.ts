import { bounds } from "../kernel/bounds.ts";
import { promptTokensOf } from "../kernel/usage.ts";
import { push } from "../kernel/vector.ts";
import { type Piece, type PieceKind, type Text, userText } from "./block.ts";
import { withResultText } from "./edits.ts";
import type { Entry, EntryOf, EntryType, TurnEnd } from "./entry.ts";
import { epochOpened, folded } from "./epoch-opened.ts";
import { afterCompaction, afterMessage, afterRequest, afterTurn } from "./hook-state.ts";
import { guessAnswered, limitLearned } from "./limits.ts";
import { besideHandlers, queued, type ReduceHandlers } from "./reduce-beside.ts";
import { resultPiece, resultPieces, usedNow, withOpen, withReturned } from "./reduce-calls.ts";
import { noRepeats, returnedAgain, withheld } from "./repeats.ts";
import { rollingAsked, rollingFailed, rollingMade, roundBegun } from "./rolling.ts";
import type { Call, State, Turn } from "./state.ts";
import {
  breakerClosed,
  ladderEnded,
  summaryAsked,
  summaryEnded,
  summaryLost,
  summaryRefused,
  summaryStopped,
  summaryWanted,
  withAnotherModel,
} from "./summary.ts";

type Handlers = ReduceHandlers<EntryType>;

/**
 * The one reducer: total by entry type, pure. What an entry does not change stays the same by reference; only `seq` and
 * `at` always move. It accepts every order of entries, since damage may have taken or doubled any line (DESIGN 5).
 */
export function reduce(state: State, entry: Entry): State {
  const next = handle(state, entry.seq > state.seq ? entry : apart(state, entry));
  return { ...next, seq: Math.max(state.seq, entry.seq), at: entry.at };
}

/**
 * The second of two entries with one number (CASES C-093) is taken under a fraction of it, as an unreadable line is: pieces
 * are named by numbers, and a break must not change two with one name.
 */
function apart(state: State, entry: Entry): Entry {
  if (entry.type === "line-unreadable") return entry;
  const names = [...state.live, ...state.waiting, ...state.calls.flatMap(({ pieces }) => pieces)];
  const taken = names.filter(({ id }) => Number.parseInt(id, 10) === entry.seq).length;
  return taken === 0 ? entry : { ...entry, seq: entry.seq + 1 - 1 / (taken + 1) };
}

export function reduceAll(state: State, entries: Iterable<Entry>): State {
  let next = state;
  for (const entry of entries) next = reduce(next, entry);
  return next;
}

function handle<T extends EntryType>(state: State, entry: EntryOf<T>): State {
  // The record is keyed by the entry's own type, which TypeScript cannot follow through an index (correlated union).
  const handler = handlers[entry.type as T] as (state: State, entry: EntryOf<T>) => State;
  return handler(state, entry);
}

const handlers: Handlers = {
  "session-started": (state, { session, lane, project, cwd }) => ({
    ...state,
    started: { session, lane, project, cwd },
  }),
  "session-forked": (state, { session }) =>
    state.started ? { ...state, started: { ...state.started, session } } : state,
  "project-started": (state) => state,
  // A shorter longest answer for the same model is no word of the user's.
  "model-chosen": (state, { model }) => {
    const isSame = state.model?.model === model.model && state.model.wire === model.wire;
    return { ...state, model, summary: isSame ? state.summary : withAnotherModel(state.summary) };
  },
  "mode-chosen": (state, { mode, by }) => {
    // The user's choice of what the model had chosen makes it the user's.
    if (state.mode === mode) return by === undefined && state.planBy === "model" ? { ...state, planBy: "user" } : state;
    return mode === "plan" ? { ...state, mode, modeBefore: state.mode, planBy: by ?? "user" } : { ...state, mode };
  },
  "verbosity-chosen": (state, { verbosity }) => ({ ...state, verbosity }),
  "log-redacted": (state) => state,

  "message-added": (state, entry) => ({
    ...queued(state, userText(entry.seq, "message", entry.text)),
    summary: breakerClosed(state.summary),
    repeats: noRepeats,
    rolling: roundBegun(state.rolling),
    hooks: afterMessage(state.hooks),
    turn: state.turn ?? newTurn(entry.seq),
    turns: state.turns + (state.turn === null ? 1 : 0),
  }),
  "context-observed": (state, { key, text }) =>
    state.observed[key] === text ? state : { ...state, observed: { ...state.observed, [key]: text } },
  "reminder-added": (state, entry) => {
    const next = queued(state, reminderPiece(entry));
    return entry.source === "todos" ? { ...next, todosAge: 0 } : next;
  },
  "file-changed": (state, { path, hash }) => {
    const seen = state.files[path];
    if (seen === undefined) return state;
    const announced = hash === seen.hash ? null : (hash ?? "gone");
    return { ...state, files: { ...state.files, [path]: { ...seen, announced } } };
  },

  ...besideHandlers,

  "epoch-opened": epochOpened,
  "form-fixed": (state, { callId, text, pointers, again }) => {
    const next = withReturned(state, callId, (call) => ({
      ...call,
      pieces: call.pieces.map((piece) => withResultText(piece, text, pointers)),
    }));
    const call = state.calls.find((one) => one.callId === callId);
    const piece = call?.pieces[0]?.id;
    if (next === state || again === undefined || call === undefined || piece === undefined) return next;
    const request = state.newest?.request ?? null;
    return { ...next, repeats: withheld(state.repeats, { call, piece, request, what: again.what }) };
  },
  "limit-learned": (state, entry) => ({ ...state, limits: limitLearned(state.limits, entry) }),
  "model-described": (state, { model, inputTokensMax, outputTokensMax, from }) => ({
    ...state,
    described: { ...state.described, [model]: { inputTokensMax, outputTokensMax, from } },
  }),
  "estimate-corrected": (state, { model, estimate, headTokens }) => ({
    ...state,
    estimates: { ...state.estimates, [model]: estimate },
    measuredHead:
      headTokens === undefined || state.epoch === null
        ? state.measuredHead
        : { head: state.epoch.head, model, tokens: headTokens },
  }),

  "request-sent": (state, entry) => {
    const request = { id: entry.request, attempt: entry.attempt, sentAt: entry.at };
    if (entry.purpose === "side") return state;
    const { segments, chain, cacheKey, marks, predicted } = entry;
    const sent = { request: entry.request, segments, chain, cacheKey, marks, predicted };
    return { ...sealed(state), request, sent, hooks: afterRequest(state.hooks) };
  },
  // What waits came after the request and is not answered by this; only a lost `request-sent` is made up for.
  "response-received": (state, entry) => received(state.request?.id === entry.request ? state : sealed(state), entry),
  "request-failed": (state, { at, request, failure }) => {
    if (state.request?.id !== request) return state;
    return { ...state, request: null, failure: { at, attempt: state.request.attempt, failure } };
  },

  "todos-written": (state, { todos }) => ({ ...state, todos, todosAge: 0 }),
  "background-started": (state, { task, callId, command }) => ({
    ...state,
    background: { ...state.background, [task]: { callId, command } },
    tasksStarted: state.tasksStarted + 1,
  }),
  "background-ended": (state, { task, ending, exitCode, handle, output }) => {
    const { [task]: ended, ...background } = state.background;
    if (ended === undefined) return state;
    return {
      ...state,
      background,
      tasksEnded: { ...state.tasksEnded, [task]: { ending, exitCode, handle } },
      originals: push(state.originals, { handle, callId: null, tool: "Bash", text: output }),
    };
  },
  "permission-asked": (state, { callId }) =>
    withOpen(state, callId, (call) => ({ ...call, status: { type: "asked" } })),
  "permission-decided": (state, { callId, allowed, why }) => {
    const status: Call["status"] = allowed ? { type: "allowed" } : { type: "refused", why };
    const next = withOpen(state, callId, (call) => ({ ...call, status }));
    if (next === state || allowed || next.turn === null) return next;
    return { ...next, turn: { ...next.turn, refusals: next.turn.refusals + 1 } };
  },
  "tool-started": (state, { callId }) => withOpen(state, callId, (call) => ({ ...call, status: { type: "started" } })),
  "tool-returned": (state, entry) => {
    const next = withOpen(state, entry.callId, (call) => ({
      ...call,
      status: { type: "returned" },
      pieces: resultPieces(entry, call),
    }));
    const call = state.calls.find((one) => one.callId === entry.callId && one.status.type !== "returned");
    if (next === state || call === undefined) return state;
    const { handle, callId, tool, output } = entry;
    return {
      ...next,
      repeats: returnedAgain(state.repeats, { call, entry, request: state.newest?.request ?? null }),
      turn: next.turn !== null && entry.ending === "done" ? { ...next.turn, refusals: 0 } : next.turn,
      files: withFiles(state.files, entry),
      revealed: usedNow(state, tool),
      plan: entry.ending === "done" ? (planOf(state, entry) ?? state.plan) : state.plan,
      originals: push(state.originals, { handle, callId, tool, text: output }),
    };
  },

  "turn-ended": (state, { seq, reason, detail }) => {
    // A message that does not fit is not sent with the next one either; its text stays in the log.
    const waiting = reason === "window-too-small" ? state.waiting.filter((piece) => !isMessage(piece)) : state.waiting;
    // What was said before the interrupt was stopped by it; it goes along with what is said next.
    const from = state.turn?.interruptedAt ?? 0;
    const isNew = (piece: Piece) => isMessage(piece) && Number.parseInt(piece.id, 10) > from;
    const next = waiting.some(isNew) && goesOn.has(reason) ? newTurn(seq) : null;
    const summary = ladderEnded(state.summary);
    const turns = state.turns + (next === null ? 0 : 1);
    return {
      ...state,
      waiting,
      turn: next,
      turns,
      failure: null,
      summary,
      hooks: afterTurn(state.hooks),
      lastTurn: { reason, detail },
    };
  },
  "turn-resumed": (state, { seq }) => (state.turn === null ? { ...state, turn: newTurn(seq), failure: null } : state),
  interrupted: (state, { seq }) => {
    const { turn } = state;
    if (turn === null || turn.interruptedAt !== null) return state;
    return { ...state, turn: { ...turn, interruptedAt: seq }, summary: summaryStopped(state.summary) };
  },
  "outcome-unknown": (state, entry) => {
    if (entry.what === "request") {
      const summary = summaryLost(state.summary, entry.request, entry.at);
      const rolling = rollingFailed(state.rolling, entry.request);
      return { ...state, summary, rolling, request: state.request?.id === entry.request ? null : state.request };
    }
    return withOpen(state, entry.callId, (call) => ({
      ...call,
      status: { type: "returned" },
      pieces: [resultPiece(`${entry.seq}.0`, call, entry.text, true)],
    }));
  },
  "compaction-asked": (state, entry) => ({ ...state, summary: summaryWanted(state.summary, entry) }),
  "compaction-refused": (state) => {
    const summary = summaryRefused(state.summary);
    // One that nobody asked for was due by the lines: it is tried in vain as often as folds in a row are.
    const hooks = afterCompaction(state.hooks, null);
    return { ...state, summary, hooks, turn: state.summary.wanted === null ? folded(state.turn) : state.turn };
  },
  "summary-asked": (state, entry) => {
    const { as } = entry;
    if (as === "rolling") return { ...state, rolling: rollingAsked(state.rolling, entry) };
    return { ...state, summary: summaryAsked(state.summary, { ...entry, as }) };
  },
  "summary-ended": (state, entry) => ({
    ...state,
    summary: summaryEnded(state.summary, entry),
    rolling: rollingFailed(state.rolling, entry.request, entry.outcome === "interrupted"),
  }),
  "summary-made": (state, entry) => ({ ...state, rolling: rollingMade(state.rolling, entry) }),
  "line-unreadable": (state) => ({ ...state, damage: { ...state.damage, lines: state.damage.lines + 1 } }),
};

/** What joins the prompt with the next request: results in call order, their images, then what waited (CASES C-027). */
export function pendingPieces(state: State): readonly Piece[] {
  const fromCalls = state.calls.flatMap((call) => call.pieces);
  const results = fromCalls.filter((piece) => piece.block.type === "tool-result");
  const images = fromCalls.filter((piece) => piece.block.type !== "tool-result");
  const reminders = state.waiting.filter((piece) => piece.role === "user" && isAside.has(piece.kind));
  // A system message may stand behind a user message, never in front of one (PROTOCOLS A.6).
  const system = state.waiting.filter((piece) => piece.role === "system");
  const messages = state.waiting.filter((piece) => !reminders.includes(piece) && piece.role !== "system");
  return [...results, ...images, ...reminders, ...messages, ...system];
}

/** A reminder that came while the answer was on its way waits for what the user says next. */
export function asksForAnswer(piece: Piece): boolean {
  return piece.role === "user" && !isAside.has(piece.kind);
}

const isAside: ReadonlySet<PieceKind> = new Set(["reminder", "facts", "attached"]);

function sealed(state: State): State {
  const pending = pendingPieces(state);
  if (pending.length === 0 && state.calls.length === 0) return state;
  return { ...state, live: [...state.live, ...pending], waiting: [], calls: [] };
}

function received(state: State, entry: EntryOf<"response-received">): State {
  const pieces = entry.blocks.map(
    (block, index): Piece => ({ id: `${entry.seq}.${index}`, role: "assistant", from: entry.wire, block }),
  );
  const calls = entry.blocks.flatMap((block): readonly Call[] =>
    block.type === "tool-call"
      ? [{ callId: block.callId, tool: block.tool, input: block.input, status: { type: "waiting" }, pieces: [] }]
      : [],
  );
  return {
    ...state,
    live: [...state.live, ...pieces],
    calls,
    request: null,
    failure: null,
    limits: limitsAfter(state, entry),
    todosAge: state.todosAge + 1,
    newest: {
      request: entry.request,
      wire: entry.wire,
      model: entry.model,
      messageId: entry.messageId,
      stop: entry.stop,
      usage: entry.usage,
      receivedAt: entry.at,
      hasCalls: calls.length > 0,
      segments: state.sent?.segments ?? 0,
      ...(entry.cleared === undefined ? {} : { cleared: entry.cleared }),
    },
    turn: state.turn === null ? null : stepped(state.turn),
  };
}

function limitsAfter({ limits, epoch }: State, { usage }: EntryOf<"response-received">): State["limits"] {
  if (epoch === null) return limits;
  return guessAnswered(limits, epoch.model.model, usage === null ? null : promptTokensOf(usage));
}

/** The ones touched last stand last: where not all can be watched, they are. */
function withFiles(files: State["files"], entry: EntryOf<"tool-returned">): State["files"] {
  if (entry.files.length === 0) return files;
  const touched = new Map(entry.files.map(({ path, hash }) => [path, { hash, announced: null }]));
  const others = Object.entries(files).filter(([path]) => !touched.has(path));
  return Object.fromEntries([...others, ...touched]);
}

/** What a tool that leaves plan mode was given, once the user accepted it. */
function planOf({ calls }: State, { tool, callId }: EntryOf<"tool-returned">): Text | null {
  if (tool !== planTool) return null;
  const call = calls.find((one) => one.callId === callId);
  return call?.rewritten ?? call?.input ?? null;
}

const planTool = "ExitPlanMode";

function newTurn(fromSeq: number): Turn {
  return { fromSeq, steps: 0, folds: 0, foldedAt: 0, interruptedAt: null, refusals: 0 };
}

/** Endings after which a message that came meanwhile starts a turn of its own. */
const goesOn: ReadonlySet<TurnEnd> = new Set(["done", "interrupted", "step-limit", "permission-refused"]);

function isMessage(piece: Piece): boolean {
  return piece.role === "user" && piece.kind === "message";
}

function reminderPiece({ seq, text, side, effort, until }: EntryOf<"reminder-added">): Piece {
  if (side === undefined) return userText(seq, "reminder", text);
  const settings = { ...(effort === undefined ? {} : { effort }), ...(until === undefined ? {} : { until }) };
  return { id: `${seq}.0`, role: "system", kind: "reminder", block: { type: "text", text, ...settings } };
}

function stepped(turn: Turn): Turn {
  const steps = turn.steps + 1;
  return { ...turn, steps, folds: steps - turn.foldedAt >= bounds.stepsBetweenFoldsMin ? 0 : turn.folds };
}
