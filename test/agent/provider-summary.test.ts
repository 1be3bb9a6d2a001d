import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { promptTokensOf, type Wire } from "../../src/kernel/usage.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { decodedBody } from "../support/bodies.ts";
import {
  bare,
  brokenPrefixes,
  choiceOf,
  compacted,
  faulty,
  type Given,
  isAsk,
  isPrefix,
  models,
  of,
  strayed,
  summaryIn,
  tries,
  worked,
} from "../support/summing-service.ts";

describe.each(models)("%s %s sums up by itself", (wire, model) => {
  test("three times in a row and more: nothing is refused or dropped, what was sent only grows, and the log tells it again", async () => {
    const { requests, world, session } = await worked(wire, model, 4);
    // Another process goes on from the log alone.
    const again = await world.open(await world.takeOver());
    for (let turn = 4; turn < 7; turn++) expect(await again.prompt(`task ${turn}`)).toMatchObject({ reason: "done" });
    expect(session.state().seq).toBeLessThan(again.state().seq);
    const entries = await world.entries();
    expect(faulty(requests())).toEqual([]);
    expect(requests().flatMap(({ dropped }) => dropped)).toEqual([]);
    expect(compacted(entries).length).toBeGreaterThanOrEqual(3);
    expect(new Set(tries(entries))).toEqual(new Set(["native: accepted"]));
    expect(compacted(entries).every(({ summary }) => summary?.from === wire)).toBe(true);
    expect(brokenPrefixes(requests())).toEqual([]);
    expect(await strayed(world)).toEqual([]);
    const behind = requests().slice(requests().findIndex(isAsk) + 1);
    for (const record of behind) {
      const head = record.segments.findLastIndex(({ role }, at) => at < summaryIn(record) && /tools|system/.test(role));
      expect(summaryIn(record)).toBe(head + 1);
      expect(record.segments.filter(({ kind }) => kind === "summary")).toHaveLength(1);
      if (!isAsk(record)) expect(wellformed(decodedBody(record.body, wire))).toBeNull();
    }
  });

  test("the request for it is the step that was due, read from the cache; what it cost is counted", async () => {
    const { requests, world } = await worked(wire, model, 3);
    const at = requests().findIndex(isAsk);
    const [step, ask] = requests().slice(at - 1, at + 1);
    if (step === undefined || ask === undefined) return expect.fail("no summary was asked for");
    expect(isPrefix(bare(step), bare(ask))).toBe(true);
    expect(ask.readTokens).toBeGreaterThan(0.9 * step.promptTokens);
    const usage = of(await world.entries(), "summary-ended")[0]?.usage;
    expect(usage).toMatchObject({ output: ask.outputTokens, cacheRead: ask.readTokens });
    expect(promptTokensOf(usage ?? expect.fail("no usage"))).toBe(ask.promptTokens);
  });

  test("by hand, between turns; undone, the former request is a prefix of the next", async () => {
    const { requests, session, world } = await worked(wire, model, 1, { windowTokens: 100_000 });
    const former = requests().at(-1) ?? expect.fail("nothing was sent");
    expect(await session.compact()).toMatchObject({ type: "compacted", by: "provider" });
    expect(tries(await world.entries())).toEqual(["native: accepted"]);
    expect(await session.prompt("task 1")).toMatchObject({ reason: "done" });
    expect(summaryIn(requests().at(-1) ?? former)).toBeGreaterThan(0);
    expect(await session.undo()).toMatchObject({ type: "undone" });
    const count = requests().length;
    expect(await session.prompt("task 2")).toMatchObject({ reason: "done" });
    expect(faulty(requests())).toEqual([]);
    const next = requests()[count] ?? former;
    expect(isPrefix(bare(former), bare(next))).toBe(true);
    expect(next.body).not.toContain(`"type":"compaction"`);
    expect(await strayed(world)).toEqual([]);
  });

  test("a part of the work, or what the user names, is asked of the model", async () => {
    const { session, world } = await worked(wire, model, 1);
    expect(await session.compact({ focus: "the files" })).toMatchObject({ type: "compacted", by: "model" });
    expect(tries(await world.entries())).toEqual(["ride: accepted"]);
  });
});

/** One model of each wire stands for it. */
const oneEach = models.filter((_, at) => at % 2 === 1);

describe.each(oneEach)("%s %s: where it fails, our own ladder goes on", (wire, model) => {
  test.each<[string, string, Given]>([
    ["is limited", "rate-limited", { faults: ["rate-limit:1/summary"] }],
    ["is refused", "unsupported", { faults: ["bad-request/summary"] }],
    ["is too long", "too-long", { faults: ["too-large/summary"] }],
    ["breaks off", "failed", { faults: ["early-end/summary"] }],
    ["is cut short", "truncated", { behaviours: ["truncated"] }],
  ])("when it %s", async (_name, outcome, given) => {
    const { world, requests } = await worked(wire, model, 3, given);
    const said = tries(await world.entries());
    expect(said[0]).toBe(`native: ${outcome}`);
    expect(said[1]).toBe(outcome === "too-long" ? "short: accepted" : "ride: accepted");
    expect(compacted(await world.entries())[0]?.summary).toBeUndefined();
    expect(requests().filter(({ violation }) => violation !== null)).toEqual([]);
  });

  test("one that was refused for the model is not asked for again, until another model is chosen", async () => {
    const given = { faults: ["bad-request/summary"], windowTokens: 100_000 };
    const { session, world } = await worked(wire, model, 1, given);
    expect(await session.compact()).toMatchObject({ type: "compacted", by: "model" });
    expect(await session.prompt("task 1")).toMatchObject({ reason: "done" });
    expect(await session.compact()).toMatchObject({ type: "compacted", by: "model" });
    expect(tries(await world.entries())).toEqual(["native: unsupported", "ride: accepted", "ride: accepted"]);
    const [other] = models.find(([of, name]) => of === wire && name !== model)?.slice(1) ?? [];
    await session.chooseModel(choiceOf(wire, other ?? model));
    expect(await session.prompt("task 2")).toMatchObject({ reason: "done" });
    expect(await session.compact()).toMatchObject({ type: "compacted", by: "provider" });
  });

  test("when nothing helps: at most bounds.summaryTriesMax calls, then the fold", async () => {
    const behaviours = Array.from({ length: 9 }, () => "empty" as const);
    const { world } = await worked(wire, model, 3, { behaviours });
    const entries = await world.entries();
    const first = compacted(entries)[0]?.seq ?? expect.fail("nothing was compacted");
    expect(tries(entries.filter(({ seq }) => seq < first)).length).toBeLessThanOrEqual(bounds.summaryTriesMax);
    expect(compacted(entries)[0]?.detail).toContain("folded without a model");
  });
});

test.each<[Wire, string]>([
  ["anthropic", "sim-plain"],
  ["chat", "sim-chat"],
  ["gemini", "gemini-4-argon"],
  ["responses", "sim-responses"],
])("%s %s has none of its own: the model is asked", async (wire, model) => {
  const { world, requests } = await worked(wire, model, 3);
  expect(new Set(tries(await world.entries()))).toEqual(new Set(["ride: accepted"]));
  expect(requests().some(isAsk)).toBe(false);
});

describe("another model goes on", () => {
  test.each<[Wire, string, Wire, string]>([
    ["anthropic", "claude-sonnet-5-5", "anthropic", "claude-opus-5"],
    ["anthropic", "claude-sonnet-5-5", "responses", "gpt-6.2-sol"],
    ["anthropic", "claude-opus-5", "gemini", "gemini-4-argon"],
    ["responses", "gpt-6.2-sol", "anthropic", "claude-sonnet-5-5"],
    ["responses", "gpt-6-sol", "responses", "gpt-6.2-sol"],
    ["responses", "gpt-6.2-sol", "chat", "sim-chat"],
  ])("%s %s, then %s %s: it reads the summary as a text, or the list of the work", async (wire, model, next, other) => {
    const { session, requests, world } = await worked(wire, model, 1);
    await session.compact();
    expect(await session.prompt("task 1")).toMatchObject({ reason: "done" });
    await session.chooseModel(choiceOf(next, other));
    const count = requests().length;
    expect(await session.prompt("task 2")).toMatchObject({ reason: "done" });
    const body = requests()[count]?.body ?? "";
    expect(body).not.toMatch(/"type":"compaction"/);
    expect(body).toMatch(wire === "anthropic" ? /The user asked: task 0/ : /- look .*\/f0\.ts/);
    expect(faulty(requests())).toEqual([]);
    expect(await strayed(world)).toEqual([]);
  });
});
