import { growing } from "../kernel/growing.ts";
import type { Piece } from "../log/block.ts";
import type { ModelChoice } from "../log/entry.ts";
import type { Doc } from "../prompt/doc.ts";
import type { Segment } from "../prompt/segment.ts";
import { type Draft, numbering } from "./draft.ts";

/** What of a document its conversation is rendered by. */
export type Setting = Pick<Doc, "model" | "tools">;

/** How a wire cuts what it renders. */
type Drafting = {
  readonly head: (doc: Doc) => readonly Draft[];
  /** All pieces, or those from a place on where an answer begins. */
  readonly pieces: (pieces: readonly Piece[], setting: Setting, before: readonly Piece[]) => readonly Draft[];
  /** What gives the drafts their ids, one after another. */
  readonly numbering?: () => (draft: Draft) => Segment;
};

/** `segmentsOfDoc` of a wire: of a conversation that grew only what was added is rendered, cut and numbered. */
export function growingSegments(wire: Drafting): (doc: Doc) => readonly Segment[] {
  const draftsOf = growing<Piece, Draft, Setting, Setting>({
    start: (setting) => setting,
    isCut: beginsAnswer,
    make: wire.pieces,
  });
  const segmentsOf = growing<Draft, Segment, undefined, (draft: Draft) => Segment>({
    start: wire.numbering ?? numbering,
    make: (part, segmentOf) => part.map((draft) => segmentOf(draft)),
  });
  return (doc) => segmentsOf([...wire.head(doc), ...draftsOf(doc.pieces, settingOf(doc))], undefined);
}

const settings = new WeakMap<ModelChoice, Setting>();

/** The same object while both are the same. */
function settingOf({ model, tools }: Doc): Setting {
  const known = settings.get(model);
  if (known?.tools === tools) return known;
  const made = { model, tools };
  settings.set(model, made);
  return made;
}

/** No message, and nothing that a wire looks at around a piece, reaches over such a place. */
function beginsAnswer(pieces: readonly Piece[], at: number): boolean {
  const before = pieces[at - 1];
  return pieces[at]?.role === "assistant" && before?.role !== "assistant" && before?.block.type !== "image";
}
