import { expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import type { Entry, EntryBody } from "../../src/log/entry.ts";
import { reduceAll } from "../../src/log/reduce.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { testModel } from "../support/world.ts";

const request = brand<"RequestId">("r1");
const scope = { kind: "upto", piece: "3.0" } as const;
const asked: EntryBody = { type: "summary-asked", request, as: "rolling", scope, why: "", text: "?" };
const made: EntryBody = { type: "summary-made", request, upto: "3.0", text: "said" };
const ended = (outcome: "accepted" | "larger" | "interrupted"): EntryBody => ({
  ...{ type: "summary-ended", request, outcome, detail: "", text: "said", usage: null, retryAfterMs: null },
});
const messages = (count: number) =>
  Array.from({ length: count }, (): EntryBody => ({ type: "message-added", text: "go on" }));
const opened = (reason: "compacted" | "undone" | "window-slid" | "cleared"): EntryBody => ({
  ...{ type: "epoch-opened", reason, detail: "", head: { tools: brand("t"), system: brand("s") }, model: testModel },
  ...{ userContext: "", edits: [], cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null } },
});
const after = (...entries: readonly EntryBody[]): State =>
  reduceAll(
    emptyState,
    entries.map((entry, at): Entry => ({ ...entry, seq: at + 1, at })),
  );

test("counts messages, and of a finished summary what it knows of: all but the message that was being answered", () => {
  const state = after(...messages(11), asked, made, ended("accepted"));
  expect(state.rolling).toEqual({
    rounds: 1,
    triedAt: 0,
    asked: null,
    made: { uptoSeq: 3, askedSeq: 12, text: "said" },
  });
  expect(after(...messages(11), asked, ...messages(2), made).rolling.rounds).toBe(3);
});

test("is nothing that a compaction waits for or uses", () => {
  expect(after(...messages(1), asked).summary).toMatchObject({ asked: null, tries: [] });
  expect(after(...messages(1), asked, made, ended("accepted")).summary).toMatchObject({ made: null, failedInARow: 0 });
});

test("one that came to nothing, or of which nobody knows, counts as tried; one that was only broken off does not", () => {
  expect(after(...messages(11), asked, ended("larger")).rolling).toMatchObject({
    rounds: 11,
    triedAt: 10,
    asked: null,
  });
  const lost: EntryBody = { type: "outcome-unknown", what: "request", request };
  expect(after(...messages(11), asked, lost).rolling).toMatchObject({ rounds: 11, triedAt: 10, asked: null });
  expect(after(...messages(11), asked, ended("interrupted")).rolling).toMatchObject({ triedAt: 0, asked: null });
});

test("the newest takes the place of the one before it", () => {
  const next = brand<"RequestId">("r2");
  const again: EntryBody = { type: "summary-made", request: next, upto: "9.0", text: "newer" };
  const state = after(...messages(4), asked, made, ended("accepted"), { ...asked, request: next }, again);
  expect(state.rolling.made).toMatchObject({ uptoSeq: 9, text: "newer" });
});

test("an end whose beginning was lost changes nothing", () => {
  expect(after(...messages(2), made, ended("accepted")).rolling).toEqual({
    rounds: 2,
    triedAt: 0,
    asked: null,
    made: null,
  });
});

test.each(["compacted", "undone"] as const)("begins anew when a session was %s: it is of other rounds", (reason) => {
  const state = after(...messages(3), asked, opened(reason), made);
  expect(state.rolling).toMatchObject({ asked: null, made: null, rounds: 0 });
});

test.each(["window-slid", "cleared"] as const)("goes on over a break that is %s", (reason) => {
  expect(after(...messages(3), asked, opened(reason), made).rolling.made).toMatchObject({ text: "said" });
});
