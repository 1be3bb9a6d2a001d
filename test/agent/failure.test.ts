import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { WireEvent } from "../../src/ports/model.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { saidIn } from "../support/bodies.ts";
import { settled, typesOf } from "../support/gated.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

const http = (status: number, message: string, headers: Record<string, string> = {}, type = ""): ScriptedReply => ({
  fail: { type: "http-error", status, headers, body: { type: "error", error: { type, message } } },
});
const network = (message: string, timedOut = false): ScriptedReply => ({
  fail: { type: "network-error", message, timedOut },
});
const ok: ScriptedReply = { text: "fine" };

/** Answers, with time moved on whenever somebody sleeps. */
async function promptThrough(world: TestWorld, text: string, session = world.open()) {
  const turn = (await session).prompt(text);
  let done = false;
  void turn.finally(() => {
    done = true;
  });
  for (let moves = 0; !done && moves < 100; moves++) {
    await settled();
    if (!done && world.clock.sleeping() > 0) await world.clock.advance(5_000);
  }
  return await turn;
}

async function failuresOf(world: TestWorld): Promise<readonly string[]> {
  return (await world.entries()).flatMap((one) => (one.type === "request-failed" ? [one.failure.class] : []));
}

describe("failures that pass", () => {
  const rows = [
    ["429 without a time", http(429, "slow down"), "rate-limited"],
    ["429 with a time", http(429, "slow down", { "retry-after": "7" }), "rate-limited"],
    ["529", http(529, "overloaded"), "overloaded"],
    ["500", http(500, "oops"), "server"],
    ["a network error", network("ECONNRESET"), "network"],
    ["a timeout of the transport", network("timed out", true), "timeout"],
  ] as const;
  for (const [name, reply, failure] of rows)
    test(`${name} is tried again: each attempt is an entry, and the same bytes go again`, async () => {
      const model = scriptedModel([reply, reply, ok]);
      const world = await testWorld({ model });
      expect(await promptThrough(world, "go")).toMatchObject({ reason: "done", text: "fine" });
      expect(await failuresOf(world)).toEqual([failure, failure]);
      const attempts = (await world.entries()).flatMap((one) => (one.type === "request-sent" ? [one.attempt] : []));
      expect(attempts).toEqual([1, 2, 3]);
      expect(new Set(model.bodies).size).toBe(1);
    });

  test("a `retry-after` is kept to the millisecond", async () => {
    const model = scriptedModel([http(429, "slow down", { "retry-after": "7" }), ok]);
    const world = await testWorld({ model });
    const session = await world.open();
    const turn = session.prompt("go");
    await settled();
    await world.clock.advance(6_999);
    expect(model.bodies).toHaveLength(1);
    await world.clock.advance(1);
    expect((await turn).reason).toBe("done");
  });

  test("a `retry-after` of hours ends the turn instead of a silent wait, and says how long", async () => {
    const world = await testWorld({ model: scriptedModel([http(429, "come back", { "retry-after": "7200" }), ok]) });
    const session = await world.open();
    const turn = await session.prompt("go");
    expect(turn.reason).toBe("provider-gave-up");
    expect(turn.detail).toContain("7200 s");
    expect((await session.prompt("again")).text).toBe("fine");
  });

  test("after the last attempt the turn ends, the session does not", async () => {
    const busy = http(529, "overloaded");
    const model = scriptedModel([...Array.from({ length: bounds.requestAttemptsMax }, () => busy), ok]);
    const world = await testWorld({ model });
    const session = world.open();
    const turn = await promptThrough(world, "go", session);
    expect(turn).toMatchObject({ reason: "provider-gave-up", text: "" });
    expect(turn.detail).toContain(`${bounds.requestAttemptsMax} attempts`);
    expect(model.bodies).toHaveLength(bounds.requestAttemptsMax);
    expect((await (await session).prompt("again")).text).toBe("fine");
    expect(saidIn(model.bodies.at(-1) ?? "").slice(1)).toEqual(["user text: go", "user text: again"]);
  });
});

describe("failures that do not pass", () => {
  const rows = [
    ["400", 400, "messages: nonsense", "invalid_request_error", "bad-request"],
    ["401", 401, "no key", "authentication_error", "auth"],
    ["402", 402, "no credit", "billing_error", "billing"],
    ["404", 404, "no such model", "not_found_error", "not-found"],
  ] as const;
  for (const [name, status, message, type, failure] of rows)
    test(`${name} ends the turn at once with the provider's words, and the next prompt works`, async () => {
      const model = scriptedModel([http(status, message, {}, type), ok]);
      const world = await testWorld({ model });
      const session = await world.open();
      const turn = await session.prompt("go");
      expect(turn.reason).toBe("provider-gave-up");
      expect(turn.detail).toContain(message);
      expect(await failuresOf(world)).toEqual([failure]);
      expect((await session.prompt("again")).text).toBe("fine");
    });

  test("a binding error is answered with one break, and with the end of the turn when it comes again", async () => {
    const bound = http(400, "thinking: signature is bound to a different prefix", {}, "thinking_binding_error");
    const model = scriptedModel([bound, bound, ok]);
    const world = await testWorld({ model });
    const session = await world.open();
    expect((await session.prompt("go")).reason).toBe("provider-gave-up");
    expect(await failuresOf(world)).toEqual(["binding", "binding"]);
    const reasons = (await world.entries()).flatMap((one) => (one.type === "epoch-opened" ? [one.reason] : []));
    expect(reasons).toEqual(["start", "renderer-changed"]);
    expect((await session.prompt("again")).text).toBe("fine");
  });
});

describe("streams that break", () => {
  const event = (data: unknown): WireEvent => ({ type: "event", data });
  const partial: readonly WireEvent[] = [
    event({
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", model: "sim", content: [] },
    }),
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half a sen" } }),
  ];
  const breaking = (how: (signal: AbortSignal) => AsyncIterable<WireEvent>) => {
    const script = scriptedModel([ok]);
    const bodies: string[] = [];
    return {
      bodies,
      stream: (...[request, signal]: Parameters<typeof script.stream>) => {
        bodies.push(request.body);
        return bodies.length === 1 ? how(signal) : script.stream(request, signal);
      },
    };
  };
  const endings: Readonly<Record<string, () => AsyncIterable<WireEvent>>> = {
    "ends in mid-sentence": async function* () {
      yield* partial;
    },
    "throws in mid-sentence": async function* () {
      yield* partial;
      throw new Error("socket hang up");
    },
    "throws before its first event": () => {
      throw new Error("no route to host");
    },
  };
  for (const [name, how] of Object.entries(endings))
    test(`one that ${name} is tried again; what was shown stays in the log and is never sent as an answer`, async () => {
      const model = breaking(how);
      const world = await testWorld({ model });
      expect(await promptThrough(world, "go")).toMatchObject({ reason: "done", text: "fine" });
      const failed = (await world.entries()).flatMap((one) => (one.type === "request-failed" ? [one.partial] : []));
      expect(failed).toEqual([name.includes("sentence") ? "half a sen" : ""]);
      expect(new Set(model.bodies).size).toBe(1);
    });

  test("one that falls silent is ended after the limit, on the clock, and tried again", async () => {
    const model = breaking(async function* () {
      yield* partial;
      await new Promise(() => {});
    });
    const world = await testWorld({ model });
    const session = await world.open();
    const turn = session.prompt("go");
    await settled();
    await world.clock.advance(bounds.streamIdleMsMax - 1);
    expect(typesOf(await world.entries())).not.toContain("request-failed");
    await world.clock.advance(1);
    await settled();
    expect(await failuresOf(world)).toEqual(["timeout"]);
    await world.clock.advance(10_000);
    expect((await turn).text).toBe("fine");
  });

  test("one that speaks now and then is not silent, however long it takes", async () => {
    const pulse = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const model = breaking(async function* () {
      yield* partial;
      for (const { promise } of pulse) {
        await promise;
        yield event({ type: "ping" });
      }
      yield event({ type: "content_block_stop", index: 0 });
      yield event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } });
      yield event({ type: "message_stop" });
    });
    const world = await testWorld({ model });
    const session = await world.open();
    const turn = session.prompt("go");
    for (const { resolve } of pulse) {
      await settled();
      await world.clock.advance(bounds.streamIdleMsMax - 1);
      resolve();
    }
    expect((await turn).text).toBe("half a sen");
    expect(await failuresOf(world)).toEqual([]);
    expect(world.clock.sleeping()).toBe(0);
  });

  test("one that ignores the signal is left alone after the limit, and the turn ends", async () => {
    const model = breaking(async function* () {
      yield* partial;
      await new Promise(() => {});
    });
    const world = await testWorld({ model });
    const session = await world.open();
    const turn = session.prompt("go");
    await settled();
    await session.interrupt("test");
    await settled();
    await world.clock.advance(bounds.abandonMsMax);
    expect((await turn).reason).toBe("interrupted");
    expect((await session.prompt("again")).text).toBe("fine");
  });
});

describe("calls the model makes badly", () => {
  test("C-023 · a call without an id gets one at once; call and result agree, also after a reload", async () => {
    const model = scriptedModel([
      {
        calls: [
          { id: "", tool: "look", input: {} },
          { id: "", tool: "look", input: {} },
        ],
      },
      ok,
      ok,
    ]);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const session = await world.open();
    await session.prompt("go");
    const idsIn = (body: string) => [...body.matchAll(/"(?:id|tool_use_id)":"([^"]+)"/g)].map(([, id]) => id);
    const [a, b, c, d] = idsIn(model.bodies[1] ?? "");
    expect([a, b]).toEqual([c, d]);
    expect(a).not.toBe(b);
    expect(a).toMatch(/^\w+$/);
    await (await world.open(await world.takeOver())).prompt("again");
    expect(idsIn(model.bodies[2] ?? "")).toEqual([a, b, c, d]);
  });

  test("C-023 · an id that an earlier answer used already stands for one call only", async () => {
    const same = { calls: [{ id: "call_0", tool: "look", input: {} }] };
    const model = scriptedModel([same, same, ok]);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    expect((await (await world.open()).prompt("go")).reason).toBe("done");
    const ids = (await world.entries()).flatMap((one) => (one.type === "tool-returned" ? [one.callId] : []));
    expect(new Set(ids).size).toBe(2);
  });

  test("C-023 · with the calls of one wire the other goes on: the ids stand, call and result agree", async () => {
    const model = scriptedModel([{ text: "I look", calls: [{ id: "", tool: "look", input: { a: 1 } }] }, ok]);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const session = await world.open();
    await session.prompt("go");
    const choice = session.state().model ?? expect.fail("no model");
    await session.chooseModel({ ...choice, wire: "chat", model: "local" });
    const turn = session.prompt("on");
    await settled();
    await session.interrupt("the scripted model speaks the other wire");
    await turn;
    const messages: { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[] = JSON.parse(
      model.bodies.at(-1) ?? "",
    ).messages;
    const called = messages.flatMap((message) => message.tool_calls ?? []).map(({ id }) => id);
    expect(called).toHaveLength(1);
    expect(messages.flatMap((message) => message.tool_call_id ?? [])).toEqual(called);
  });
});
