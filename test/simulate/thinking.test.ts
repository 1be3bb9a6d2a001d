import { describe, expect, test } from "vitest";
import { createSimulation, type SimulationOptions } from "../../src/testing/simulate/simulation.ts";
import { anthropic, anthropicHeaders, assistant, type Body, mark, post, result, text, user } from "./builders.ts";

const brain: NonNullable<SimulationOptions["brain"]> = (request) =>
  request.messages.at(-1)?.parts.some((part) => part.type === "result")
    ? { reasoning: "good", text: "done" }
    : { reasoning: "let me look", raw: [{ type: "text", text: "" }], calls: [{ tool: "Read", input: { n: 1 } }] };

const shown = { thinking: { type: "adaptive", display: "summarized" } };
const beta = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
const dropping = { thinking: { ...shown.thinking, block_binding: { prefix_mismatch_behavior: "drop_block" } } };

function talk(options: SimulationOptions = {}) {
  const simulation = createSimulation({ brain, ...options });
  return async (body: Body, headers: Readonly<Record<string, string>> = {}) => {
    const request = post("anthropic", { model: "sim-bound", max_tokens: 100, ...shown, ...body });
    const outcome = await simulation.handle({ ...request, headers: { ...anthropicHeaders, ...headers } }, 0);
    return { status: outcome.status, json: JSON.parse(outcome.frames.join("")) };
  };
}

async function firstStep(send: ReturnType<typeof talk>, more: Body = {}) {
  const { json } = await send({ messages: [user("hello")], ...more });
  const id = json.content.at(-1).id;
  return { content: json.content, answer: user([result(id)]) };
}

describe("reasoning is bound to what stands before it (PROTOCOLS A.3)", () => {
  test("the message as received goes back, empty text and all, with markers moved", async () => {
    const send = talk();
    const { content, answer } = await firstStep(send);
    expect(content.map((block: Body) => block.type)).toEqual(["thinking", "text", "tool_use"]);
    const second = await send({ messages: [user([text("hello", mark())]), assistant(content), answer] });
    expect([second.status, second.json.input_transformations]).toEqual([200, []]);
  });

  test("a later turn may leave old reasoning out, and what comes after stays valid", async () => {
    const send = talk();
    const { content, answer } = await firstStep(send);
    const second = await send({ messages: [user("hello"), assistant(content), answer] });
    const [, ...stripped] = content;
    const third = await send({
      messages: [user("hello"), assistant(stripped), answer, assistant(second.json.content), user("next")],
    });
    expect(third.status).toBe(200);
  });

  test.each<[string, Body]>([
    ["system text", { system: "new" }],
    ["a tool in front", { tools: [{ name: "x", input_schema: { type: "object" } }] }],
  ])("%s changed: 400 by default", async (_name, change) => {
    const send = talk();
    const { content, answer } = await firstStep(send);
    const { status, json } = await send({ messages: [user("hello"), assistant(content), answer], ...change });
    expect(status).toBe(400);
    expect(json.error.message).toMatch(/messages\.1\.content\.0.*signature.*bound to a different conversation/);
  });

  test("with drop_block the block and all later ones go, are reported, and count nothing", async () => {
    const send = talk();
    const one = await send({ ...dropping, messages: [user("hello")] }, beta);
    const reply = assistant(one.json.content);
    const results = user([result(one.json.content.at(-1).id)]);
    const two = await send({ ...dropping, messages: [user("hello"), reply, results] }, beta);
    const last = [assistant(two.json.content), user("next")];
    const three = await send({ ...dropping, messages: [user("HELLO"), reply, results, ...last] }, beta);
    expect(three.json.input_transformations).toEqual([
      { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
      { type: "thinking_dropped", path: "messages.3.content.0", reason: "prefix_binding_mismatch" },
    ]);
  });

  test("an account without the check, and a model without it, let the change pass", async () => {
    for (const [options, model] of [
      [{ binding: "off" as const }, "sim-bound"],
      [{}, "claude-opus-5"],
    ] as const) {
      const send = talk(options);
      const { content, answer } = await firstStep(send, { model });
      expect((await send({ model, system: "new", messages: [user("hello"), assistant(content), answer] })).status).toBe(
        200,
      );
    }
  });

  test("another model drops what it cannot read, without an error", async () => {
    const send = talk();
    const { content, answer } = await firstStep(send);
    const { status, json } = await send({
      model: "claude-opus-5",
      messages: [user("hello"), assistant(content), answer],
    });
    expect(status).toBe(200);
    expect(json.input_transformations).toEqual([
      { type: "thinking_dropped", path: "messages.1.content.0", reason: "model_binding_mismatch" },
    ]);
  });

  test("by default newer models show no text, only a signature, and that goes back as well", async () => {
    const send = talk();
    const plain = { thinking: { type: "adaptive" } };
    const { content, answer } = await firstStep(send, plain);
    expect(content[0].thinking).toBe("");
    expect((await send({ ...plain, messages: [user("hello"), assistant(content), answer] })).status).toBe(200);
  });

  test("thinking switched off yields none", async () => {
    const send = talk();
    const { content } = await firstStep(send, { thinking: { type: "disabled" } });
    expect(content.map((block: Body) => block.type)).toEqual(["text", "tool_use"]);
  });

  test("older models read only the newest turn's thinking, so an old one costs nothing later", async () => {
    const old = anthropic({
      model: "claude-sonnet-4-5",
      max_tokens: 9_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
    });
    const send = talk();
    const { content, answer } = await firstStep(send, old);
    const base = [user("hello"), assistant(content), answer];
    const done = await send({ ...old, messages: base });
    const later = { ...old, messages: [...base, assistant(done.json.content), user("next")] };
    const without = [
      user("hello"),
      assistant(content.slice(1)),
      answer,
      assistant(done.json.content.slice(1)),
      user("next"),
    ];
    const [kept, stripped] = [await send(later), await send({ ...old, messages: without })];
    expect([kept.status, kept.json.usage.input_tokens]).toEqual([200, stripped.json.usage.input_tokens]);
  });
});
