import type { Piece, Text } from "../log/block.ts";
import type { EntryBody, PieceEdit } from "../log/entry.ts";
import { reduce } from "../log/reduce.ts";
import { shownIn } from "../log/shown.ts";
import type { State } from "../log/state.ts";
import { blobsOf, textOf } from "../prompt/render.ts";
import type { Memo } from "../reduction/memo.ts";
import type { Written } from "../reduction/plan-parts.ts";
import { settledPointers } from "../reduction/pointers.ts";
import { handleIn } from "./handle-in.ts";
import type { Lane } from "./lane.ts";
import { pieceSegments } from "./piece-segments.ts";
import type { TextCache } from "./texts.ts";

/** What a plan knows of the pointers in these pieces, whose texts are at hand. */
export function pointersIn(pieces: readonly Piece[]): Pick<Memo, "pointersOf" | "nameOf"> {
  return {
    nameOf: ({ id }) => pieces[id]?.id ?? "",
    pointersOf: ({ id }) => {
      const block = pieces[id]?.block;
      if (block?.type !== "tool-result" || block.pointers === undefined) return null;
      const { full, points } = block.pointers;
      return typeof full === "string" ? { full, points } : null;
    },
  };
}

/**
 * Entries with what each break among them has to write anew, so that every pointer still leads to lines the next request
 * shows: whatever the break takes away, and for whatever reason.
 */
export async function settled(
  entries: readonly EntryBody[],
  lane: Pick<Lane, "state" | "texts">,
): Promise<readonly EntryBody[]> {
  const made: EntryBody[] = [];
  let state = lane.state();
  for (const entry of entries) {
    const next = reduce(state, { ...entry, seq: state.seq + 1, at: state.at });
    made.push(...(entry.type === "epoch-opened" ? await settledBreak(entry, next, lane.texts) : [entry]));
    state = next;
  }
  return made;
}

type Break = Extract<EntryBody, { readonly type: "epoch-opened" }>;

/** Results that were sent are edited by the break; of those that were not, the form is still free. */
async function settledBreak(entry: Break, after: State, texts: TextCache): Promise<readonly EntryBody[]> {
  const edits: PieceEdit[] = [];
  const forms: EntryBody[] = [];
  const sent = new Set(after.live.map(({ id }) => id));
  // An undone break brings back what the prompt did not show any more.
  const shown = shownIn(after);
  if (shown.some(isPointed)) await texts.load(blobsOf(after));
  const pieces = workOf(shown, texts);
  for (const { segment, text, pointers } of writtenOut(pieces, sent, after)) {
    const piece = pieces[segment];
    if (piece?.block.type !== "tool-result") continue;
    const { callId } = piece.block;
    const fixed = {
      text: await texts.keep(text),
      ...(pointers === null ? {} : { pointers: { ...pointers, full: await texts.keep(pointers.full) } }),
    };
    const handle = handleIn(after, callId);
    if (sent.has(piece.id)) edits.push({ type: "replaced", piece: piece.id, ...fixed });
    else if (handle !== null) forms.push({ type: "form-fixed", callId, handle, ...fixed });
  }
  const { providerClearing: _, ...own } = entry;
  const opened = isOursToClear(shown) ? own : entry;
  return [edits.length === 0 ? opened : { ...opened, edits: [...opened.edits, ...edits] }, ...forms];
}

/** What the provider clears may be what a pointer leads to; and beside a summary of its own it clears nothing (PROTOCOLS A.5). */
function isOursToClear(shown: readonly Piece[]): boolean {
  return shown.some(isPointed) || shown[0]?.block.type === "compaction";
}

function isPointed({ block }: Piece): boolean {
  return block.type === "tool-result" && block.pointers !== undefined;
}

function writtenOut(pieces: readonly Piece[], sent: ReadonlySet<string>, after: State): readonly Written[] {
  if (!pieces.some(isPointed)) return [];
  const known = {
    ...pointersIn(pieces),
    handleOf: (callId: string) => handleIn(after, callId),
    isUnsent: (segment: number) => !sent.has(pieces[segment]?.id ?? ""),
  };
  return settledPointers(pieceSegments(pieces), known, ({ text }) => text);
}

/** Calls and results, with their texts. */
function workOf(pieces: readonly Piece[], texts: TextCache): readonly Piece[] {
  return pieces.flatMap((piece): readonly Piece[] => {
    const { block } = piece;
    if (block.type === "tool-call" && piece.role === "assistant")
      return [{ ...piece, block: { ...block, input: textOf(block.input, texts) } }];
    if (block.type !== "tool-result" || piece.role !== "user") return [];
    const { pointers, ...result } = block;
    const whole = pointers === undefined ? undefined : knownText(pointers.full, texts);
    const read = { ...result, text: textOf(result.text, texts) };
    if (pointers === undefined || whole === undefined) return [{ ...piece, block: read }];
    return [{ ...piece, block: { ...read, pointers: { ...pointers, full: whole } } }];
  });
}

/** What was lost or redacted cannot be written out. */
function knownText(text: Text, texts: TextCache): string | undefined {
  return typeof text === "string" ? text : texts.get(text.blob);
}
