import { describe, expect, test } from "vitest";
import { createSimulation, type SimulationOptions } from "../../src/testing/simulate/simulation.ts";
import { type Body, breakpoint, fn, fnOutput, input, post, user } from "./builders.ts";

const brain: NonNullable<SimulationOptions["brain"]> = (request) =>
  request.messages.at(-1)?.parts.some((part) => part.type === "result")
    ? { reasoning: "good", text: "done" }
    : { reasoning: "let me look", text: "I look.", calls: [{ tool: "Read", input: { n: 1 } }] };

function talk(options: SimulationOptions = {}) {
  const simulation = createSimulation({ brain, ...options });
  return async (items: readonly unknown[], more: Body = {}) => {
    const body = { model: "sim-responses", store: false, include, ...more, input: items };
    const outcome = await simulation.handle(post("responses", body), 0);
    return { status: outcome.status, json: JSON.parse(outcome.frames.join("")) };
  };
}
const include = ["reasoning.encrypted_content"];

async function firstStep(send: ReturnType<typeof talk>, more: Body = {}) {
  const { json } = await send([user("hello")], more);
  return { output: json.output, answer: fnOutput(json.output.at(-1).call_id) };
}

describe("reasoning items are bound to what stands before them (PROTOCOLS B.3)", () => {
  test("the output as received goes back, with breakpoints moved and ids left out", async () => {
    const send = talk();
    const { output, answer } = await firstStep(send);
    expect(output.map((item: Body) => item.type)).toEqual(["reasoning", "message", "function_call"]);
    const second = await send([user([input("hello", breakpoint())]), ...output, answer]);
    expect([second.status, second.json.input_transformations]).toEqual([200, []]);
    const bare = output.map(({ id, ...item }: Body) => (item.type === "reasoning" ? { id, ...item } : item));
    expect((await send([user("hello"), ...bare, answer])).status).toBe(200);
  });

  test.each<[string, Body]>([
    ["a tool in front", { tools: [fn("x")] }],
    ["another first message", { input: [user("HELLO")] }],
  ])("%s: 400 that names the item, where the account says so", async (_name, { input: head, ...change }) => {
    const send = talk();
    const { output, answer } = await firstStep(send);
    const { status, json } = await send([...(Array.isArray(head) ? head : [user("hello")]), ...output, answer], change);
    expect([status, json.error.code]).toEqual([400, "prefix_mismatch"]);
    expect(json.error.message).toContain(output[0].id);
  });

  test("otherwise the item and all later ones are removed without a word but the report, and count nothing", async () => {
    const send = talk({ binding: "drop_block" });
    const one = await firstStep(send);
    const loop = [user("hello"), ...one.output, one.answer];
    const two = await send(loop);
    const changed = [user("HELLO"), ...one.output, one.answer, ...two.json.output, user("next")];
    const three = await send(changed);
    const removed = (item: Body) => ({ id: item.id, type: "reasoning", action: "removed", reason: "prefix_mismatch" });
    expect(three.json.input_transformations).toEqual([removed(one.output[0]), removed(two.json.output[0])]);
    const bare = await send(changed.filter((item) => !("type" in item) || item.type !== "reasoning"));
    expect(bare.json.usage.input_tokens).toBe(three.json.usage.input_tokens);
  });

  test("an account without the check, and a model without it, let the change pass", async () => {
    for (const [options, model] of [
      [{ binding: "off" as const }, "sim-responses"],
      [{}, "gpt-6-sol"],
    ] as const) {
      const send = talk(options);
      const { output, answer } = await firstStep(send, { model });
      expect((await send([user("HELLO"), ...output, answer], { model })).status).toBe(200);
    }
  });

  test("another model removes what it cannot read and says so", async () => {
    const send = talk();
    const { output, answer } = await firstStep(send);
    const { status, json } = await send([user("hello"), ...output, answer], { model: "gpt-5.6-sol" });
    expect([status, json.input_transformations]).toEqual([
      200,
      [{ id: output[0].id, type: "reasoning", action: "removed", reason: "model_mismatch" }],
    ]);
  });

  test("altered encrypted content is refused always", async () => {
    const send = talk({ binding: "off" });
    const { output, answer } = await firstStep(send);
    const [reasoning, ...rest] = output;
    const altered = { ...reasoning, encrypted_content: reasoning.encrypted_content.replace(/^.{4}/, "AAAA") };
    const { status, json } = await send([user("hello"), altered, ...rest, answer]);
    expect([status, json.error.code]).toEqual([400, "invalid_encrypted_content"]);
  });

  test("in an open tool loop it may not be left out; once the turn is over it may", async () => {
    const send = talk();
    const { output, answer } = await firstStep(send);
    const stripped = [user("hello"), ...output.slice(1), answer];
    const { status, json } = await send(stripped);
    expect([status, json.error.message]).toEqual([
      400,
      expect.stringContaining("without its required 'reasoning' item"),
    ]);
    expect((await send([...stripped, user("next")])).status).toBe(200);
  });

  test("what was not asked for when nothing is stored does not come, and is not missed", async () => {
    const send = talk();
    const bare = { include: [] };
    const { output, answer } = await firstStep(send, bare);
    expect(output[0]).not.toHaveProperty("encrypted_content");
    expect((await send([user("hello"), ...output.slice(1), answer], bare)).status).toBe(200);
    expect((await send([user("hello"), ...output, answer], bare)).status).toBe(400);
    const stored = await firstStep(send, { store: true, include: [] });
    expect(stored.output[0]).toHaveProperty("encrypted_content");
  });

  test("a summary comes where it is asked for, and effort none yields no reasoning", async () => {
    const send = talk();
    const told = await firstStep(send, { reasoning: { summary: "auto" } });
    expect(told.output[0].summary).toEqual([{ type: "summary_text", text: "let me look" }]);
    const six = { model: "gpt-6-sol" };
    const none = await firstStep(send, { ...six, reasoning: { effort: "none" } });
    expect(none.output.map((item: Body) => item.type)).toEqual(["message", "function_call"]);
    const update = { type: "configuration_update", reasoning: { effort: "none" } };
    const { json } = await send([user("hello"), update], six);
    expect(json.output[0].type).toBe("message");
  });

  test("older models read only the newest turn's reasoning, unless all turns are asked for", async () => {
    const send = talk();
    const old = { model: "gpt-5.5" };
    const { output, answer } = await firstStep(send, old);
    const loop = [user("hello"), ...output, answer];
    const done = await send(loop, old);
    const later = [...loop, ...done.json.output, user("next")];
    const bare = later.filter((item) => !("type" in item) || item.type !== "reasoning");
    const size = async (items: readonly unknown[], more: Body = {}) =>
      (await send(items, { ...old, ...more })).json.usage.input_tokens;
    expect(await size(later)).toBe(await size(bare));
    expect(await size(later, { reasoning: { context: "all_turns" } })).toBeGreaterThan(await size(bare));
  });
});
