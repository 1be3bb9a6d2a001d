import type { Piece } from "../log/block.ts";
import type { EntryBody, EntryOf, PieceEdit } from "../log/entry.ts";
import type { State } from "../log/state.ts";
import { windowWarning } from "../memory/window.ts";
import type { Stub } from "../reduction/clear.ts";
import type { FoldBlock } from "../reduction/fold.ts";
import type { Clip, Plan } from "../reduction/plan.ts";
import { breakCost, tokensLeft } from "./break-cost.ts";
import { epochEntry, sameEpoch } from "./epochs.ts";
import type { Lane } from "./lane.ts";
import type { Prompt } from "./prompt.ts";
import { type MadeSummary, placedSummary } from "./provider-summary.ts";
import { withoutReasoning } from "./reasoning.ts";
import { withoutSignatures } from "./signatures.ts";
import { windowSizeNow } from "./window-size.ts";

type Planning = Pick<Lane, "config" | "fx" | "ledger" | "state" | "texts">;
type Break = Extract<Plan, { readonly type: "break" }>;
/** Of the whole prompt: it is begun anew. */
type Whole = Extract<Break, { readonly reason: "compacted" | "window-slid" }>;

/**
 * What a plan (`reduction/plan.ts`) says in the log's own terms: shorter first forms, or one break. Nothing, when nothing
 * can be taken away: the turn then ends with the sizes (CASES C-001, C-005, C-017).
 */
export async function reduced(
  plan: Plan,
  prompt: Prompt,
  why: string,
  lane: Planning,
  native: MadeSummary["native"] = null,
): Promise<readonly EntryBody[]> {
  if (plan.type === "nothing") return [];
  if (plan.type === "forms") return (await Promise.all(plan.clips.map((clip) => formOf(clip, prompt, lane)))).flat();
  return ["fold" in plan ? await compacted(plan, prompt, why, lane, native) : await edited(plan, prompt, why, lane)];
}

async function formOf({ segment, text, handle }: Clip, { doc }: Prompt, lane: Planning): Promise<readonly EntryBody[]> {
  const piece = doc.pieces[segment];
  if (piece === undefined || !isResult(piece)) return [];
  return [{ type: "form-fixed", callId: piece.block.callId, handle, text: await lane.texts.keep(text) }];
}

/** A break that works behind its cut only: head and user context stay as they were sent (DESIGN 6). */
async function edited(plan: Exclude<Break, Whole>, prompt: Prompt, why: string, lane: Planning): Promise<EntryBody> {
  const { pieces } = prompt.doc;
  const blocks = plan.reason === "collapsed" ? plan.blocks : [];
  const stubs = plan.reason === "cleared" ? plan.stubs : [];
  const edits = [
    ...(await Promise.all(stubs.map((stub) => stubEdit(stub, pieces, lane)))).flat(),
    ...dropEdits(plan.drops, pieces, lane.state()),
    ...(await Promise.all(blocks.map((block) => blockEdit(block, pieces, lane)))),
  ];
  const { reason } = plan;
  if (reason === "collapsed") {
    const cut = plan.drops[0]?.[0] ?? pieces.length;
    const left = { drops: plan.drops, blocks, cut };
    const cost = breakCost(prompt, lane, {
      tokensRewritten: tokensLeft(left, prompt),
      reasoningTokensLost: plan.reasoningTokensLost,
    });
    return sameEpoch(lane.state(), { reason, detail: why, edits, cost });
  }
  const { numbers } = plan;
  const { behindTokens, reasoningTokens } = numbers;
  return sameEpoch(lane.state(), {
    reason,
    detail: clearedWords(stubs.length, numbers, why),
    edits,
    cost: breakCost(prompt, lane, { tokensRewritten: behindTokens, reasoningTokensLost: reasoningTokens }),
    clearing: numbers,
  });
}

const reasons: Readonly<Record<NonNullable<EntryOf<"epoch-opened">["clearing"]>["reason"], string>> = {
  cold: "the cache has expired",
  rent: "keeping it has cost as much as clearing it does",
  pressure: "the window is nearly full",
  tier: "a dearer price was near",
};

function clearedWords(
  count: number,
  { reason, savedTokens }: { reason: keyof typeof reasons; savedTokens: number },
  why: string,
): string {
  const what = `${count} result${count === 1 ? "" : "s"} and inputs cleared, ${savedTokens} tokens: ${reasons[reason]}`;
  return why === "" ? what : `${what} (${why})`;
}

async function compacted(
  plan: Whole,
  prompt: Prompt,
  why: string,
  lane: Planning,
  native: MadeSummary["native"],
): Promise<EntryBody> {
  const { fold, clips, reason } = plan;
  const { pieces } = prompt.doc;
  const stubs = reason === "window-slid" ? plan.stubs : [];
  const replaced = clips.map(async ({ segment, text }): Promise<PieceEdit> => {
    return { type: "replaced", piece: pieces[segment]?.id ?? "", text: await lane.texts.keep(text) };
  });
  const drops = fold.type === "fold" ? fold.drops : [];
  const blocks = fold.type === "fold" && fold.block !== null ? [fold.block] : [];
  const folded = [
    ...(await Promise.all(stubs.map((stub) => stubEdit(stub, pieces, lane)))).flat(),
    ...dropEdits(drops, pieces, lane.state()),
    ...(await Promise.all(blocks.map((block) => blockEdit(block, pieces, lane)))),
  ];
  if (reason === "window-slid") warn(prompt, lane);
  const entry = await epochEntry(lane.state(), lane.config, lane.texts, {
    reason,
    detail: reason === "window-slid" ? slidWords(drops, stubs.length, pieces, why) : why,
    edits: [...(await Promise.all(replaced)), ...folded],
    cost: breakCost(prompt, lane, {
      // Head and user context are written anew, so all of it is.
      tokensRewritten: tokensLeft({ drops, blocks, cut: 0 }, prompt),
      reasoningTokensLost: fold.type === "fold" ? fold.reasoningTokensLost : 0,
    }),
  });
  // A break writes head and user context anew; where they changed, reasoning that the fold left is invalid as well.
  const stale = withoutReasoning(lane.state(), entry).map(
    ({ id }): PieceEdit => ({ type: "dropped", from: id, to: id }),
  );
  // Without a block nothing goes that a summary could stand for; `detail` says so.
  const instead = blocks[0]?.instead;
  const summary = native === null || instead === undefined ? null : await placedSummary(native, instead, lane.texts);
  return {
    ...entry,
    edits: [...withoutSignatures(lane.state(), entry), ...entry.edits, ...stale],
    ...(summary === null ? {} : { summary }),
  };
}

/** Once for as long as it goes on sliding. */
function warn(prompt: Prompt, lane: Planning): void {
  const warning = windowWarning(windowSizeNow(prompt, lane).size);
  if (warning !== null && lane.state().epoch?.reason !== "window-slid") lane.fx.note(warning);
}

function slidWords(
  drops: readonly (readonly [from: number, to: number])[],
  shrunk: number,
  pieces: readonly Piece[],
  why: string,
): string {
  const isRound = (piece: Piece) => piece.role === "user" && piece.kind === "message";
  const gone = drops.flatMap(([from, to]) => pieces.slice(from, to + 1)).filter(isRound).length;
  const stay = pieces.filter(isRound).length - gone;
  const results = shrunk === 0 ? "" : `, ${shrunk} result${shrunk === 1 ? "" : "s"} of them left out`;
  return `${gone} round${gone === 1 ? "" : "s"} left, ${stay} stay${results}${why === "" ? "" : `: ${why}`}`;
}

/** A call's input is in no other entry once its answer is out of the prompt: it is kept under the handle that stands for it. */
async function stubEdit(
  { segment, text, handle }: Stub,
  pieces: readonly Piece[],
  lane: Planning,
): Promise<readonly PieceEdit[]> {
  const piece = pieces[segment];
  if (piece === undefined) return [];
  const edit = { type: "replaced", piece: piece.id, text: await lane.texts.keep(text) } as const;
  if (piece.block.type !== "tool-call" || typeof piece.block.input !== "string") return [edit];
  return [{ ...edit, original: { handle, text: await lane.texts.keep(piece.block.input) } }];
}

async function blockEdit(
  { before, text, original }: FoldBlock,
  pieces: readonly Piece[],
  lane: Planning,
): Promise<PieceEdit> {
  return {
    type: "inserted",
    before: before === null ? null : (pieces[before]?.id ?? null),
    kind: "fold",
    text: await lane.texts.keep(text),
    original: { handle: original.handle, text: await lane.texts.keep(original.text) },
  };
}

/**
 * Ids of segments as ranges of the state's own lists. A range lies in one list and without a gap there: live and waiting
 * pieces and each call's results are dropped apart, what stands between two of them in the log stays, and what healing put
 * in is in no list.
 */
function dropEdits(
  drops: readonly (readonly [from: number, to: number])[],
  pieces: readonly Piece[],
  { live, waiting, calls }: State,
): readonly PieceEdit[] {
  const ids = drops.flatMap(([from, to]) => pieces.slice(from, to + 1).map(({ id }) => id));
  const lists = [live, waiting, ...calls.map((call) => call.pieces)];
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

type ResultPiece = Extract<Piece, { readonly role: "user" }> & { readonly block: { readonly type: "tool-result" } };

function isResult(piece: Piece): piece is ResultPiece {
  return piece.role === "user" && piece.block.type === "tool-result";
}
