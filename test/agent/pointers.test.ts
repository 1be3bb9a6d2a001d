import { describe, expect, test } from "vitest";
import { pointedForm } from "../../src/agent/pointed-form.ts";
import { settled } from "../../src/agent/pointers.ts";
import { textCache } from "../../src/agent/texts.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand, type Hash } from "../../src/kernel/ids.ts";
import type { Piece } from "../../src/log/block.ts";
import type { EntryBody, EntryOf } from "../../src/log/entry.ts";
import { pendingPieces, reduce } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { textOf } from "../../src/prompt/render.ts";
import { lostPointers, pointersOf } from "../support/resolved.ts";
import { testModel } from "../support/world.ts";

const hash = hashOf("x");
const rows = Array.from({ length: 400 }, (_, at) => `${at + 1}\trow ${at + 1} of a file, with words of its own`);
const part = (name: string, from: number, to: number) =>
  [`begin ${name}`, ...rows.slice(from - 1, to), `end ${name}`].join("\n");

const epoch = (changes: Partial<EntryOf<"epoch-opened">> = {}): EntryBody => ({
  type: "epoch-opened",
  reason: "start",
  detail: "",
  head: { tools: hash, system: hash },
  model: testModel,
  userContext: "context",
  edits: [],
  cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
  ...changes,
});

/** A lane's log without its loop: what is read in each step enters as the agent makes it enter. */
function lane() {
  const blobs = new Map<Hash, string>();
  const texts = textCache({
    getBlob: async (name) => blobs.get(name) ?? null,
    putBlob: async (text) => {
      blobs.set(hashOf(text), text);
      return hashOf(text);
    },
  });
  const originals = new Map<string, string>();
  let state: State = emptyState;
  let steps = 0;
  const append = (...entries: readonly EntryBody[]) => {
    for (const entry of entries) state = reduce(state, { ...entry, seq: state.seq + 1, at: 0 });
  };
  const shown = { state: () => state, texts };
  append(epoch(), { type: "message-added", text: "go" });
  const sent = (): EntryBody => ({
    type: "request-sent",
    request: brand(`r${++steps}`),
    purpose: "step",
    attempt: 1,
    segments: 3,
    chain: hash,
    cacheKey: "k",
    marks: [],
    predicted: { promptTokens: 10, marginTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  });
  return {
    texts,
    blobs,
    state: () => state,
    /** Asks for it, and gets it; what came before is sent with the request. */
    async read(name: string, text: string, tool = "Read") {
      const request = sent();
      append(request, {
        type: "response-received",
        request: brand(`r${steps}`),
        wire: "anthropic",
        model: "m",
        messageId: "m",
        blocks: [{ type: "tool-call", callId: brand(name), tool, input: `{"path":"src/${name}.ts"}` }],
        stop: "tool-use",
        usage: null,
        firstTokenMs: null,
        report: null,
      });
      const handle = handleOf(hashOf(text));
      originals.set(handle, text);
      const call = `{"path":"src/${name}.ts"}`;
      const input = { tool, text, exitCode: null, form: "range", handle, call } as const;
      const made = pointedForm(input, { whole: true, text }, shown);
      const output = await texts.keep(text);
      append({
        type: "tool-returned",
        callId: brand(name),
        tool,
        ending: "done",
        output,
        handle,
        exitCode: null,
        files: [],
        images: [],
      });
      if (made === null) return;
      const pointers = { full: await texts.keep(made.full), points: made.points };
      append({ type: "form-fixed", callId: brand(name), handle, text: await texts.keep(made.text), pointers });
    },
    send: () => append(sent()),
    async break(changes: Partial<EntryOf<"epoch-opened">>) {
      const entries = await settled([epoch(changes)], shown);
      append(...entries);
      return entries;
    },
    /** By call, as the next request has them. */
    async results() {
      const pieces = [...state.live, ...pendingPieces(state)];
      const found = new Map<string, string>();
      for (const { block } of pieces)
        if (block.type === "tool-result") {
          if (typeof block.text !== "string") await texts.load([block.text.blob]);
          found.set(block.callId, textOf(block.text, texts));
        }
      return found;
    },
    lost: (results: ReadonlyMap<string, string>) =>
      lostPointers(
        [...results.values()].map((text) => ({ text, isResult: true })),
        (handle) => originals.get(handle) ?? null,
      ),
  };
}

const idOf = (state: State, callId: string) =>
  [...state.live, ...pendingPieces(state)].find((piece: Piece) => isResult(piece, callId))?.id ?? "";
const isResult = ({ block }: Piece, callId: string) => block.type === "tool-result" && block.callId === callId;
const dropping = (state: State, callId: string) => {
  const id = idOf(state, callId);
  return { type: "dropped", from: id, to: id } as const;
};

describe("a break settles the pointers into what it takes away", () => {
  test("of results that were sent by an edit of the break itself", async () => {
    const one = lane();
    await one.read("a", part("a", 1, 200));
    await one.read("b", part("b", 1, 150));
    one.send();
    expect(pointersOf((await one.results()).get("b") ?? "")).toHaveLength(1);
    const entries = await one.break({ reason: "compacted", edits: [dropping(one.state(), "a")] });
    expect(entries.map(({ type }) => type)).toEqual(["epoch-opened"]);
    expect([...(await one.results())]).toEqual([["b", part("b", 1, 150)]]);
  });

  test("of one that was not sent by its form, which is still free", async () => {
    const one = lane();
    await one.read("a", part("a", 1, 200));
    await one.read("b", part("b", 1, 150));
    const entries = await one.break({ reason: "compacted", edits: [dropping(one.state(), "a")] });
    expect(entries.map(({ type }) => type)).toEqual(["epoch-opened", "form-fixed"]);
    expect([...(await one.results())]).toEqual([["b", part("b", 1, 150)]]);
  });

  test("older ones lead on to what was written out, and are settled again when that goes", async () => {
    const one = lane();
    await one.read("a", part("a", 1, 200));
    await one.read("b", part("b", 1, 150));
    await one.read("c", part("c", 1, 180));
    one.send();
    await one.break({ reason: "compacted", edits: [dropping(one.state(), "a")] });
    const results = await one.results();
    expect(results.get("c")).toBe(part("c", 1, 180));
    expect(pointersOf(results.get("b") ?? "")).toHaveLength(1);
    expect(one.lost(results)).toEqual([]);
    await one.break({ reason: "compacted", edits: [dropping(one.state(), "c")] });
    expect([...(await one.results())]).toEqual([["b", part("b", 1, 150)]]);
  });

  test("a break that takes no result away writes nothing out", async () => {
    const one = lane();
    await one.read("a", part("a", 1, 200));
    await one.read("b", part("b", 1, 150));
    one.send();
    expect(await one.break({ reason: "model-changed" })).toEqual([epoch({ reason: "model-changed" })]);
  });
});

test("undo brings a carrier back as it was, and what led to its place meanwhile is written out", async () => {
  const one = lane();
  await one.read("a", part("a", 1, 200));
  await one.read("b", part("b", 1, 150));
  one.send();
  const before = await one.results();
  await one.break({ reason: "compacted", edits: [dropping(one.state(), "a")] });
  one.texts.prune([]);
  await one.texts.load([...one.blobs.keys()]);
  await one.read("c", part("c", 1, 120));
  one.send();
  expect(pointersOf((await one.results()).get("c") ?? "")).toHaveLength(1);
  one.texts.prune([]);
  one.texts.prune([]);
  await one.break({ reason: "undone" });
  const after = await one.results();
  expect(after.get("a")).toBe(before.get("a"));
  expect(after.get("b")).toBe(before.get("b"));
  expect(after.get("c")).toBe(part("c", 1, 120));
  expect(one.lost(after)).toEqual([]);
});

test("a form whose lines are lost stays as it was sent", async () => {
  const one = lane();
  await one.read("a", part("a", 1, 200));
  await one.read("b", part("b", 1, 150));
  one.send();
  const said = (await one.results()).get("b");
  one.texts.prune([]);
  one.texts.prune([]);
  one.blobs.delete(hashOf(part("b", 1, 150)));
  await one.break({ reason: "history-damaged", edits: [dropping(one.state(), "a")] });
  expect([...(await one.results())]).toEqual([["b", said]]);
});

test("M-22 · what declares tools may stand without its words: nothing leads to it, and it leads nowhere", async () => {
  const searched = lane();
  const search = part("s", 1, 60);
  await searched.read("s", search, "ToolSearch");
  await searched.read("a", part("a", 1, 60));
  await searched.read("t", part("t", 1, 60), "ToolSearch");
  searched.send();
  const results = await searched.results();
  expect(["s", "a", "t"].map((name) => pointersOf(results.get(name) ?? "").length)).toEqual([0, 0, 0]);
  await searched.read("b", part("b", 1, 60));
  expect(pointersOf((await searched.results()).get("b") ?? "")).toHaveLength(1);
});
