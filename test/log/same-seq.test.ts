import { expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import type { Entry, EntryOf } from "../../src/log/entry.ts";
import { pendingPieces, reduceAll } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import { testModel } from "../support/world.ts";

const said = (seq: number, text: string): Entry => ({ seq, at: 1, type: "message-added", text });
const epoch = (seq: number, edits: EntryOf<"epoch-opened">["edits"]): Entry => ({
  seq,
  at: 1,
  type: "epoch-opened",
  reason: "compacted",
  detail: "",
  head: { tools: hashOf(""), system: hashOf("") },
  model: testModel,
  userContext: "",
  edits,
  cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
});

test("C-093 · entries of one number are pieces of their own: a break that names one leaves the others", () => {
  const entries = [said(2, "a"), said(3, "b"), said(3, "late"), said(3, "later"), said(4, "c")];
  const state = reduceAll(emptyState, entries);
  const pieces = pendingPieces(state);
  expect(new Set(pieces.map(({ id }) => id)).size).toBe(5);
  expect(pieces.every(({ id }, at) => Number.parseInt(id, 10) === entries[at]?.seq)).toBe(true);
  expect(state.seq).toBe(4);
  for (const { id } of pieces) {
    const left = pendingPieces(reduceAll(state, [epoch(5, [{ type: "dropped", from: id, to: id }])]));
    expect(left.map((piece) => piece.id)).toEqual(pieces.filter((piece) => piece.id !== id).map((piece) => piece.id));
  }
});
