import { expect, test } from "vitest";
import { resumable } from "../../src/agent/recover.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Entry, EntryBody } from "../../src/log/entry.ts";
import { noFacts } from "../../src/log/facts.ts";
import { asksForAnswer, pendingPieces, reduceAll } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { testModel } from "../support/world.ts";

const after = (...bodies: readonly EntryBody[]): State =>
  reduceAll(
    emptyState,
    bodies.map((body, at): Entry => ({ seq: at + 1, at, ...body })),
  );
const id = (text: string) => brand<"FactId">(text);
const propose = (name: string, by: "user" | "agent" = "user"): EntryBody => ({
  type: "fact-proposed",
  fact: id(name),
  text: `words of ${name}`,
  by,
});
const pin = (name: string, scope: "session" | "project" = "session"): EntryBody => ({
  type: "fact-pinned",
  fact: id(name),
  text: `words of ${name}`,
  scope,
});
const retire = (name: string): EntryBody => ({ type: "fact-retired", fact: id(name) });
const refuse = (name: string): EntryBody => ({ type: "fact-refused", fact: id(name) });

test("a proposal waits, is pinned or refused; what the user said himself is shown by his message", () => {
  const { facts } = after(propose("a"), propose("b", "agent"), propose("c"), pin("a"), pin("b"), refuse("c"), pin("d"));
  expect(facts.active.map(({ id, from }) => [id, from])).toEqual([
    ["a", "message"],
    ["b", "elsewhere"],
    ["d", "elsewhere"],
  ]);
  expect(facts).toMatchObject({ proposed: [], refused: ["c"], retired: [] });
});

test("pinned again it keeps its place; retired and pinned again it stands last and is retired no more", () => {
  const order = (state: State) => state.facts.active.map(({ id, scope }) => `${id} ${scope}`);
  expect(order(after(pin("a"), pin("b"), pin("a", "project")))).toEqual(["a project", "b session"]);
  const again = after(pin("a"), pin("b"), retire("a"), pin("a"));
  expect(order(again)).toEqual(["b session", "a session"]);
  expect(again.facts.retired).toEqual([]);
});

test("what says nothing new changes nothing, by reference", () => {
  const before = after(pin("a"), propose("b"), refuse("c"));
  for (const body of [propose("a"), propose("b"), refuse("c"), retire("z")])
    expect(reduceAll(before, [{ seq: 9, at: 9, ...body }]).facts).toBe(before.facts);
  expect(emptyState.facts).toBe(noFacts);
});

test("of proposals, refusals and retired facts the newest are remembered, bounds.factsRememberedMax of each", () => {
  const names = Array.from({ length: bounds.factsRememberedMax + 5 }, (_, at) => `f${at}`);
  const all = after(
    ...names.map((name) => propose(name)),
    ...names.flatMap((name) => [pin(`r${name}`), retire(`r${name}`)]),
  );
  expect(all.facts.proposed).toHaveLength(bounds.factsRememberedMax);
  expect(all.facts.retired).toHaveLength(bounds.factsRememberedMax);
  expect(all.facts.retired.at(-1)?.id).toBe(`rf${names.length - 1}`);
  const refusedAll = after(...names.map(refuse)).facts.refused;
  expect(refusedAll).toEqual(names.slice(-bounds.factsRememberedMax));
});

const epoch = (facts?: string): EntryBody => ({
  type: "epoch-opened",
  reason: "start",
  detail: "",
  head: { tools: brand("t"), system: brand("s") },
  model: testModel,
  userContext: "context",
  ...(facts === undefined ? {} : { facts }),
  edits: [],
  cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
});
const shown: EntryBody = { type: "facts-shown", text: "block" };
const sent: EntryBody = {
  type: "request-sent",
  request: brand("r"),
  purpose: "step",
  attempt: 1,
  segments: 1,
  chain: brand("c"),
  cacheKey: "k",
  marks: [],
  predicted: { promptTokens: 1, marginTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

test("a block that is shown waits as a reminder does; a break replaces every block, sent or not, by its own", () => {
  const waiting = after(epoch("front"), shown);
  expect(pendingPieces(waiting).some(asksForAnswer)).toBe(false);
  expect(waiting.live.map(({ id }) => id)).toEqual(["1.0", "1.facts"]);
  const broken = after(epoch("front"), shown, { type: "message-added", text: "m" }, sent, shown, epoch("newer"));
  const texts = [...broken.live, ...broken.waiting].map(({ block }) => (block.type === "text" ? block.text : ""));
  expect(texts).toEqual(["context", "newer", "m"]);
});

test("a turn broken off behind a block of facts goes on, where something in front of it waits for its answer", () => {
  const asked: EntryBody = { type: "message-added", text: "m" };
  const ended: EntryBody = { type: "turn-ended", reason: "interrupted", detail: "" };
  expect(resumable(after(epoch("front"), asked, sent, shown, sent, ended))).toBe("interrupted");
  expect(resumable(after(epoch("front"), shown, sent, ended))).toBeNull();
});
