import { charsOfText, type Piece, type Text } from "../log/block.ts";
import type { BlobText, ItemBody } from "./transcript.ts";

/** One piece of our prompt as one item. */
export function varvePieces(blobText: BlobText) {
  const textOf = (text: Text): string => {
    if (typeof text === "string") return text;
    return blobText(text.blob) ?? `[${text.chars} characters in the blob ${text.blob.slice(0, 12)}]`;
  };
  return (piece: Piece, request: string | null): ItemBody =>
    piece.role === "assistant" ? answerBody(piece, request, textOf) : userBody(piece, textOf);
}

type TextOf = (text: Text) => string;

function answerBody(
  { block }: Extract<Piece, { role: "assistant" }>,
  request: string | null,
  textOf: TextOf,
): ItemBody {
  if (block.type === "text") return { type: "text", request, text: textOf(block.text) };
  if (block.type === "tool-call")
    return { type: "call", request, callId: block.callId, tool: block.tool, input: textOf(block.input) };
  if (block.type === "compaction") return { type: "message", from: "summary", text: textOf(block.text), images: 0 };
  if (block.type === "opaque") return { type: "reasoning", request, text: "", opaqueChars: charsOfText(block.wire) };
  const text = textOf(block.text);
  const opaqueChars = Math.max(0, charsOfText(block.wire ?? "") - text.length);
  return { type: "reasoning", request, text, opaqueChars };
}

function userBody(piece: Exclude<Piece, { role: "assistant" }>, textOf: TextOf): ItemBody {
  const { block } = piece;
  if (block.type === "image") return { type: "message", from: "injected", text: "", images: 1 };
  if (block.type === "tool-result") {
    const { callId, tool, isError } = block;
    return { type: "result", callId, tool, text: textOf(block.text), failed: isError, images: 0 };
  }
  const from = piece.kind === "message" ? "typed" : piece.kind === "fold" ? "summary" : "injected";
  return { type: "message", from, text: textOf(block.text), images: 0 };
}
