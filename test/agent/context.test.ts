import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import type { Tool, ToolOutcome } from "../../src/tools/tool.ts";
import { decodedBody, saidIn, segmentsOf } from "../support/bodies.ts";
import { settled, typesOf } from "../support/gated.ts";
import { fakeTool, type TestWorld, testModel, testWorld } from "../support/world.ts";

const call = (id: string, tool = "look") => ({ id, tool, input: {} });
const answers = (count: number) => scriptedModel(Array.from({ length: count }, (_, n) => ({ text: `answer ${n}` })));
const headOf = (body: string) =>
  segmentsOf(body)
    .filter(({ role }) => role === "tools" || role === "system")
    .map(({ hash }) => hash);
const hashesOf = (body: string) => segmentsOf(body).map(({ hash }) => hash);
const date = (text: string) => [
  { key: "date", text },
  { key: "working directory", text: "/w/app" },
];

describe("time", () => {
  test("C-029 · does not change a byte of tools and system, nor of anything that was sent", async () => {
    const model = answers(3);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const session = await world.open();
    for (const ms of [0, 7_000, 7_199_000]) {
      await world.clock.advance(ms);
      await session.prompt(`at ${ms}`);
    }
    const [first, second, third] = model.bodies;
    expect(headOf(second ?? "")).toEqual(headOf(first ?? ""));
    expect(headOf(third ?? "")).toEqual(headOf(first ?? ""));
    expect(hashesOf(third ?? "").slice(0, hashesOf(second ?? "").length)).toEqual(hashesOf(second ?? ""));
  });

  test("C-037 · a session resumed on a later day is told so at its end; what stands in front keeps its bytes", async () => {
    const model = answers(3);
    const world = await testWorld({ model });
    await (await world.open()).prompt("today");
    await world.clock.advance(26 * 3_600_000);
    world.observed = date("2026-11-30");
    const later = await world.open(await world.takeOver());
    await later.prompt("tomorrow");
    await later.prompt("still tomorrow");
    const [first, second, third] = model.bodies.map(hashesOf);
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(third?.slice(0, second?.length)).toEqual(second);
    const texts = saidIn(model.bodies[2] ?? "");
    expect(texts[0]).toContain("date: 2026-11-29");
    expect(texts.filter((text) => text.includes("date is now: 2026-11-30"))).toHaveLength(1);
    expect(texts.at(-1)).toBe("user text: still tomorrow");
    expect((await world.entries()).filter(({ type }) => type === "epoch-opened")).toHaveLength(1);
  });

  test("a value that changes and changes back is said each time, and never when it stays", async () => {
    const model = answers(5);
    const world = await testWorld({ model });
    const session = await world.open();
    for (const day of ["2026-11-29", "2026-11-30", "2026-11-30", "2026-11-29", "2026-11-29"]) {
      world.observed = date(day);
      await session.prompt(day);
    }
    const told = saidIn(model.bodies[4] ?? "").filter((text) => text.includes("is now"));
    expect(told.map((text) => text.match(/2026-11-\d\d/)?.[0])).toEqual(["2026-11-30", "2026-11-29"]);
  });
});

describe("files the model has seen", () => {
  const reading = (hash: string, paths: readonly string[] = ["src/a.ts"]): Tool => {
    const tool = fakeTool("look", true, async () => "");
    const outcome: ToolOutcome = {
      ending: "done",
      output: "the file",
      exitCode: null,
      files: paths.map((path) => ({ path, hash: hashOf(hash), how: "read" })),
      images: [],
      form: "whole",
    };
    return {
      ...tool,
      parse: () => ({ type: "ok", call: { access: { type: "none" }, title: "Read", run: async () => outcome } }),
    };
  };
  const seen = async () => {
    const model = scriptedModel([{ calls: [call("c1")] }, ...Array.from({ length: 8 }, () => ({ text: "ok" }))]);
    const world = await testWorld({ model, tools: [reading("one")] });
    world.files = { "src/a.ts": hashOf("one") };
    const session = await world.open();
    await session.prompt("read it");
    const told = () => saidIn(model.bodies.at(-1) ?? "").filter((text) => text.includes("src/a.ts"));
    return { world, session, told };
  };

  test("are said to have changed once per change, at the tail", async () => {
    const { world, session, told } = await seen();
    await session.prompt("nothing changed");
    expect(told()).toEqual([]);
    world.files = { "src/a.ts": hashOf("two") };
    await session.prompt("now?");
    await session.prompt("and now?");
    expect(told()).toEqual([expect.stringContaining("src/a.ts changed on disk since you last saw it.")]);
    world.files = { "src/a.ts": null };
    await session.prompt("gone?");
    expect(told()).toHaveLength(2);
    expect(told()[1]).toContain("is gone");
    await session.prompt("still gone?");
    expect(told()).toHaveLength(2);
  });

  test("are watched up to `bounds.filesWatchedMax`, the ones seen last", async () => {
    const paths = Array.from({ length: bounds.filesWatchedMax + 1 }, (_, at) => `src/${at}.ts`);
    const model = scriptedModel([{ calls: [call("c1")] }, { text: "ok" }, { text: "ok" }]);
    const world = await testWorld({ model, tools: [reading("one", paths)] });
    world.files = Object.fromEntries(paths.map((path) => [path, hashOf("one")]));
    const session = await world.open();
    await session.prompt("read them");
    world.files = Object.fromEntries(paths.map((path) => [path, hashOf("two")]));
    await session.prompt("now?");
    const told = saidIn(model.bodies.at(-1) ?? "").join("\n");
    expect(told.match(/changed on disk/g)).toHaveLength(bounds.filesWatchedMax);
    expect(told).not.toContain("src/0.ts");
  });

  test("are said to be as they were when they come back, and to have changed when they change again", async () => {
    const { world, session, told } = await seen();
    for (const content of ["two", "one", "one", "two"]) {
      world.files = { "src/a.ts": hashOf(content) };
      await session.prompt(content);
    }
    expect(told().map((text) => /(changed|again)/.exec(text)?.[1])).toEqual(["changed", "again", "changed"]);
  });

  test("a change is still said when a fold comes before the request that would have said it", async () => {
    const { world, session, told } = await seen();
    world.files = { "src/a.ts": hashOf("two") };
    Object.assign(world.config, { windowFor: () => ({ windowTokens: 2_600 }) });
    const turn = await session.prompt(`go on ${"word ".repeat(500)}`);
    if (turn.reason === "done") expect(told().join()).toContain("changed on disk");
    else expect(turn.reason).toBe("window-too-small");
  });
});

describe("C-019 · a history that ends, or has a gap, behind calls", () => {
  const orphaned = async (): Promise<TestWorld> => {
    const at = Promise.withResolvers<void>();
    const stuck = fakeTool("look", true, async () => {
      at.resolve();
      return await new Promise<string>(() => {});
    });
    const model = scriptedModel([
      { text: "I run them", calls: [call("a"), call("b")] },
      { text: "I see" },
      { text: "later" },
    ]);
    const world = await testWorld({ model, tools: [stuck] });
    void (await world.open()).prompt("run tests");
    await at.promise;
    await settled();
    return Object.assign(world, { bodies: model.bodies });
  };

  test("is resumed with an error result for each, in order, in front of the new text; the bytes stay the same", async () => {
    const world = await orphaned();
    const session = await world.open(await world.takeOver());
    await session.prompt("go on");
    const bodies: readonly string[] = "bodies" in world && Array.isArray(world.bodies) ? world.bodies : [];
    const [results, again] = [saidIn(bodies[1] ?? ""), saidIn(bodies[1] ?? "").slice(-3)];
    expect(results.filter((text) => text.startsWith("user tool-result"))).toHaveLength(2);
    expect(again).toEqual([
      expect.stringContaining("user tool-result: Interrupted"),
      expect.stringContaining("user tool-result: Interrupted"),
      "user text: go on",
    ]);
    expect(bodies[1]?.match(/"is_error":true/g)).toHaveLength(2);
    await (await world.open(await world.takeOver())).prompt("more");
    expect(hashesOf(bodies[2] ?? "").slice(0, hashesOf(bodies[1] ?? "").length)).toEqual(hashesOf(bodies[1] ?? ""));
    expect(typesOf(await world.entries()).filter((type) => type === "outcome-unknown")).toHaveLength(2);
  });
});

describe("C-025 · reasoning", () => {
  const event = (data: unknown) => ({ type: "event" as const, data });
  const thinking = [
    { type: "thinking", thinking: "I ponder", signature: "S1" },
    { type: "redacted_thinking", data: "D1" },
    { type: "text", text: "I look" },
    { type: "tool_use", id: "t1", name: "look", input: {} },
  ];
  const thoughtful = () => {
    const rest = scriptedModel([{ text: "ok" }, { text: "more" }, { text: "more" }]);
    const bodies: string[] = [];
    return {
      bodies,
      async *stream(...[request, signal]: Parameters<typeof rest.stream>) {
        bodies.push(request.body);
        if (bodies.length > 1) return yield* rest.stream(request, signal);
        yield event({
          type: "message_start",
          message: { id: "m", model: "sim", content: [], usage: { input_tokens: 9 } },
        });
        for (const [index, block] of thinking.entries()) {
          yield event({ type: "content_block_start", index, content_block: block });
          yield event({ type: "content_block_stop", index });
        }
        yield event({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } });
        yield event({ type: "message_stop" });
        return;
      },
    };
  };

  test("goes back as it came while the model stays; to another model none of it goes, and what is left is legal", async () => {
    const model = thoughtful();
    const choice = { ...testModel, thinking: "adaptive" as const };
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")], choice });
    const session = await world.open();
    await session.prompt("go");
    expect(model.bodies[1]).toContain(
      thinking
        .slice(0, 3)
        .map((block) => JSON.stringify(block))
        .join(","),
    );
    await session.chooseModel({ ...choice, model: "claude-other" });
    await session.prompt("on");
    const body = model.bodies[2] ?? "";
    for (const trace of ["S1", "D1", "I ponder"]) expect(body).not.toContain(trace);
    expect(body).toContain("I look");
    expect(wellformed(decodedBody(body))).toBeNull();
  });

  test("does not go to another wire, nor anything else that is that wire's own", async () => {
    const model = thoughtful();
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const session = await world.open();
    await session.prompt("go");
    await session.chooseModel({ ...testModel, wire: "chat", model: "local" });
    const turn = session.prompt("on");
    await settled();
    await session.interrupt("the scripted model speaks the other wire");
    await turn;
    const body = model.bodies[2] ?? "";
    for (const trace of ["S1", "D1", "I ponder", "signature", "cache_control"]) expect(body).not.toContain(trace);
    expect(wellformed(decodedBody(body, "chat"))).toBeNull();
  });
});
