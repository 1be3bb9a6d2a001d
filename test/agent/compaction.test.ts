import { describe, expect, test } from "vitest";
import type { Reductions } from "../../src/agent/reductions.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Entry } from "../../src/log/entry.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { summaryHeadings } from "../../src/reduction/summary-request.ts";
import type { ManualClock } from "../../src/testing/manual-clock.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { todoWriteTool } from "../../src/tools/todo-write.ts";
import { decodedBody } from "../support/bodies.ts";
import { settled } from "../support/gated.ts";
import { fakeTool, testWorld } from "../support/world.ts";

const summaries: Reductions = { clearing: "off", collapsing: "off", summaries: "model" };
const words = (tokens: number) => "word ".repeat(Math.ceil((tokens * 4) / 5));
const summaryText = (mark: string) =>
  `<summary>\n${summaryHeadings.map((heading, at) => `${heading}\n- ${mark} point ${at}`).join("\n\n")}\n</summary>`;

const httpError = (status: number, message: string, headers: Record<string, string> = {}): ScriptedReply => ({
  fail: {
    type: "http-error",
    status,
    headers,
    body: { type: "error", error: { type: "invalid_request_error", message } },
  },
});
const good: ScriptedReply = { text: summaryText("sealed") };

/** Works in steps of one look each, six to a message; a request for a summary is answered from the queue, then well. */
function worker(queue: readonly ScriptedReply[], stepsPerTurn = 12) {
  const steps: string[] = [];
  const asks: string[] = [];
  let inTurn = 0;
  const model: Model = {
    async *stream(request, signal): AsyncIterable<WireEvent> {
      const promptTokens = Math.ceil(request.body.length / 4);
      if (request.body.includes("<summary-request")) {
        const reply = queue[asks.length] ?? good;
        asks.push(request.body);
        const sized = "text" in reply || "calls" in reply ? { ...reply, promptTokens } : reply;
        yield* scriptedModel([sized]).stream(request, signal);
        return;
      }
      steps.push(request.body);
      inTurn += 1;
      const isLast = inTurn > stepsPerTurn;
      if (isLast) inTurn = 0;
      const calls = [{ id: `c${steps.length}`, tool: "look", input: { path: `src/f${steps.length}.ts` } }];
      const reply = isLast ? { text: "done" } : { text: `step ${steps.length}`, calls };
      yield* scriptedModel([{ ...reply, promptTokens }]).stream(request, signal);
    },
  };
  return { ...model, steps, asks };
}

const look = () => fakeTool("look", true, async () => words(1_500), "whole");
const of = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
const compacted = (entries: readonly Entry[]) =>
  of(entries, "epoch-opened").filter(({ reason }) => reason === "compacted");
const outcomes = (entries: readonly Entry[]) => of(entries, "summary-ended").map(({ outcome }) => outcome);
const messagesOf = (body: string) => {
  const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: unknown }[] };
  return messages;
};

/** Lets what waits wait, a second at a time. */
async function timed<T>(work: Promise<T>, clock: ManualClock): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await settled();
    if (!isDone && clock.sleeping() > 0) await clock.advance(1_000);
  }
  return await done;
}

async function run(queue: readonly ScriptedReply[], reductions = summaries, stepsPerTurn = 12) {
  const model = worker(queue, stepsPerTurn);
  const world = await testWorld({ model, tools: [look()], windowTokens: 24_000, reductions });
  const session = await world.open();
  const turn = await timed(session.prompt("look at every file"), world.clock);
  return { model, world, session, turn, entries: await world.entries() };
}

/** Entries up to and with the first compaction. */
const upToFirst = (entries: readonly Entry[]) => {
  const at = entries.findIndex((entry) => entry.type === "epoch-opened" && entry.reason === "compacted");
  return entries.slice(0, at + 1);
};

describe("a summary that is good", () => {
  test("rides on the request that was due: the same messages, then one more", async () => {
    const { model, turn, entries } = await run([]);
    expect(turn.reason).toBe("done");
    const asked = messagesOf(model.asks[0] ?? expect.fail("no summary was asked for"));
    const before = model.steps.findLast((body) => messagesOf(body).length < asked.length && !body.includes("sealed"));
    const plain = (body: string) =>
      messagesOf(body).map((one) => JSON.stringify(one).replaceAll(/,"cache_control":\{[^}]*\}/g, ""));
    const earlier = plain(before ?? expect.fail("no step came before"));
    expect(plain(model.asks[0] ?? "").slice(0, earlier.length)).toEqual(earlier);
    expect(JSON.stringify(asked.at(-1))).toContain("<summary-request");
    expect(of(entries, "summary-asked")[0]?.as).toBe("ride");
  });

  test("stands in the one epoch it opens, and the next request is well formed with it", async () => {
    const { model, entries } = await run([]);
    const first = upToFirst(entries);
    expect(outcomes(first)).toEqual(["accepted"]);
    expect(compacted(first)).toHaveLength(1);
    expect(model.steps.some((body) => body.includes("sealed point 0"))).toBe(true);
    for (const body of [...model.steps, ...model.asks]) expect(wellformed(decodedBody(body))).toBeNull();
  });

  test("is asked for within bounds.summaryTokensMax", async () => {
    const { model } = await run([]);
    expect(model.asks[0]).toMatch(new RegExp(`${bounds.summaryTokensMax}|3,000`));
  });
});

describe("C-003 · a summary that is none", () => {
  const call = { id: "s1", tool: "look", input: { path: "a" } };
  const cases: readonly (readonly [string, string, ScriptedReply])[] = [
    ["empty", "empty", {}],
    ["a tool call", "tool-call", { calls: [call] }],
    ["junk", "junk", { text: "Sure! Let me know what you would like to do next." }],
    ["larger than the work", "larger", { text: `<summary>\n${summaryText("x")}\n${words(30_000)}\n</summary>` }],
    ["refused as too long with 400", "too-long", httpError(400, "prompt is too long: 30000 tokens > 20000 maximum")],
    ["refused as too long with 413", "too-long", httpError(413, "Request exceeds the maximum size")],
    ["rate-limited", "rate-limited", httpError(429, "slow down", { "retry-after": "1" })],
    ["failed", "failed", httpError(500, "internal error")],
    ["broken off", "failed", { fail: { type: "network-error", message: "reset", timedOut: false } }],
  ];
  for (const [name, outcome, reply] of cases)
    test(`${name}: each try is named, there are at most bounds.summaryTriesMax, then the work is folded and goes on`, async () => {
      const { turn, entries } = await run(Array.from({ length: 40 }, () => reply));
      expect(turn.reason).toBe("done");
      const first = upToFirst(entries);
      expect(outcomes(first).length).toBeGreaterThan(0);
      expect(outcomes(first).length).toBeLessThanOrEqual(bounds.summaryTriesMax);
      expect(new Set(outcomes(first))).toEqual(new Set([outcome]));
      expect(of(first, "summary-asked")).toHaveLength(outcomes(first).length);
      expect(compacted(first)).toHaveLength(1);
    });

  test("a retry-after above bounds.summaryWaitMsMax folds at once", async () => {
    const seconds = `${bounds.summaryWaitMsMax / 1_000 + 1}`;
    const { turn, entries } = await run([httpError(429, "slow down", { "retry-after": seconds })]);
    expect(turn.reason).toBe("done");
    expect(outcomes(upToFirst(entries))).toEqual(["rate-limited"]);
  });

  test("a good one behind a bad one is used", async () => {
    const { entries, model } = await run([{}, good]);
    expect(outcomes(upToFirst(entries))).toEqual(["empty", "accepted"]);
    expect(of(entries, "summary-asked").map(({ as }) => as)[1]).toBe("strict");
    expect(model.steps.some((body) => body.includes("sealed point 0"))).toBe(true);
  });
});

test("C-001 · when what is fixed alone is too large, no summary is asked for", async () => {
  const model = worker([]);
  const world = await testWorld({ model, windowTokens: 1_500, reductions: summaries });
  expect((await (await world.open()).prompt("continue")).reason).toBe("window-too-small");
  expect([...model.asks, ...model.steps]).toEqual([]);
});

test("C-001 · after bounds.summaryFailuresMax compactions without a summary none is asked for, until the user acts", async () => {
  const bad = Array.from({ length: 100 }, (): ScriptedReply => ({}));
  const { session, world, model, entries } = await run(bad, summaries, 60);
  const ends = compacted(entries).map(({ seq }) => seq);
  expect(ends.length).toBeGreaterThan(bounds.summaryFailuresMax);
  const open = ends[bounds.summaryFailuresMax - 1] ?? 0;
  expect(of(entries, "summary-asked").filter(({ seq }) => seq > open)).toEqual([]);
  const before = model.asks.length;
  await timed(session.prompt("go on"), world.clock);
  expect(model.asks.length).toBeGreaterThan(before);
  expect(of(await world.entries(), "summary-asked").length).toBe(model.asks.length);
});

test("C-011 · todos come from the store, whatever the summary claims of them", async () => {
  const model = worker([{ text: summaryText("every todo is done") }]);
  const world = await testWorld({ model, tools: [look()], windowTokens: 24_000, reductions: summaries });
  const { state } = await world.open();
  const todos = [{ text: "port the parser", status: "pending" }] as const;
  await world.fx.append(state().seq, [{ type: "todos-written", todos }]);
  await timed((await world.open()).prompt("look at every file"), world.clock);
  const next = model.steps.find((body) => body.includes("every todo is done point 0"));
  expect(next).toContain("port the parser");
});

describe("while a summary is on its way", () => {
  const hanging = async (queue: readonly ScriptedReply[] = [{ hang: "<summary>" }]) => {
    const model = worker(queue);
    const world = await testWorld({ model, tools: [look()], windowTokens: 24_000, reductions: summaries });
    const session = await world.open();
    const turn = session.prompt("look at every file");
    for (let looks = 0; model.asks.length === 0 && looks < 100; looks++) await settled();
    return { model, world, session, turn };
  };

  test("an interrupt ends it and the turn; the next message works", async () => {
    const { world, session, turn } = await hanging();
    await session.interrupt("user");
    expect((await turn).reason).toBe("interrupted");
    expect(outcomes(await world.entries())).toEqual(["interrupted"]);
    expect((await timed(session.prompt("go on"), world.clock)).reason).toBe("done");
  });

  test("an interrupt leaves no rung behind: by hand the next one begins with the first", async () => {
    const { world, session, turn } = await hanging([{}, { hang: "<summary>" }]);
    for (let looks = 0; session.state().summary.asked?.as !== "strict" && looks < 100; looks++) await settled();
    await session.interrupt("user");
    expect((await turn).reason).toBe("interrupted");
    expect(session.state().summary.tries).toEqual([]);
    expect(await timed(session.compact(), world.clock)).toMatchObject({ type: "compacted", by: "model" });
    expect(of(await world.entries(), "summary-asked").map(({ as }) => as)).toEqual(["ride", "strict", "ride"]);
    expect(outcomes(await world.entries())).toEqual(["empty", "interrupted", "accepted"]);
  });

  test("what is broken off and not by the log's word counts as a call of its turn", async () => {
    const model = worker(Array.from({ length: 9 }, () => ({ hang: "<summary>" })));
    const world = await testWorld({ model, tools: [look()], windowTokens: 24_000, reductions: summaries });
    const refuse = { type: "refused", why: "the disk is full" } as const;
    const session = await world.open({
      ...world.fx,
      append: async (seq, entries) =>
        entries.some(({ type }) => type === "interrupted") ? refuse : await world.fx.append(seq, entries),
    });
    const turn = session.prompt("look at every file");
    for (let n = 1; n <= bounds.summaryTriesMax; n++) {
      for (let looks = 0; model.asks.length < n && looks < 100; looks++) await settled();
      await expect(session.interrupt("user")).rejects.toThrow("the disk is full");
    }
    expect((await turn).reason).toBe("done");
    const first = upToFirst(await world.entries());
    expect(outcomes(first)).toEqual(Array.from({ length: bounds.summaryTriesMax }, () => "interrupted"));
    expect(compacted(first)).toHaveLength(1);
  });

  test("death leaves its outcome unknown, and the turn goes on", async () => {
    const { world, model } = await hanging();
    const again = await world.open(await world.takeOver());
    const turn = await timed(again.resume(), world.clock);
    expect(turn?.reason).toBe("done");
    const entries = await world.entries();
    expect(entries.filter(({ type }) => type === "outcome-unknown")).toHaveLength(1);
    expect(compacted(entries).length).toBeGreaterThan(0);
    expect(model.asks.length).toBeLessThanOrEqual(bounds.summaryTriesMax * compacted(entries).length);
  });
});

describe("what is stored is larger than the work", () => {
  const todos = Array.from({ length: 100 }, (_, at) => ({ text: `${at} ${"item ".repeat(56)}`, status: "pending" }));
  const summed = { clearing: "all", collapsing: "on", summaries: "model" } as const;
  for (const [name, reductions] of [
    ["summed up", summed],
    ["folded", { ...summed, summaries: "off" }],
  ] as const)
    test(`a list too long to be shown again does not keep the session asking (${name})`, async () => {
      let step = 0;
      const model: Model = {
        async *stream(request, signal) {
          const promptTokens = Math.ceil(request.body.length / 4);
          const ask = request.body.includes("<summary-request");
          if (!ask) step += 1;
          const calls =
            step === 28
              ? [{ id: `c${step}`, tool: "TodoWrite", input: { todos } }]
              : [{ id: `c${step}`, tool: "look", input: { path: `src/f${step}.ts` } }];
          const text = `Looking at file ${step}, ${"then on to the next thing ".repeat(20)}`;
          const reply = ask ? good : step > 40 ? { text: "done" } : { text, calls };
          yield* scriptedModel([{ ...reply, promptTokens }]).stream(request, signal);
        },
      };
      const small = fakeTool("look", true, async () => "line of text 12\n".repeat(40));
      const world = await testWorld({ model, tools: [small, todoWriteTool()], windowTokens: 20_000, reductions });
      let refusals = 0;
      const session = await world.open({
        ...world.fx,
        append: async (expectedSeq, entries) => {
          refusals += entries.filter(({ type }) => type === "compaction-refused").length;
          if (refusals > 20) throw new Error("it asks for ever");
          return await world.fx.append(expectedSeq, entries);
        },
      });
      expect((await session.prompt("look at every file")).reason).toMatch(/done|window-too-small/);
      expect(refusals).toBeLessThanOrEqual(bounds.foldsInARowMax);
    });
});
