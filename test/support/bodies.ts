import type { Wire } from "../../src/kernel/usage.ts";
import type { Piece } from "../../src/log/block.ts";
import type { Segment } from "../../src/prompt/segment.ts";
import { codecFor } from "../../src/provider/codecs.ts";

/** What was really sent, read back from its bytes. */
export function decodedBody(body: string, wire: Wire = "anthropic"): readonly Piece[] {
  return codecFor(wire).decodeForeign(new TextEncoder().encode(body)).pieces;
}

export function segmentsOf(body: string, wire: Wire = "anthropic"): readonly Segment[] {
  return codecFor(wire).segments(new TextEncoder().encode(body));
}

/** Texts of one body in order, with their roles. */
export function saidIn(body: string, wire: Wire = "anthropic"): readonly string[] {
  return segmentsOf(body, wire)
    .filter(({ role }) => role === "user" || role === "assistant")
    .map(({ role, kind, text }) => `${role} ${kind}: ${text ?? ""}`);
}
