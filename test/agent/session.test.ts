import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, testWorld } from "../support/world.ts";

const typesOf = (entries: readonly { readonly type: string }[]) => entries.map(({ type }) => type);

describe("a turn", () => {
  test("ends with what the model said, and its log holds intent before result", async () => {
    const model = scriptedModel([
      { text: "I look.", calls: [{ id: "c1", tool: "look", input: { at: 1 } }] },
      { text: "Found it." },
    ]);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "a view")] });
    const session = await world.open();
    const turn = await session.prompt("find it");
    expect(turn).toEqual({ reason: "done", detail: "", text: "Found it." });
    expect(typesOf(await world.entries()).filter((type) => type !== "estimate-corrected")).toEqual([
      "session-started",
      "model-chosen",
      "context-observed",
      "context-observed",
      "message-added",
      "epoch-opened",
      "request-sent",
      "response-received",
      "permission-decided",
      "tool-started",
      "tool-returned",
      "request-sent",
      "response-received",
      "turn-ended",
    ]);
  });

  test("keeps every earlier block in place: the second body begins with the first one's messages", async () => {
    const model = scriptedModel([
      { calls: [{ id: "c1", tool: "look", input: {} }] },
      { text: "ok" },
      { text: "again" },
    ]);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "a view")] });
    const session = await world.open();
    await session.prompt("one");
    await session.prompt("two");
    const [first, second, third] = model.bodies.map((body) =>
      world.config.codecFor("anthropic").segments(new TextEncoder().encode(body)),
    );
    const hashes = (list: typeof first) => (list ?? []).map(({ hash }) => hash);
    expect(hashes(second).slice(0, hashes(first).length)).toEqual(hashes(first));
    expect(hashes(third).slice(0, hashes(second).length)).toEqual(hashes(second));
  });

  test("stops at the step limit and says so", async () => {
    const calls = Array.from({ length: 9 }, (_, n) => ({ calls: [{ id: `c${n}`, tool: "look", input: {} }] }));
    const world = await testWorld({
      model: scriptedModel(calls),
      tools: [fakeTool("look", true, async () => "x")],
      stepsMax: 3,
    });
    const session = await world.open();
    expect((await session.prompt("go")).reason).toBe("step-limit");
  });

  test("an unknown tool and a bad input are answered with an error that names them, and the turn goes on", async () => {
    const model = scriptedModel([
      {
        calls: [
          { id: "c1", tool: "nope", input: {} },
          { id: "c2", tool: "look", input: 7 },
        ],
      },
      { text: "I see" },
    ]);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")] });
    const session = await world.open();
    expect((await session.prompt("go")).text).toBe("I see");
    expect(model.bodies[1]).toContain('no tool named \\"nope\\"');
  });

  test("that was broken off goes on without a new message, and only where something waits for its answer", async () => {
    const calls = Array.from({ length: 4 }, (_, n) => ({ calls: [{ id: `c${n}`, tool: "look", input: {} }] }));
    const model = scriptedModel([...calls, { text: "there" }]);
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")], stepsMax: 3 });
    const session = await world.open();
    expect(await session.resume()).toBeNull();
    expect((await session.prompt("go")).reason).toBe("step-limit");
    expect(await session.resume()).toMatchObject({ reason: "done", text: "there" });
    expect(await session.resume()).toBeNull();
    expect((await world.entries()).filter(({ type }) => type === "turn-resumed")).toHaveLength(1);
  });
});
