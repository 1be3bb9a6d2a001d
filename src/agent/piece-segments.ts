import { hashOf } from "../kernel/hash.ts";
import { madeOnce } from "../kernel/once.ts";
import type { AssistantBlock, Piece, UserBlock } from "../log/block.ts";
import type { Segment, SegmentKind } from "../prompt/segment.ts";

/**
 * Pieces as segments, one each and in order, whatever the wire makes of them (one joins texts, another leaves reasoning
 * out): what a reduction decides on these can be said in the log's own terms. Their ids are indexes into `pieces`.
 */
export function pieceSegments(pieces: readonly Piece[]): readonly Segment[] {
  return pieces.map((piece, id) => {
    const known = made(piece, () => segmentOf(piece, id));
    return known.id === id ? known : { ...known, id };
  });
}

const made = madeOnce<Piece, Segment>();

function segmentOf(piece: Piece, id: number): Segment {
  const { block } = piece;
  const kind = kinds[block.type];
  const text = shownText(block);
  const bytes = sizeOf(block);
  return {
    id,
    kind,
    // A summary of the provider's stands for work, as any other block in its place, and is nobody's answer.
    role: piece.role === "assistant" && block.type !== "compaction" ? "assistant" : "user",
    ...("callId" in block ? { callId: block.callId, tool: block.tool } : {}),
    hash: hashOf(`${kind}\n${text ?? piece.id}\n${bytes}`),
    text,
    span: [0, bytes],
    textSpans: [],
  };
}

type Block = AssistantBlock | UserBlock;

const kinds: Readonly<Record<Block["type"], SegmentKind>> = {
  text: "text",
  "tool-call": "tool-call",
  "tool-result": "tool-result",
  reasoning: "reasoning",
  compaction: "text",
  image: "image",
  opaque: "other",
};

function shownText(block: Block): string | null {
  if (block.type === "tool-call") return typeof block.input === "string" ? block.input : null;
  if (block.type !== "text" && block.type !== "tool-result" && block.type !== "compaction") return null;
  return typeof block.text === "string" ? block.text : null;
}

/** The longest of a block's texts: its `wire` is the block itself, where there is one. */
function sizeOf(block: Block): number {
  const texts = Object.values(block).filter((value) => typeof value === "string");
  return Math.max(1, ...texts.map((text) => text.length));
}
