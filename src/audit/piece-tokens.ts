import { initialEstimate } from "../budget/learn.ts";
import { measure } from "../budget/measure.ts";
import { own } from "../kernel/own.ts";
import { reasoningOf } from "../ledger/rules.ts";
import { charsOfText, type Piece } from "../log/block.ts";
import type { State } from "../log/state.ts";
import { type Texts, textOf } from "../prompt/render.ts";

/** Tokens of a piece in a prompt of the state's model, by what a session learned of how that one counts. */
export function pieceTokens(estimates: State["estimates"], texts: Texts): (piece: Piece, state: State) => number {
  return (piece, { epoch }) => {
    if (epoch === null) return 0;
    const { wire, model } = epoch.model;
    // Nobody pays for reasoning that is not shown again.
    if (piece.block.type === "reasoning" && (wire === "chat" || reasoningOf(wire, model) === "left-out")) return 0;
    const { code, json, prose, cjk, marks, fixed } = measure(partOf(piece, texts));
    const { factors } = own(estimates, model) ?? initialEstimate;
    const text = code * factors.code + json * factors.json + prose * factors.prose + cjk * factors.cjk;
    return text + marks * (factors.marks ?? 1) + fixed;
  };
}

function partOf({ block }: Piece, texts: Texts): Parameters<typeof measure>[0] {
  if (block.type === "image") return { kind: "image", text: null, bytes: 0 };
  if (block.type === "opaque") return { kind: "other", text: null, bytes: charsOfText(block.wire) };
  if (block.type === "reasoning")
    return { kind: "reasoning", text: null, bytes: Math.max(charsOfText(block.text), charsOfText(block.wire ?? "")) };
  if (block.type === "tool-call") return { kind: "tool-call", text: textOf(block.input, texts), bytes: 0 };
  const kind = block.type === "tool-result" ? "tool-result" : "text";
  return { kind, text: textOf(block.text, texts), bytes: 0 };
}
