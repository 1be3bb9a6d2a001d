import { describe, expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand, type Hash, mainLane } from "../../src/kernel/ids.ts";
import type { AssistantBlock, Piece } from "../../src/log/block.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { blobsOf, docOf, type Head, textOf } from "../../src/prompt/render.ts";
import { testModel } from "../support/world.ts";

const head: Head = { tools: [], system: [] };
const long = "long ".repeat(1_000);
const blob: Hash = hashOf(long);
const texts = { get: (hash: Hash) => (hash === blob ? long : undefined) };
const user = (text: Piece & { role: "user" }): Piece => text;
const said = (block: AssistantBlock, from: "anthropic" | "chat" = "anthropic"): Piece => ({
  id: "4.0",
  role: "assistant",
  from,
  block,
});
const message = user({
  id: "3.0",
  role: "user",
  kind: "message",
  block: { type: "text", text: { blob, chars: long.length } },
});

const state = (live: readonly Piece[], wire: "anthropic" | "chat" = "anthropic"): State => ({
  ...emptyState,
  started: { session: brand("s"), lane: mainLane, project: null, cwd: "/w" },
  epoch: { number: 1, seq: 2, reason: "start", head: { tools: blob, system: blob }, model: { ...testModel, wire } },
  live,
});

describe("docOf", () => {
  test("puts stored texts in their places, also inside an answer", () => {
    const answer = said({ type: "text", text: { blob, chars: 1 }, wire: { blob, chars: 1 } });
    const { pieces } = docOf(state([message, answer]), head, texts);
    expect(pieces.map(({ block }) => block)).toEqual([
      { type: "text", text: long },
      { type: "text", text: long, wire: long },
    ]);
  });

  test("is the same by reference for pieces that were rendered before", () => {
    const before = docOf(state([message]), head, texts);
    const later = docOf(state([message, said({ type: "text", text: "ok" })]), head, texts);
    expect(later.pieces[0]).toBe(before.pieces[0]);
  });

  test("a summary that the provider made goes back to its wire; its words go elsewhere, and where the block is lost", () => {
    const made = (wire: AssistantBlock & { readonly type: "compaction" }) => [said(wire), message];
    const whole = { type: "compaction", text: "in words", wire: { blob, chars: long.length } } as const;
    const lost = { ...whole, wire: { blob: hashOf("lost"), chars: 4 } };
    const words = { id: "4.0", role: "user", kind: "fold", block: { type: "text", text: "in words" } };
    expect(docOf(state(made(whole)), head, texts).pieces[0]?.block).toEqual({ ...whole, wire: long });
    expect(docOf(state(made(whole), "chat"), head, texts).pieces[0]).toEqual(words);
    expect(docOf(state(made(lost)), head, texts).pieces[0]).toEqual(words);
  });

  test("says that a stored text is gone instead of failing", () => {
    const lost = hashOf("lost");
    expect(textOf({ blob: lost, chars: 7 }, texts)).toBe(
      `(the stored text ${lost.slice(0, 12)} of 7 characters is missing)`,
    );
  });

  test("throws before an epoch is open: the driver opens one first", () => {
    expect(() => docOf(emptyState, head, texts)).toThrow("no epoch is open");
  });

  test("C-025 · says on another wire only what is ours to say again", () => {
    const call = { type: "tool-call", callId: brand<"CallId">("c"), tool: "t", input: "{}", wire: "{}" } as const;
    const result = user({
      id: "5.0",
      role: "user",
      kind: "result",
      block: { type: "tool-result", callId: brand("c"), tool: "t", text: "r", isError: false },
    });
    const live = [
      message,
      said({ type: "reasoning", text: "hm", wire: "{}" }),
      said({ type: "opaque", wire: "{}" }),
      said({ type: "text", text: "  ", wire: "{}" }),
      said({ type: "text", text: "ok", wire: "{}" }),
      said(call),
      result,
    ];
    const { wire: _wire, ...neutral } = call;
    expect(docOf(state(live, "chat"), head, texts).pieces.map(({ block }) => block)).toEqual([
      { type: "text", text: long },
      { type: "text", text: "ok" },
      neutral,
      result.block,
    ]);
    expect(docOf(state(live), head, texts).pieces).toHaveLength(live.length);
  });

  test("gives each lane its own cache key, the same from start to end", () => {
    expect(docOf(state([message]), head, texts).cacheKey).toBe("s-main");
  });
});

test("blobsOf names every stored text the next request needs, those that wait with it, and the inputs of open calls", () => {
  const [a, b] = [hashOf("a"), hashOf("b")];
  const waiting = user({
    id: "6.0",
    role: "user",
    kind: "message",
    block: { type: "text", text: { blob: a, chars: 1 } },
  });
  const calls: State["calls"] = [
    { callId: brand("c"), tool: "t", input: { blob: b, chars: 1 }, status: { type: "waiting" }, pieces: [] },
  ];
  expect(blobsOf({ ...state([message]), waiting: [waiting], calls })).toEqual([blob, a, b]);
});
