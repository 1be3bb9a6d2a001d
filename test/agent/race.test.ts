import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { manualDrive } from "../../src/testing/manual-drive.ts";
import type { ScriptedReply } from "../../src/testing/scripted-model.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { saidIn } from "../support/bodies.ts";
import { aborted, behind, gate, gatedModel, settled, typesOf } from "../support/gated.ts";
import { fakeTool, testModel, testWorld } from "../support/world.ts";

const call = (id: string, tool = "look") => ({ id, tool, input: {} });
const failing = (status: number): ScriptedReply => ({
  fail: { type: "http-error", status, headers: {}, body: { type: "error", error: { message: "busy" } } },
});
const last = <T>(list: readonly T[]): T => {
  const item = list.at(-1);
  if (item === undefined) throw new Error("the list is empty");
  return item;
};

describe("interrupt and the response", () => {
  test("interrupt first: the attempt ends as interrupted, what was shown is kept, no tool of it runs", async () => {
    const at = gate();
    const model = gatedModel([{ text: "late", calls: [call("c1")] }, { text: "ok" }], { 0: at });
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const session = await world.open();
    const turn = session.prompt("go");
    await at.reached;
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
    expect(behind(await world.entries(), "request-sent")).toEqual(["interrupted", "request-failed", "turn-ended"]);
    expect(await session.prompt("again")).toMatchObject({ reason: "done", text: "ok" });
  });

  test("response first: it is kept, its calls are closed as not run, and the next prompt sends both", async () => {
    const model = gatedModel([{ text: "mine", calls: [call("c1")] }, { text: "ok" }], {});
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const drive = manualDrive(world.fx);
    const session = await world.open(drive.fx);
    const turn = session.prompt("go");
    // The response waits to be written; the interrupt is written right behind it, before anything is decided.
    let parked = await drive.next();
    while (!parked.detail.startsWith("response-received")) {
      await parked.release();
      parked = await drive.next();
    }
    const interrupted = session.interrupt("test");
    await settled();
    drive.releaseAll();
    await interrupted;
    expect((await turn).reason).toBe("interrupted");
    expect(behind(await world.entries(), "request-sent")).toEqual([
      "response-received",
      "interrupted",
      "tool-returned",
      "turn-ended",
    ]);
    expect((await session.prompt("again")).text).toBe("ok");
    expect(saidIn(last(model.bodies)).slice(-4)).toEqual([
      "assistant text: mine",
      "assistant tool-call: {}",
      "user tool-result: Not run: the user interrupted the turn.",
      "user text: again",
    ]);
  });
});

describe("interrupt and a request that is about to start", () => {
  test("the interrupt is written first: no request leaves", async () => {
    const model = scriptedModel([{ text: "never" }]);
    const world = await testWorld({ model });
    const drive = manualDrive(world.fx);
    const session = await world.open(drive.fx);
    const turn = session.prompt("go");
    let parked = await drive.next();
    while (!parked.detail.includes("epoch-opened")) {
      await parked.release();
      parked = await drive.next();
    }
    const interrupted = session.interrupt("test");
    await settled();
    drive.releaseAll();
    await interrupted;
    expect((await turn).reason).toBe("interrupted");
    expect(model.bodies).toEqual([]);
    expect(typesOf(await world.entries())).not.toContain("request-sent");
  });

  test("the intent is written first: the request starts with its signal fired", async () => {
    const model = scriptedModel([{ hang: "begun" }]);
    const world = await testWorld({ model });
    const drive = manualDrive(world.fx);
    const session = await world.open(drive.fx);
    const turn = session.prompt("go");
    let parked = await drive.next();
    while (!parked.detail.includes("request-sent")) {
      await parked.release();
      parked = await drive.next();
    }
    const interrupted = session.interrupt("test");
    await settled();
    drive.releaseAll();
    await interrupted;
    expect((await turn).reason).toBe("interrupted");
    expect(behind(await world.entries(), "request-sent")).toEqual(["interrupted", "request-failed", "turn-ended"]);
  });

  test("an interrupt right behind a prompt means that prompt", async () => {
    const world = await testWorld({ model: scriptedModel([{ text: "never" }]) });
    const session = await world.open();
    const turn = session.prompt("go");
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
  });

  test("an interrupt with no turn open changes nothing", async () => {
    const world = await testWorld({ model: scriptedModel([]) });
    const session = await world.open();
    await session.interrupt("test");
    expect(typesOf(await world.entries())).toEqual(["session-started", "model-chosen"]);
  });
});

describe("interrupt and a tool", () => {
  const begun = async () => {
    const at = gate();
    const look = fakeTool("look", true, async (_input, signal) => {
      at.arrive();
      await Promise.race([at.opened, aborted(signal)]);
      return signal.aborted ? "stopped" : "whole";
    });
    const model = scriptedModel([{ calls: [call("c1")] }, { text: "ok" }]);
    const world = await testWorld({ model, tools: [look] });
    const session = await world.open();
    const turn = session.prompt("go");
    await at.reached;
    return { at, world, session, turn, model };
  };

  test("interrupt first: the tool is told, its result is kept, and the turn ends without another request", async () => {
    const { session, turn, world, model } = await begun();
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
    expect(behind(await world.entries(), "tool-started")).toEqual(["interrupted", "tool-returned", "turn-ended"]);
    expect(model.bodies).toHaveLength(1);
  });

  test("tool first: its whole result stands before the interrupt or behind it, once", async () => {
    const { at, session, turn, world } = await begun();
    at.open();
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
    const results = (await world.entries()).flatMap((one) => (one.type === "tool-returned" ? [one.output] : []));
    expect(results).toEqual(["whole"]);
  });

  test("two interrupts are as good as one", async () => {
    const { session, turn, world } = await begun();
    await Promise.all([session.interrupt("a"), session.interrupt("b")]);
    expect((await turn).reason).toBe("interrupted");
    expect(typesOf(await world.entries()).filter((type) => type === "turn-ended")).toHaveLength(1);
    expect((await session.prompt("again")).reason).toBe("done");
  });

  test("C-021 · a call that ignores the signal is given up in time, and the finished ones keep their results", async () => {
    const started = gate();
    const deaf = fakeTool("deaf", true, async () => {
      started.arrive();
      return await new Promise<string>(() => {});
    });
    const quick = fakeTool("look", true, async () => "done at once");
    const model = scriptedModel([{ calls: [call("a"), call("b", "deaf"), call("c")] }, { text: "ok" }]);
    const world = await testWorld({ model, tools: [deaf, quick] });
    const session = await world.open();
    const turn = session.prompt("go");
    await started.reached;
    await settled();
    const before = (await world.entries()).flatMap((one) => (one.type === "tool-returned" ? [one.callId] : []));
    expect(before).toEqual(["a", "c"]);
    await session.interrupt("test");
    await settled();
    await world.clock.advance(bounds.abandonMsMax - 1);
    expect(typesOf(await world.entries())).not.toContain("turn-ended");
    await world.clock.advance(1);
    expect((await turn).reason).toBe("interrupted");
    expect(bounds.abandonMsMax).toBeLessThan(1_000);
    await session.prompt("go on");
    expect(saidIn(last(model.bodies)).slice(-4)).toEqual([
      "user tool-result: done at once",
      "user tool-result: Interrupted by the user; the call did not stop in time and was given up.",
      "user tool-result: done at once",
      "user text: go on",
    ]);
  });
});

describe("interrupt and the question whether a call may run", () => {
  const asking = async (answerAtAbort: boolean) => {
    const at = gate();
    const world = await testWorld({
      model: scriptedModel([{ calls: [call("c1"), call("c2")] }, { text: "ok" }]),
      tools: [fakeTool("look", true, async () => "x")],
      verdict: "ask",
      ask: async (_question, signal) => {
        at.arrive();
        await (answerAtAbort ? Promise.race([at.opened, aborted(signal)]) : at.opened);
        return signal.aborted ? null : { allowed: true, why: "yes" };
      },
    });
    const session = await world.open();
    const turn = session.prompt("go");
    await at.reached;
    return { at, world, session, turn };
  };

  test("interrupt first: nothing was decided and nothing runs", async () => {
    const { session, turn, world } = await asking(true);
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
    const types = typesOf(await world.entries());
    expect(types).not.toContain("tool-started");
    expect(types).not.toContain("permission-decided");
    expect(types.filter((type) => type === "tool-returned")).toHaveLength(2);
  });

  test("answer first: the call may have started; each call has one result and the turn ends interrupted", async () => {
    const { at, session, turn, world } = await asking(true);
    at.open();
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
    const ids = (await world.entries()).flatMap((one) => (one.type === "tool-returned" ? [one.callId] : []));
    expect(ids.toSorted()).toEqual(["c1", "c2"]);
  });

  test("a question that ignores the signal is given up like any effect", async () => {
    const { session, turn, world } = await asking(false);
    await session.interrupt("test");
    await settled();
    await world.clock.advance(bounds.abandonMsMax);
    expect((await turn).reason).toBe("interrupted");
  });
});

describe("a message in mid-turn", () => {
  test("while the response comes: it goes with the next request, and one turn answers both", async () => {
    const at = gate();
    const model = gatedModel([{ text: "first" }, { text: "second" }], { 0: at });
    const world = await testWorld({ model });
    const session = await world.open();
    const one = session.prompt("one");
    await at.reached;
    const two = session.prompt("two");
    await settled();
    at.open();
    expect((await one).text).toBe("second");
    expect(await two).toEqual(await one);
    expect(saidIn(last(model.bodies)).slice(1)).toEqual(["user text: one", "assistant text: first", "user text: two"]);
  });

  test("when the response has been written: either it joins, or a turn of its own answers it; it is never lost", async () => {
    const model = scriptedModel([{ text: "first" }, { text: "second" }]);
    const world = await testWorld({ model });
    const drive = manualDrive(world.fx);
    const session = await world.open(drive.fx);
    const one = session.prompt("one");
    let parked = await drive.next();
    while (!parked.detail.includes("turn-ended")) {
      await parked.release();
      parked = await drive.next();
    }
    const two = session.prompt("two");
    await settled();
    drive.releaseAll();
    await one;
    expect((await two).text).toBe("second");
    expect(saidIn(last(model.bodies)).slice(1)).toEqual(["user text: one", "assistant text: first", "user text: two"]);
  });

  test("C-027 · while a tool runs: results first and in call order, then images, then the message", async () => {
    const at = gate();
    const slow = fakeTool("slow", true, async () => {
      at.arrive();
      await at.opened;
      return "slow result";
    });
    const picture = fakeTool("picture", true, async () => "a picture");
    const shot = {
      ...picture,
      parse: (input: unknown) => {
        const parsed = picture.parse(input);
        if (parsed.type === "bad") return parsed;
        const run: typeof parsed.call.run = async (context, signal) => ({
          ...(await parsed.call.run(context, signal)),
          images: [{ mediaType: "image/png", data: "aGk=" }],
        });
        return { type: "ok" as const, call: { ...parsed.call, run } };
      },
    };
    const model = scriptedModel([
      { calls: [call("a", "picture"), call("b", "slow"), call("c", "nope")] },
      { text: "ok" },
    ]);
    const world = await testWorld({ model, tools: [slow, shot] });
    const session = await world.open();
    const turn = session.prompt("go");
    await at.reached;
    const hurry = session.prompt("hurry");
    await settled();
    at.open();
    await Promise.all([turn, hurry]);
    const kinds = saidIn(last(model.bodies)).slice(-5);
    expect(kinds.map((text) => text.slice(0, 24))).toEqual([
      "user tool-result: a pict",
      "user tool-result: slow r",
      "user tool-result: There ",
      "user image: ",
      "user text: hurry",
    ]);
  });

  test("two prompts at once are one turn, in order, and the world is looked at once for both", async () => {
    const model = scriptedModel([{ text: "both" }]);
    const world = await testWorld({ model });
    const session = await world.open();
    const turns = await Promise.all([session.prompt("one"), session.prompt("two")]);
    const entries = await world.entries();
    expect(turns.map(({ reason }) => reason)).toEqual(["done", "done"]);
    expect(entries.filter(({ type }) => type === "context-observed")).toHaveLength(2);
    expect(entries.flatMap((one) => (one.type === "message-added" ? [one.text] : []))).toEqual(["one", "two"]);
  });

  test("a message that comes while the request is being prepared is in that request or behind its answer, never between", async () => {
    for (const until of ["epoch-opened", "request-sent"]) {
      const model = scriptedModel([{ text: "first" }, { text: "second" }]);
      const world = await testWorld({ model });
      const drive = manualDrive(world.fx);
      const session = await world.open(drive.fx);
      const one = session.prompt("one");
      let parked = await drive.next();
      while (!parked.detail.includes(until)) {
        await parked.release();
        parked = await drive.next();
      }
      const two = session.prompt("two");
      await settled();
      drive.releaseAll();
      await Promise.all([one, two]);
      const sent = (await world.entries()).flatMap((entry) => (entry.type === "request-sent" ? [entry.segments] : []));
      expect(saidIn(model.bodies[0] ?? "").length, until).toBeGreaterThanOrEqual(2);
      if (sent.length === 1) expect(saidIn(last(model.bodies)).slice(1)).toEqual(["user text: one", "user text: two"]);
      else
        expect(saidIn(last(model.bodies)).slice(1)).toEqual([
          "user text: one",
          "assistant text: first",
          "user text: two",
        ]);
      const again = await world.open(await world.takeOver());
      await again.prompt("three");
      expect((await world.entries()).filter(({ type }) => type === "epoch-opened")).toHaveLength(1);
    }
  });
});

describe("interrupt while waiting to try again", () => {
  test("ends the wait and the turn at once", async () => {
    const world = await testWorld({ model: scriptedModel([failing(529), { text: "ok" }]) });
    const session = await world.open();
    const turn = session.prompt("go");
    await settled();
    expect(world.clock.sleeping()).toBe(1);
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
    expect(await session.prompt("again")).toMatchObject({ reason: "done", text: "ok" });
  });

  test("the wait ends first: the new attempt is interrupted like any", async () => {
    const model = scriptedModel([failing(529), { hang: "half" }]);
    const world = await testWorld({ model });
    const session = await world.open();
    const turn = session.prompt("go");
    await settled();
    await world.clock.advance(10_000);
    await settled();
    expect(model.bodies).toHaveLength(2);
    await session.interrupt("test");
    expect((await turn).reason).toBe("interrupted");
  });
});

describe("a change of model or mode in mid-turn", () => {
  const other = { ...testModel, model: "sim-small" };

  test("model, request in flight: the answer is kept, the next request opens an epoch with the new model", async () => {
    const at = gate();
    const model = gatedModel([{ calls: [call("c1")] }, { text: "ok" }], { 0: at });
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const session = await world.open();
    const turn = session.prompt("go");
    await at.reached;
    await session.chooseModel(other);
    at.open();
    expect((await turn).reason).toBe("done");
    expect(model.bodies.map((body) => JSON.parse(body).model)).toEqual(["sim-large", "sim-small"]);
    const reasons = (await world.entries()).flatMap((one) => (one.type === "epoch-opened" ? [one.reason] : []));
    expect(reasons).toEqual(["start", "model-changed"]);
  });

  test("model, while the epoch is being opened: the user's choice stands", async () => {
    const model = scriptedModel([{ text: "ok" }]);
    const world = await testWorld({ model });
    const drive = manualDrive(world.fx);
    const session = await world.open(drive.fx);
    const turn = session.prompt("go");
    await (await drive.next("observe")).release();
    await (await drive.next("append")).release();
    await drive.next("put-blob");
    const chosen = session.chooseModel(other);
    await settled();
    const append = drive.parked().find(({ name }) => name === "append");
    await append?.release();
    drive.releaseAll();
    await chosen;
    await turn;
    expect(session.state().model?.model).toBe("sim-small");
    expect(model.bodies.map((body) => JSON.parse(body).model)).toEqual(["sim-small"]);
  });

  test("model, while waiting to try again: the new one is asked at once", async () => {
    const model = scriptedModel([failing(529), { text: "ok" }]);
    const world = await testWorld({ model });
    const session = await world.open();
    const turn = session.prompt("go");
    await settled();
    await session.chooseModel(other);
    await settled();
    expect(model.bodies).toHaveLength(2);
    expect((await turn).text).toBe("ok");
    expect(model.bodies.map((body) => JSON.parse(body).model)).toEqual(["sim-large", "sim-small"]);
  });

  test("effort, in the same way", async () => {
    const model = scriptedModel([{ text: "one" }, { text: "two" }]);
    const world = await testWorld({ model });
    const session = await world.open();
    await session.prompt("go");
    await session.chooseModel({ ...testModel, effort: "high" });
    await session.prompt("on");
    const reasons = (await world.entries()).flatMap((one) => (one.type === "epoch-opened" ? [one.reason] : []));
    expect(reasons).toEqual(["start", "effort-changed"]);
  });

  test("mode: the head stays as it is, one reminder says it, and it counts for the next call", async () => {
    const at = gate();
    const model = gatedModel([{ calls: [call("c1")] }, { text: "ok" }], { 0: at });
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const modes: string[] = [];
    const permission = world.config.permission;
    Object.assign(world.config, {
      permission: (asked: Parameters<typeof permission>[0]) => {
        modes.push(asked.mode);
        return permission(asked);
      },
    });
    const session = await world.open();
    const turn = session.prompt("go");
    await at.reached;
    await session.chooseMode("plan");
    await session.chooseMode("plan");
    at.open();
    await turn;
    expect(modes).toEqual(["plan"]);
    const [first, second] = model.bodies.map((body) => JSON.stringify(JSON.parse(body).system));
    expect(second?.replaceAll(/,"cache_control":\{[^}]*\}/g, "")).toBe(
      first?.replaceAll(/,"cache_control":\{[^}]*\}/g, ""),
    );
    expect(saidIn(last(model.bodies)).filter((text) => text.includes("Permission mode: plan"))).toHaveLength(1);
  });
});

describe("a fold and what comes meanwhile", () => {
  /** A turn whose second request has to be folded first; parked where `stop` says. */
  const folding = async (isPlace: (parked: { name: string; detail: string }, folds: boolean) => boolean) => {
    const view = fakeTool("look", true, async () => "word ".repeat(1_600), "whole");
    const model = scriptedModel([
      ...Array.from({ length: 3 }, (_, n) => ({
        text: `step ${n}`,
        calls: [call(`c${n}`)],
        promptTokens: 900 + n * 2_100,
      })),
      { text: "first" },
      { text: "second" },
    ]);
    const world = await testWorld({ model, tools: [view], windowTokens: 8_500 });
    const drive = manualDrive(world.fx);
    const session = await world.open(drive.fx);
    const turn = session.prompt("go");
    let results = 0;
    for (;;) {
      const parked = await drive.next();
      if (isPlace(parked, results > 0)) return { world, model, drive, session, turn };
      if (parked.detail.startsWith("tool-returned")) results++;
      await parked.release();
    }
  };
  const writing = (parked: { detail: string }, folds: boolean) => folds && parked.detail === "epoch-opened";
  const planning = (parked: { name: string; detail: string }, folds: boolean) =>
    folds && parked.name === "put-blob" && parked.detail.startsWith("[");
  const epochsOf = (entries: readonly { readonly type: string }[]) =>
    entries.flatMap((one) => ("reason" in one && one.type === "epoch-opened" ? [one.reason] : []));

  test("interrupt while it is planned: it is dropped, nothing was changed, and the turn ends", async () => {
    const { world, drive, session, turn } = await folding(planning);
    const interrupted = session.interrupt("test");
    await settled();
    await drive
      .parked()
      .find(({ name }) => name === "append")
      ?.release();
    drive.releaseAll();
    await interrupted;
    expect((await turn).reason).toBe("interrupted");
    expect(epochsOf(await world.entries())).toEqual(["start"]);
    expect((await session.prompt("on")).reason).toBe("done");
  });

  test("interrupt while it is written: it stands, and nothing is sent behind it", async () => {
    const { world, model, drive, session, turn } = await folding(writing);
    const sent = model.bodies.length;
    const interrupted = session.interrupt("test");
    await settled();
    drive.releaseAll();
    await interrupted;
    expect((await turn).reason).toBe("interrupted");
    expect(epochsOf(await world.entries())).toEqual(["start", "compacted"]);
    expect(model.bodies).toHaveLength(sent);
    expect((await session.prompt("on")).reason).toBe("done");
  });

  for (const [name, place] of [
    ["planned", planning],
    ["written", writing],
  ] as const)
    test(`a message while it is ${name}: it is in the next request, verbatim and last`, async () => {
      const { model, drive, session, turn } = await folding(place);
      const sent = model.bodies.length;
      const more = session.prompt("one more thing");
      await settled();
      // The message stands in the writer's queue before anything more is decided.
      await drive
        .parked()
        .find((parked) => parked.name === "observe")
        ?.release();
      await drive
        .parked()
        .find((parked) => parked.name === "append")
        ?.release();
      drive.releaseAll();
      await Promise.all([turn, more]);
      expect(saidIn(model.bodies[sent] ?? "").at(-1)).toBe("user text: one more thing");
      expect(saidIn(model.bodies[sent] ?? "").join()).toContain("folded-history");
    });
});
