import type { Piece } from "../log/block.ts";
import type { SummaryTry } from "../log/summary.ts";
import type { Doc } from "../prompt/doc.ts";
import { heal } from "../prompt/heal.ts";

/** The document as it asks for its summary, here and where a log is rendered again. */
export function askingDoc(doc: Doc, as: SummaryTry, text: string): Doc {
  return as === "native" ? { ...doc, asksSummary: true } : withInstruction(doc, text);
}

function withInstruction(doc: Doc, text: string): Doc {
  const piece: Piece = { id: "summary.0", role: "user", kind: "message", block: { type: "text", text } };
  return { ...doc, pieces: heal([...doc.pieces, piece]) };
}
