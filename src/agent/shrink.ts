import type { Handle } from "../kernel/ids.ts";
import { itemsOf } from "../kernel/vector.ts";
import type { Piece, PieceKind } from "../log/block.ts";
import type { EntryBody, PieceEdit } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { Segment } from "../prompt/segment.ts";
import { clipResult } from "../reduction/clip.ts";
import { type Fold, fold } from "../reduction/fold.ts";
import { epochEntry } from "./epochs.ts";
import type { Lane } from "./lane.ts";
import { pieceSegments } from "./piece-segments.ts";
import { type Prompt, tokensOf } from "./prompt.ts";
import { bindsReasoning, withoutReasoning } from "./reasoning.ts";

/** Low-water mark: what a fold comes down to, as a share of the hard line (DESIGN 6). */
const lowWaterShare = 0.5;
/** The fold's own block, as a share of the target. */
const foldTextShare = 0.2;
const foldTextTokensMax = 4_000;

/**
 * Brings the next request under the line without a model. Results that were never sent and would alone fill what is left
 * get a shorter first form (their free moment has not passed, so that is no break); else finished work is folded, and
 * results that were sent but that no answer has seen are cut in the same break. Nothing, when nothing can be taken away:
 * `canShrink` says so beforehand, and the turn then ends with the sizes (CASES C-001, C-005, C-017).
 */
export async function shrink(prompt: Prompt, why: string, lane: Lane): Promise<readonly EntryBody[]> {
  const plan = planOf(prompt, lane.state());
  if (plan.type === "nothing") return [];
  if (plan.type === "break") return [await breakEntry(plan, prompt, why, lane)];
  const forms = plan.clips.map(async ({ piece, text, handle }): Promise<EntryBody> => {
    return { type: "form-fixed", callId: piece.block.callId, handle, text: await lane.texts.keep(text) };
  });
  return await Promise.all(forms);
}

export function canShrink(prompt: Prompt, state: State): boolean {
  return planOf(prompt, state).type !== "nothing";
}

type Plan =
  | { readonly type: "nothing" }
  | { readonly type: "forms"; readonly clips: readonly Clip[] }
  | { readonly type: "break"; readonly folded: Fold; readonly clips: readonly Clip[] };

type Clip = { readonly piece: ResultPiece; readonly text: string; readonly handle: Handle };

function planOf(prompt: Prompt, state: State): Plan {
  const lineTokens = Math.floor(prompt.forecast.lineTokens * countedShare(prompt, state));
  const clips = clipsOf(prompt, lineTokens, state);
  const pending = new Set(state.calls.flatMap(({ pieces }) => pieces.map(({ id }) => id)));
  const unsent = clips.filter(({ piece }) => pending.has(piece.id));
  if (unsent.length > 0) return { type: "forms", clips: unsent };
  const folded = foldOf(prompt, lineTokens, clips, state);
  return folded.type === "nothing" && clips.length === 0 ? { type: "nothing" } : { type: "break", folded, clips };
}

/** What our count is of the provider's own, where it just refused the request and named its size. */
function countedShare({ forecast }: Prompt, { failure }: State): number {
  const actual = failure?.failure.class === "overflow" ? failure.failure.promptTokens : null;
  return actual === null || actual <= forecast.promptTokens ? 1 : forecast.promptTokens / actual;
}

function foldOf(prompt: Prompt, lineTokens: number, clips: readonly Clip[], state: State): Fold {
  const { pieces, model } = prompt.doc;
  const targetTokens = Math.floor(lineTokens * lowWaterShare);
  const clipped = new Map(clips.map(({ piece, text }) => [piece.id, text]));
  const segments = pieceSegments(pieces.map((piece) => withText(piece, clipped.get(piece.id))));
  const handles = handlesOf(state);
  const memo = {
    kindOf: ({ id }: Segment) => kindOf(pieces[id]),
    handleOf: (callId: string) => handles.get(callId) ?? null,
    tokensOf,
  };
  return fold(segments, memo, {
    targetTokens: targetTokens - headTokens(prompt),
    textTokensMax: Math.min(foldTextTokensMax, Math.floor(targetTokens * foldTextShare)),
    closeLoop: typeof model.thinking === "object",
    reasoning: bindsReasoning(model) ? "bound" : "free",
  });
}

async function breakEntry(
  { folded, clips }: Extract<Plan, { readonly type: "break" }>,
  { doc, forecast }: Prompt,
  why: string,
  lane: Lane,
): Promise<EntryBody> {
  const replaced = clips.map(async ({ piece, text }): Promise<PieceEdit> => {
    return { type: "replaced", piece: piece.id, text: await lane.texts.keep(text) };
  });
  const edits = [...(await Promise.all(replaced)), ...(await foldEdits(folded, doc.pieces, lane))];
  const entry = await epochEntry(lane.state(), lane.config, lane.texts, {
    reason: "compacted",
    detail: `folded without a model: ${why}`,
    edits,
    lost: folded.type === "fold" ? folded.reasoningTokensLost : 0,
    rewritten: forecast.promptTokens,
  });
  // A break writes head and user context anew; where they changed, reasoning that the fold left is invalid as well.
  const stale = withoutReasoning(lane.state(), entry).map(
    ({ id }): PieceEdit => ({ type: "dropped", from: id, to: id }),
  );
  return { ...entry, edits: [...entry.edits, ...stale] };
}

async function foldEdits(folded: Fold, pieces: readonly Piece[], lane: Lane): Promise<readonly PieceEdit[]> {
  if (folded.type === "nothing") return [];
  const dropped = folded.drops.flatMap(([from, to]) => pieces.slice(from, to + 1).map(({ id }) => id));
  const drops = dropsOf(dropped, lane.state());
  if (folded.block === null) return drops;
  const { before, text, original } = folded.block;
  const inserted: PieceEdit = {
    type: "inserted",
    before: before === null ? null : (pieces[before]?.id ?? null),
    kind: "fold",
    text: await lane.texts.keep(text),
    original: { handle: original.handle, text: await lane.texts.keep(original.text) },
  };
  return [...drops, inserted];
}

/**
 * The ids as ranges of the state's own lists. A range lies in one list and without a gap there: live and waiting pieces
 * and each call's results are dropped apart, what stands between two of them in the log stays, and what healing put in
 * is in no list.
 */
function dropsOf(ids: readonly string[], { live, waiting, calls }: State): readonly PieceEdit[] {
  const lists = [live, waiting, ...calls.map(({ pieces }) => pieces)];
  // The gap of one keeps the last piece of a list and the first one of the next apart.
  const places = new Map(lists.flatMap((list) => [...list, null]).map((piece, at) => [piece?.id, at]));
  const edits: { type: "dropped"; from: string; to: string }[] = [];
  let before = -1;
  for (const id of ids) {
    const at = places.get(id);
    if (at === undefined) continue;
    const last = edits.at(-1);
    if (last !== undefined && at === before + 1) last.to = id;
    else edits.push({ type: "dropped", from: id, to: id });
    before = at;
  }
  return edits;
}

/** Results no answer has seen, cut to an equal share each, where one alone takes more than that. */
function clipsOf(prompt: Prompt, lineTokens: number, state: State): readonly Clip[] {
  const { pieces } = prompt.doc;
  const unseen = pieces.slice(pieces.findLastIndex(({ role }) => role === "assistant") + 1).filter(isResult);
  if (unseen.length === 0) return [];
  const free = Math.max(0, lineTokens * (1 - foldTextShare) - headTokens(prompt));
  const share = Math.floor(free / 2 / unseen.length);
  const handles = handlesOf(state);
  return unseen.flatMap((piece): readonly Clip[] => {
    const { callId, text: whole } = piece.block;
    const handle = handles.get(callId);
    if (handle === undefined || typeof whole !== "string") return [];
    const text = clipResult(whole, share, handle);
    return text === null ? [] : [{ piece, text, handle }];
  });
}

function headTokens({ segments }: Prompt): number {
  const head = segments.filter(({ role }) => role === "tools" || role === "system");
  return head.reduce((sum, segment) => sum + tokensOf(segment), 0);
}

/** Newest last, so that an id used again stands for the newest call. */
function handlesOf(state: State): ReadonlyMap<string | null, Handle> {
  return new Map([...itemsOf(state.originals)].map(({ callId, handle }) => [callId, handle]));
}

function withText(piece: Piece, text: string | undefined): Piece {
  return text === undefined || !isResult(piece) ? piece : { ...piece, block: { ...piece.block, text } };
}

function kindOf(piece: Piece | undefined): PieceKind | null {
  return piece === undefined || piece.role === "assistant" ? null : piece.kind;
}

type ResultPiece = Extract<Piece, { readonly role: "user" }> & { readonly block: { readonly type: "tool-result" } };

function isResult(piece: Piece): piece is ResultPiece {
  return piece.role === "user" && piece.block.type === "tool-result";
}
