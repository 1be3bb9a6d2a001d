import type { CallId } from "../kernel/ids.ts";
import type { Piece } from "../log/block.ts";

/**
 * The first rule of PROTOCOLS A.12 that the pieces break, as text for people, or null. Providers answer each of these
 * with a 400, so the agent asks before it sends (law 4). Strict for both wires: what passes here is legal on each. A provider
 * that is asked to sum up may be given a conversation that ends with an answer.
 */
export function wellformed(pieces: readonly Piece[], asksFor: "answer" | "summary" = "answer"): string | null {
  const walk: Walk = { open: new Set(), seen: new Set(), before: null };
  for (const piece of pieces) {
    const broken = checks[piece.role](walk, piece);
    if (broken !== null) return `${piece.id}: ${broken}`;
    walk.before = piece;
  }
  if (walk.open.size > 0) return `calls without a result: ${[...walk.open].join(", ")}`;
  if (walk.before === null) return "there is no message";
  return asksFor === "answer" && walk.before.role === "assistant" ? "the last message is the assistant's" : null;
}

type Walk = { readonly open: Set<CallId>; readonly seen: Set<CallId>; before: Piece | null };

const checks: Readonly<Record<Piece["role"], (walk: Walk, piece: Piece) => string | null>> = {
  assistant(walk, piece) {
    if (piece.role !== "assistant") return null;
    // What the provider made of earlier work stands first.
    if (walk.before === null) return piece.block.type === "compaction" ? null : "the first message is the assistant's";
    if (walk.open.size > 0 && !isSameMessage(walk.before, piece)) return `no result of ${[...walk.open].join(", ")}`;
    if (piece.block.type !== "tool-call") return null;
    const { callId } = piece.block;
    if (callId === "") return "a call without an id";
    if (walk.seen.has(callId)) return `the call id ${callId} is used twice`;
    walk.seen.add(callId);
    walk.open.add(callId);
    return null;
  },
  user(walk, piece) {
    if (piece.role !== "user") return null;
    const { block } = piece;
    if (block.type === "tool-result") {
      if (walk.open.delete(block.callId)) return null;
      return `the result of ${block.callId} answers no open call`;
    }
    if (walk.open.size > 0) return `stands before the result of ${[...walk.open].join(", ")}`;
    if (walk.before?.role === "system") return "a user block behind a system text";
    return block.type === "text" && isBlank(block.text) ? "an empty text" : null;
  },
  system(walk, piece) {
    if (piece.role !== "system") return null;
    if (walk.before === null) return "a system text before the first message";
    if (walk.open.size > 0) return "a system text between a call and its result";
    if (walk.before.role === "assistant") return "a system text right behind the assistant's message";
    return isBlank(piece.block.text) ? "an empty text" : null;
  },
};

/** Calls of one message share the entry that brought them: `<seq>.<index>`. */
function isSameMessage(a: Piece, b: Piece): boolean {
  return a.role === "assistant" && a.id.slice(0, a.id.lastIndexOf(".")) === b.id.slice(0, b.id.lastIndexOf("."));
}

function isBlank(text: unknown): boolean {
  return typeof text === "string" && text.trim() === "";
}
