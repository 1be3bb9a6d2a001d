import { canonicalJson } from "../kernel/canonical.ts";
import { push } from "../kernel/vector.ts";
import { afterEdits, afterEpoch, frontPiece, isFrontPiece } from "./attached.ts";
import { isMadeAnew, type Piece, userText } from "./block.ts";
import { applyEdits, withoutDropped } from "./edits.ts";
import type { EntryOf, ModelChoice, PieceEdit } from "./entry.ts";
import { afterCompaction } from "./hook-state.ts";
import { guessAged, guessesDropped } from "./limits.ts";
import { noRolling } from "./rolling.ts";
import type { Call, State, Turn, Undoable } from "./state.ts";
import { afresh, summaryUsed } from "./summary.ts";

type Opened = EntryOf<"epoch-opened">;

/** A new epoch: what it writes anew in front, and what its edits leave of the rest. */
export function epochOpened(state: State, entry: Opened): State {
  const { seq, reason, edits } = entry;
  const calls = withoutDroppedResults(state.calls, edits);
  const live = makers[reason]?.(state, entry) ?? withFront(state, entry);
  const { head, model, providerClearing } = entry;
  const asked = providerClearing === undefined ? {} : { providerClearing };
  const epoch = { number: (state.epoch?.number ?? 0) + 1, seq, reason, head, model, ...asked };
  const waiting = waitingAfter(state, entry);
  return {
    ...state,
    model: reason in makers ? (state.model ?? entry.model) : chosenModel(state.model, entry.model),
    epoch,
    live,
    waiting,
    calls,
    newest: state.newest === null ? null : { ...state.newest, segments: 0 },
    sent: null,
    attached:
      reason in makers
        ? afterEdits(state.attached, [...live, ...waiting], state.turns)
        : afterEpoch(state.attached, entry.attached ?? [], { seq, turn: state.turns }),
    originals: withOriginals(state.originals, edits),
    summary: summaryAfter(state, reason),
    limits: limitsAfter(state, entry),
    undoable: undoableAfter(state, entry, calls),
    hooks: reason === "compacted" ? afterCompaction(state.hooks, compactedBy(state)) : state.hooks,
    rolling: beginsAnew.has(reason) ? noRolling : state.rolling,
    turn: reason === "compacted" ? folded(state.turn) : state.turn,
    failure: isHealedBy(reason, state.failure) ? null : state.failure,
    damage: { ...state.damage, declared: state.damage.lines },
  };
}

function compactedBy({ summary }: State): "manual" | "auto" {
  return summary.wanted === null ? "auto" : "manual";
}

/** Breaks that leave the front as it was sent, and go on with its model whatever was chosen since. */
const makers: { readonly [R in Opened["reason"]]?: (state: State, entry: Opened) => readonly Piece[] } = {
  cleared: editedOnly,
  collapsed: editedOnly,
  undone,
};

function editedOnly({ live }: State, { edits, seq }: Opened): readonly Piece[] {
  return applyEdits(live, edits, seq);
}

/** What the provider made of earlier work stands first, in front of what is said anew. */
function withFront({ live }: State, entry: Opened): readonly Piece[] {
  // An edit may begin or end at what is made anew: it goes first.
  const rest = withoutMadeAnew(applyEdits(live, entry.edits, entry.seq));
  const kept = rest.slice(0, rest[0]?.block.type === "compaction" ? 1 : 0);
  return [...(providerSummary(entry) ?? kept), ...frontOf(entry), ...rest.slice(kept.length)];
}

function waitingAfter({ waiting }: State, { reason, edits }: Opened): readonly Piece[] {
  const left = withoutDropped(waiting, edits);
  return reason in makers ? left : withoutMadeAnew(left);
}

function providerSummary({ seq, summary }: Opened): readonly Piece[] | null {
  if (summary === undefined) return null;
  return [{ id: `${seq}.summary`, role: "assistant", from: summary.from, block: summary.block }];
}

/**
 * Undo (DESIGN 6): all as it was before the break that is undone, byte for byte, so that the request before it is a prefix of
 * the next; then what came after it, without what that break had written.
 */
function undone({ live, undoable }: State, { edits, seq }: Opened): readonly Piece[] {
  if (undoable === null) return live;
  const before = new Set(undoable.live.map(({ id }) => id));
  const came = live.filter((piece) => !before.has(piece.id) && !isOf(piece.id, undoable.seq) && !isFront(piece));
  return [...undoable.live, ...applyEdits(came, edits, seq)];
}

/** Of a break in between. Facts that stood only there are shown again with the next request (law 6). */
function isFront(piece: Piece): boolean {
  return piece.role === "user" && (piece.kind === "context" || piece.id.endsWith(".facts") || isFrontPiece(piece.id));
}

/** Whether a piece was written by the entry of that number. */
function isOf(id: string, seq: number): boolean {
  return id.slice(0, id.lastIndexOf(".")) === String(seq);
}

function summaryAfter({ summary }: State, reason: Opened["reason"]): State["summary"] {
  if (reason === "compacted") return summaryUsed(summary);
  return reason === "undone" ? afresh(summary) : summary;
}

/** What a compaction took away, or an undo brought back, is not what a rolling summary was being made of. */
const beginsAnew: ReadonlySet<Opened["reason"]> = new Set(["compacted", "undone"]);

function limitsAfter({ limits }: State, { reason, model }: Opened): State["limits"] {
  if (reason === "model-changed") return guessesDropped(limits);
  return reason === "compacted" || reason === "window-slid" ? guessAged(limits, model.model) : limits;
}

/**
 * Only the newest can be undone, and only while the prompt in front of it would still be valid as it was: another model
 * cannot read the reasoning in it.
 */
function undoableAfter(state: State, { seq, reason, model }: Opened, calls: readonly Call[]): Undoable | null {
  if (reason === "cleared") return state.undoable;
  if ((reason !== "compacted" && reason !== "collapsed") || state.epoch === null) return null;
  if (state.epoch.model.model !== model.model || state.epoch.model.wire !== model.wire) return null;
  const left = new Set(calls.flatMap(({ pieces }) => pieces.map(({ id }) => id)));
  const gone = state.calls.flatMap(({ pieces }) => pieces.filter(({ id }) => !left.has(id)));
  return { seq, reason, head: state.epoch.head, live: [...state.live, ...gone] };
}

/** A fold that closes the tool loop quotes results that were not sent yet; they and their calls are done with. */
function withoutDroppedResults(calls: readonly Call[], edits: readonly PieceEdit[]): readonly Call[] {
  if (calls.length === 0) return calls;
  return calls.flatMap((call) => {
    const pieces = withoutDropped(call.pieces, edits);
    return call.pieces.length > 0 && pieces.length === 0 ? [] : [{ ...call, pieces }];
  });
}

/** What a break took away and no other entry keeps stays recallable: the list of a fold, the input of a call. */
function withOriginals(originals: State["originals"], edits: readonly PieceEdit[]): State["originals"] {
  return edits.reduce((list, edit) => {
    if (edit.type !== "inserted" && edit.type !== "replaced") return list;
    const tool = edit.type === "inserted" ? "fold" : "input";
    return edit.original === undefined ? list : push(list, { ...edit.original, callId: null, tool });
  }, originals);
}

/** A request may have to leave the thinking out that was chosen; the choice stands. */
function chosenModel(chosen: ModelChoice | null, sent: ModelChoice): ModelChoice {
  if (chosen === null || sent.thinking !== "off" || typeof chosen.thinking === "string") return sent;
  return canonicalJson({ ...chosen, thinking: "off" }) === canonicalJson(sent) ? chosen : sent;
}

/** What stands in front of the conversation from this break on. */
function frontOf({ seq, userContext, facts, attached = [] }: Opened): readonly Piece[] {
  return [
    userText(seq, "context", userContext),
    ...(facts === undefined ? [] : [{ ...userText(seq, "facts", facts), id: `${seq}.facts` }]),
    ...attached.flatMap(({ text, side }, at) =>
      side === "system" ? [] : [{ ...userText(seq, "attached", text), id: frontPiece(seq, at) }],
    ),
  ];
}

function withoutMadeAnew(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.some(isMadeAnew) ? pieces.filter((piece) => !isMadeAnew(piece)) : pieces;
}

/** A break answers these two by itself, another model any; the rest still has to be waited out or reported. */
function isHealedBy(reason: Opened["reason"], failed: State["failure"]): boolean {
  return reason === "model-changed" || failed?.failure.class === "overflow" || failed?.failure.class === "binding";
}

export function folded(turn: Turn | null): Turn | null {
  return turn === null ? null : { ...turn, folds: turn.folds + 1, foldedAt: turn.steps };
}
