import { describe, expect, test } from "vitest";
import type { Effects } from "../../src/agent/effects.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { EntryBody } from "../../src/log/entry.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { decodedBody } from "../support/bodies.ts";
import { aborted, gate, settled, typesOf } from "../support/gated.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

const call = (id: string, tool = "look") => ({ id, tool, input: {} });
const look = () => fakeTool("look", true, async () => "a view");

/** A disk that is full for appends that hold an entry of this type, until there is room again. */
function fullDisk(fx: Effects, type: EntryBody["type"] | "any"): { readonly fx: Effects; room(): void } {
  let full = true;
  return {
    room() {
      full = false;
    },
    fx: {
      ...fx,
      append: async (seq, entries) => {
        const hit = full && entries.some((entry) => type === "any" || entry.type === type);
        return hit ? { type: "refused", why: "no space left on device" } : await fx.append(seq, entries);
      },
    },
  };
}

const steps = () =>
  scriptedModel([
    { text: "I look.", calls: [call("c1"), call("c2")] },
    { text: "one" },
    { text: "two" },
    { text: "three" },
  ]);

async function resultsOf(world: TestWorld): Promise<readonly string[]> {
  const entries = await world.entries();
  return entries.flatMap((one) =>
    one.type === "tool-returned" || (one.type === "outcome-unknown" && one.what === "tool") ? [one.callId] : [],
  );
}

describe("a disk that is full", () => {
  test("for blobs and for the lines that say so: each run has its own error, and none of the run before", async () => {
    const tool = fakeTool("look", true, async () => "a view ".repeat(bounds.inlineOutputCharsMax));
    const world = await testWorld({ model: steps(), tools: [tool] });
    let full = true;
    const disk = fullDisk(world.fx, "outcome-unknown");
    const putBlob = async (text: string) => {
      if (full && text.startsWith("a view")) throw new Error("the disk is full: no blob");
      return await world.fx.putBlob(text);
    };
    const session = await world.open({ ...disk.fx, putBlob });
    await expect(session.prompt("go")).rejects.toThrow("could not be saved");
    full = false;
    disk.room();
    expect(await session.prompt("and now")).toMatchObject({ reason: "done" });
    expect((await resultsOf(world)).toSorted()).toEqual(["c1", "c2"]);
  });

  const places = [
    "message-added",
    "epoch-opened",
    "request-sent",
    "response-received",
    "permission-decided",
    "tool-started",
    "tool-returned",
    "turn-ended",
  ] as const;
  for (const type of places)
    test(`when it comes to \`${type}\`: the caller is told, nothing runs on, and with room the session goes on`, async () => {
      let ran = 0;
      const tool = fakeTool("look", true, async () => {
        ran++;
        return "a view";
      });
      const model = steps();
      const world = await testWorld({ model, tools: [tool] });
      const disk = fullDisk(world.fx, type);
      const session = await world.open(disk.fx);
      await expect(session.prompt("go")).rejects.toThrow("could not be saved: no space left on device");
      // Calls whose intent could not be written never started: the next prompt closes them and needs no such line.
      if (type !== "tool-started") await expect(session.prompt("still full?")).rejects.toThrow("no space left");
      const asked = model.bodies.length;
      await settled();
      expect(model.bodies).toHaveLength(asked);
      disk.room();
      const turn = await session.prompt("and now");
      expect(turn.reason).toBe("done");
      expect((await resultsOf(world)).toSorted()).toEqual(["c1", "c2"]);
      expect(ran).toBeLessThanOrEqual(2);
      for (const body of model.bodies) expect(wellformed(decodedBody(body))).toBeNull();
      const said = (await world.entries()).flatMap((one) => (one.type === "message-added" ? [one.text] : []));
      expect(said.at(-1)).toBe("and now");
      await expectSameAfterReopen(world);
    });

  test("results that could not be stored are stored with the next run, not lost and not run again", async () => {
    let ran = 0;
    const tool = fakeTool("look", true, async () => `view ${++ran}`);
    const world = await testWorld({ model: steps(), tools: [tool] });
    const disk = fullDisk(world.fx, "tool-returned");
    const session = await world.open(disk.fx);
    await expect(session.prompt("go")).rejects.toThrow("no space left");
    disk.room();
    expect((await session.resume())?.reason).toBe("done");
    const entries = await world.entries();
    expect(entries.flatMap((one) => (one.type === "tool-returned" ? [one.output] : [])).toSorted()).toEqual([
      "view 1",
      "view 2",
    ]);
    expect(typesOf(entries)).not.toContain("outcome-unknown");
  });

  test("a process that dies with results in hand leaves calls whose outcome is unknown", async () => {
    const world = await testWorld({ model: steps(), tools: [look()] });
    const session = await world.open(fullDisk(world.fx, "tool-returned").fx);
    await expect(session.prompt("go")).rejects.toThrow("no space left");
    const next = await world.open(await world.takeOver());
    expect((await next.resume())?.reason).toBe("done");
    expect(await resultsOf(world)).toEqual(["c1", "c2"]);
  });

  test("an interrupt that cannot be written stops what runs all the same", async () => {
    const at = gate();
    const stuck = fakeTool("look", true, async (_input, signal) => {
      at.arrive();
      await aborted(signal);
      return "stopped";
    });
    const world = await testWorld({ model: steps(), tools: [stuck] });
    const disk = fullDisk(world.fx, "any");
    let full = false;
    const append: Effects["append"] = (seq, entries) => (full ? disk.fx : world.fx).append(seq, entries);
    const session = await world.open({ ...world.fx, append });
    const ended = expect(session.prompt("go")).rejects.toThrow("no space left");
    await at.reached;
    full = true;
    await expect(session.interrupt("test")).rejects.toThrow("no space left");
    await ended;
    full = false;
    expect((await session.prompt("again")).reason).toBe("done");
    expect((await resultsOf(world)).toSorted()).toEqual(["c1", "c2"]);
  });

  test("a full blob store ends the turn with its error, and the call's outcome is unknown", async () => {
    const big = fakeTool("look", true, async () => "x".repeat(10_000));
    const world = await testWorld({ model: scriptedModel([{ calls: [call("c1")] }, { text: "ok" }]), tools: [big] });
    let full = true;
    const putBlob: Effects["putBlob"] = async (text) => {
      if (full && text.startsWith("xxx")) throw new Error("no space left for blobs");
      return await world.fx.putBlob(text);
    };
    const session = await world.open({ ...world.fx, putBlob });
    await expect(session.prompt("go")).rejects.toThrow("no space left for blobs");
    full = false;
    expect((await session.prompt("again")).text).toBe("ok");
    expect(await resultsOf(world)).toEqual(["c1"]);
  });
});

async function expectSameAfterReopen(world: TestWorld): Promise<void> {
  const before = (await world.entries()).filter(({ type }) => type === "epoch-opened").length;
  const again = await world.open(await world.takeOver());
  await again.prompt("after the restart");
  expect((await world.entries()).filter(({ type }) => type === "epoch-opened")).toHaveLength(before);
}

describe("another writer", () => {
  test("a conflict ends the session for good, says what to do, and stops what runs", async () => {
    const at = gate();
    const stuck = fakeTool("look", true, async (_input, signal) => {
      at.arrive();
      return await new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"), { once: true }));
    });
    const world = await testWorld({ model: steps(), tools: [stuck] });
    let conflict = false;
    const session = await world.open({
      ...world.fx,
      append: async (seq, entries) =>
        conflict ? { type: "conflict", head: { seq: seq + 1, hash: "" } } : await world.fx.append(seq, entries),
    });
    const turn = session.prompt("go");
    const ended = expect(turn).rejects.toThrow("another process wrote to this session");
    await at.reached;
    conflict = true;
    await expect(session.prompt("hello")).rejects.toThrow("another process wrote");
    await settled();
    await world.clock.advance(10_000);
    await ended;
    conflict = false;
    await expect(session.prompt("hello")).rejects.toThrow("another process wrote");
  });
});

describe("what others hand us", () => {
  test("a tool that throws, at once or later, is a failed call; the turn goes on", async () => {
    const later = fakeTool("later", true, async () => {
      throw new Error("later it broke");
    });
    const atOnce = fakeTool("at-once", true, async () => "");
    const sync = {
      ...atOnce,
      parse: () => ({
        type: "ok" as const,
        call: {
          access: { type: "none" as const },
          title: "t",
          run: () => {
            throw new Error("it broke at once");
          },
        },
      }),
    };
    const model = scriptedModel([{ calls: [call("a", "later"), call("b", "at-once")] }, { text: "I see" }]);
    const world = await testWorld({ model, tools: [later, sync] });
    const session = await world.open();
    expect((await session.prompt("go")).text).toBe("I see");
    expect(model.bodies[1]).toContain("The tool failed: later it broke");
    expect(model.bodies[1]).toContain("The tool failed: it broke at once");
  });

  test("a listener that throws is dropped and breaks nothing; the others hear on", async () => {
    const world = await testWorld({ model: steps(), tools: [look()] });
    const session = await world.open();
    let calls = 0;
    const heard: string[] = [];
    session.listen(() => {
      calls++;
      throw new Error("bad listener");
    });
    session.listen((event) => {
      if (event.type === "entry") heard.push(event.entry.type);
    });
    expect((await session.prompt("go")).reason).toBe("done");
    expect(calls).toBe(1);
    expect(heard).toEqual((await world.entries()).slice(2).map(({ type }) => type));
  });

  test("a prompt made by a listener at the very end of a turn is answered, however close it comes", async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      const world = await testWorld({ model: scriptedModel([{ text: "one" }, { text: "two" }]) });
      const session = await world.open();
      const next = Promise.withResolvers<string>();
      session.listen((event) => {
        if (event.type !== "entry" || event.entry.type !== "turn-ended" || session.state().lastTurn === null) return;
        const again = async () => {
          for (let tick = 0; tick < ticks; tick++) await null;
          next.resolve((await session.prompt("next")).text);
        };
        if (heard++ === 0) again().catch(next.reject);
      });
      let heard = 0;
      await session.prompt("go");
      expect(await next.promise, `${ticks} ticks`).toBe("two");
    }
  });

  test("asking that throws is a no", async () => {
    const model = scriptedModel([{ calls: [call("c1")] }, { text: "fine" }]);
    const world = await testWorld({
      model,
      tools: [look()],
      verdict: "ask",
      ask: async () => {
        throw new Error("the window was closed");
      },
    });
    const session = await world.open();
    expect((await session.prompt("go")).reason).toBe("permission-refused");
    expect(typesOf(await world.entries())).not.toContain("tool-started");
    expect(model.bodies[1]).toContain("the window was closed");
  });

  test("a rule that throws ends the run with its error and leaves the session usable", async () => {
    const world = await testWorld({
      model: scriptedModel([{ calls: [call("c1")] }, { text: "fine" }]),
      tools: [look()],
    });
    const allow = world.config.permission;
    Object.assign(world.config, {
      permission: () => {
        throw new Error("broken rule");
      },
    });
    const session = await world.open();
    await expect(session.prompt("go")).rejects.toThrow("broken rule");
    Object.assign(world.config, { permission: allow });
    expect((await session.prompt("again")).text).toBe("fine");
    expect(await resultsOf(world)).toEqual(["c1"]);
  });

  test("a world that cannot be looked at rejects the prompt before anything is written", async () => {
    const world = await testWorld({ model: steps() });
    const session = await world.open({
      ...world.fx,
      observe: async () => {
        throw new Error("git hangs");
      },
    });
    await expect(session.prompt("go")).rejects.toThrow("git hangs");
    expect(await world.entries()).toHaveLength(2);
    await session.interrupt("nothing to stop");
  });

  test("a tool's live output after its end reaches nobody", async () => {
    let say: (text: string) => void = () => {};
    const chatty = fakeTool("look", true, async () => "x");
    const tool = {
      ...chatty,
      parse: (input: unknown) => {
        const parsed = chatty.parse(input);
        if (parsed.type === "bad") return parsed;
        const run: typeof parsed.call.run = async (context, signal) => {
          say = context.onProgress;
          context.onProgress("now");
          return await parsed.call.run(context, signal);
        };
        return { type: "ok" as const, call: { ...parsed.call, run } };
      },
    };
    const world = await testWorld({ model: scriptedModel([{ calls: [call("c1")] }, { text: "ok" }]), tools: [tool] });
    const session = await world.open();
    const heard: string[] = [];
    session.listen((event) => {
      if (event.type === "progress") heard.push(event.text);
    });
    await session.prompt("go");
    say("late");
    expect(heard).toEqual(["now"]);
  });
});

test("a long message that is kept while a fold forgets old texts is still sent whole", async () => {
  const text = `long ${"word ".repeat(2_000)}`;
  const world = await testWorld({ model: steps(), tools: [look()] });
  const session = await world.open();
  await session.prompt("go");
  await session.chooseModel({ ...(session.state().model ?? expect.fail("no model")), model: "sim-small" });
  const [, second] = await Promise.all([session.prompt("again"), session.prompt(text)]);
  expect(second.reason).toBe("done");
  expect(JSON.stringify(session.state().live)).not.toContain("is missing");
});
