import type { Handle } from "../kernel/ids.ts";
import { itemsOf } from "../kernel/vector.ts";
import type { Piece, PieceKind } from "../log/block.ts";
import type { EntryBody, PieceEdit } from "../log/entry.ts";
import { pendingPieces } from "../log/reduce.ts";
import type { State } from "../log/state.ts";
import { clipResult } from "../reduction/clip.ts";
import { type Fold, fold } from "../reduction/fold.ts";
import { epochEntry } from "./epochs.ts";
import type { Lane } from "./lane.ts";
import { type Prompt, tokensOf } from "./prompt.ts";

/** Low-water mark: what a fold comes down to, as a share of the hard line (DESIGN 6). */
const lowWaterShare = 0.5;
/** The fold's own block, as a share of the target. */
const foldTextShare = 0.2;
const foldTextTokensMax = 4_000;

/**
 * Brings the next request under the line without a model: finished work is folded; where what is left is still too
 * large, results that were never sent get a shorter first form (their free moment has not passed). When neither takes
 * anything away, the turn ends with the sizes, so that no oversized request is ever sent twice (CASES C-001, C-005, C-017).
 */
export async function shrink(prompt: Prompt, why: string, lane: Lane): Promise<readonly EntryBody[]> {
  const state = lane.state();
  const folded = foldOf(prompt, state);
  const entries = folded.type === "fold" ? [await foldEntry(folded, prompt, why, lane)] : [];
  const clipped = await clipPending(prompt, lane);
  if (entries.length + clipped.length > 0) return [...clipped, ...entries];
  const { promptTokens, marginTokens, usableTokens, fixedTokens } = prompt.forecast;
  const detail =
    `the next request needs ${promptTokens + marginTokens} tokens, ${usableTokens} are usable: ${fixedTokens} are fixed ` +
    `(system, tools, newest request and results), and nothing else can be folded (${why})`;
  return [{ type: "turn-ended", reason: "window-too-small", detail }];
}

function foldOf({ segments, doc, forecast }: Prompt, state: State): Fold {
  const targetTokens = Math.floor(forecast.lineTokens * lowWaterShare);
  const head = segments.length - doc.pieces.length;
  const handles = new Map<string | null, Handle>(
    [...itemsOf(state.originals)].map(({ callId, handle }) => [callId, handle]),
  );
  const memo = {
    kindOf: ({ id }: { readonly id: number }) => kindOf(doc.pieces[id - head]),
    handleOf: (callId: string) => handles.get(callId) ?? null,
    tokensOf,
  };
  return fold(segments, memo, {
    targetTokens,
    textTokensMax: Math.min(foldTextTokensMax, Math.floor(targetTokens * foldTextShare)),
    closeLoop: typeof doc.model.thinking === "object",
  });
}

async function foldEntry(
  folded: Extract<Fold, { readonly type: "fold" }>,
  { segments, doc, forecast }: Prompt,
  why: string,
  lane: Lane,
): Promise<EntryBody> {
  const head = segments.length - doc.pieces.length;
  const pieceId = (segment: number) => doc.pieces[segment - head]?.id ?? "";
  const drops = folded.drops.map(
    ([from, to]): PieceEdit => ({ type: "dropped", from: pieceId(from), to: pieceId(to) }),
  );
  const inserted: PieceEdit = {
    type: "inserted",
    before: folded.before === null ? null : pieceId(folded.before),
    kind: "fold",
    text: await lane.texts.keep(folded.text),
    original: { handle: folded.original.handle, text: await lane.texts.keep(folded.original.text) },
  };
  const declarations = lane.config.tools.map(({ declaration }) => declaration);
  return await epochEntry(lane.state(), declarations, lane.texts, {
    reason: "compacted",
    detail: `folded without a model: ${why}`,
    edits: [...drops, inserted],
    lost: folded.reasoningTokensLost,
    rewritten: forecast.promptTokens,
  });
}

/** Shorter first forms for results that were never sent, when they alone would fill what is left. */
async function clipPending({ segments, forecast }: Prompt, lane: Lane): Promise<readonly EntryBody[]> {
  const pending = pendingPieces(lane.state()).filter(isResult);
  if (pending.length === 0) return [];
  const sizes = new Map(segments.map((segment) => [segment.callId, segment]));
  const head = segments.filter(({ role }) => role === "tools" || role === "system");
  const headTokens = head.reduce((sum, segment) => sum + tokensOf(segment), 0);
  const share = Math.floor((forecast.lineTokens * (1 - foldTextShare) - headTokens) / 2 / pending.length);
  const entries: EntryBody[] = [];
  for (const { block } of pending) {
    const segment = sizes.get(block.callId);
    const original = [...itemsOf(lane.state().originals)].findLast(({ callId }) => callId === block.callId);
    if (segment?.text == null || original === undefined || tokensOf(segment) <= Math.max(share, 1)) continue;
    const text = clipResult(segment.text, share, original.handle);
    if (text === null) continue;
    const { callId } = block;
    entries.push({ type: "form-fixed", callId, handle: original.handle, text: await lane.texts.keep(text) });
  }
  return entries;
}

function kindOf(piece: Piece | undefined): PieceKind | null {
  return piece === undefined || piece.role === "assistant" ? null : piece.kind;
}

type ResultPiece = Piece & { readonly role: "user"; readonly block: { readonly type: "tool-result" } };

function isResult(piece: Piece): piece is ResultPiece {
  return piece.role === "user" && piece.block.type === "tool-result";
}
