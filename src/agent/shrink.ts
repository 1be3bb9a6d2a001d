import type { Handle } from "../kernel/ids.ts";
import { itemsOf } from "../kernel/vector.ts";
import type { Piece, PieceKind } from "../log/block.ts";
import type { EntryBody, PieceEdit } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import type { Fold } from "../reduction/fold.ts";
import type { Memo } from "../reduction/memo.ts";
import { type Plan, plan } from "../reduction/plan.ts";
import { tokensOf } from "../reduction/segment-tokens.ts";
import { epochEntry } from "./epochs.ts";
import type { Lane } from "./lane.ts";
import { pieceSegments } from "./piece-segments.ts";
import { pointersIn } from "./pointers.ts";
import type { Prompt } from "./prompt.ts";
import { bindsReasoning, needsLoopReasoning, withoutReasoning } from "./reasoning.ts";
import { withoutSignatures } from "./signatures.ts";

/**
 * Brings the next request under the line without a model (`reduction/plan.ts`), in the log's own terms: shorter first
 * forms, or one break. Nothing, when nothing can be taken away: `canShrink` says so beforehand, and the turn then ends
 * with the sizes (CASES C-001, C-005, C-017).
 */
export async function shrink(prompt: Prompt, why: string, lane: Lane): Promise<readonly EntryBody[]> {
  const planned = planOf(prompt, lane.state());
  if (planned.type === "nothing") return [];
  if (planned.type === "break" && planned.reason !== "compacted") return [];
  if (planned.type === "break") return [await breakEntry(planned, prompt, why, lane)];
  const { pieces } = prompt.doc;
  const forms = planned.clips.map(async ({ segment, text, handle }): Promise<readonly EntryBody[]> => {
    const piece = pieces[segment];
    if (piece === undefined || !isResult(piece)) return [];
    return [{ type: "form-fixed", callId: piece.block.callId, handle, text: await lane.texts.keep(text) }];
  });
  return (await Promise.all(forms)).flat();
}

export function canShrink(prompt: Prompt, state: State): boolean {
  return planOf(prompt, state).type !== "nothing";
}

function planOf(prompt: Prompt, state: State): Plan {
  const { pieces, model } = prompt.doc;
  const handles = handlesOf(state);
  const pending = new Set(state.calls.flatMap((call) => call.pieces.map(({ id }) => id)));
  const memo: Memo = {
    kindOf: ({ id }) => kindOf(pieces[id]),
    handleOf: (callId) => handles.get(callId) ?? null,
    isFailed: ({ id }) => isFailed(pieces[id]),
    tokensOf,
    isUnsent: (segment) => pending.has(pieces[segment]?.id ?? ""),
    ...pointersIn(pieces),
  };
  return plan(pieceSegments(pieces), memo, {
    lineTokens: Math.floor(prompt.forecast.lineTokens * countedShare(prompt, state)),
    headTokens: headTokens(prompt),
    closeLoop: needsLoopReasoning(model),
    reasoning: !bindsReasoning(model) ? "free" : model.wire === "responses" ? "bound-loop" : "bound",
    pressure: "hard",
    clearing: "off",
    collapsing: "off",
    // Not looked at while nothing is cleared.
    prices: { type: "local" },
    cache: "warm",
    tier: null,
  });
}

/** What our count is of the provider's own, where it just refused the request and named its size. */
function countedShare({ forecast }: Prompt, { failure }: State): number {
  const actual = failure?.failure.class === "overflow" ? failure.failure.promptTokens : null;
  return actual === null || actual <= forecast.promptTokens ? 1 : forecast.promptTokens / actual;
}

async function breakEntry(
  { fold, clips }: Extract<Plan, { readonly type: "break"; readonly reason: "compacted" }>,
  { doc, forecast }: Prompt,
  why: string,
  lane: Lane,
): Promise<EntryBody> {
  const replaced = clips.map(async ({ segment, text }): Promise<PieceEdit> => {
    return { type: "replaced", piece: doc.pieces[segment]?.id ?? "", text: await lane.texts.keep(text) };
  });
  const edits = [...(await Promise.all(replaced)), ...(await foldEdits(fold, doc.pieces, lane))];
  const entry = await epochEntry(lane.state(), lane.config, lane.texts, {
    reason: "compacted",
    detail: `folded without a model: ${why}`,
    edits,
    lost: fold.type === "fold" ? fold.reasoningTokensLost : 0,
    rewritten: forecast.promptTokens,
  });
  // A break writes head and user context anew; where they changed, reasoning that the fold left is invalid as well.
  const stale = withoutReasoning(lane.state(), entry).map(
    ({ id }): PieceEdit => ({ type: "dropped", from: id, to: id }),
  );
  return { ...entry, edits: [...withoutSignatures(lane.state(), entry), ...entry.edits, ...stale] };
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

function headTokens({ segments }: Prompt): number {
  const head = segments.filter(({ role }) => role === "tools" || role === "system");
  return head.reduce((sum, segment) => sum + tokensOf(segment), 0);
}

/** Newest last, so that an id used again stands for the newest call. */
function handlesOf(state: State): ReadonlyMap<string | null, Handle> {
  return new Map([...itemsOf(state.originals)].map(({ callId, handle }) => [callId, handle]));
}

function kindOf(piece: Piece | undefined): PieceKind | null {
  return piece === undefined || piece.role === "assistant" ? null : piece.kind;
}

type ResultPiece = Extract<Piece, { readonly role: "user" }> & { readonly block: { readonly type: "tool-result" } };

function isResult(piece: Piece): piece is ResultPiece {
  return piece.role === "user" && piece.block.type === "tool-result";
}

function isFailed(piece: Piece | undefined): boolean {
  return piece !== undefined && isResult(piece) && piece.block.isError;
}
