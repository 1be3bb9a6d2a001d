import { expect, test } from "vitest";
import type { ModelChoice } from "../../src/log/entry.ts";
import { anthropicDecoder } from "../../src/provider/anthropic/decoder.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { meteredLane } from "../support/metered-lane.ts";
import { fakeTool } from "../support/world.ts";

const chat: ModelChoice = { wire: "chat", model: "sim-chat", effort: null, thinking: "off", outputTokensMax: 4_000 };
const messages: ModelChoice = { ...chat, wire: "anthropic", model: "sim-plain" };
const budgeted: ModelChoice = { ...messages, model: "claude-sonnet-4-5", thinking: { budgetTokens: 2_000 } };
const tools = [fakeTool("Read", true, async () => "text")];
const calls = (...ids: readonly string[]): BrainReply => ({
  calls: ids.map((id) => ({ tool: "Read", input: {}, id })),
});

test.each(["tool.1", "a b:c/ü", "😀", "x".repeat(200), "", "call_0"])(
  "C-023 · the id %j again and again, on either wire and across switches both ways, is never refused",
  async (id) => {
    const replies = Array.from({ length: 6 }, () => [calls(id, id), { text: "done" }]).flat();
    const lane = await meteredLane({ choice: chat, tools, replies });
    for (const model of [chat, messages, chat, messages, messages, chat]) {
      await lane.session.chooseModel(model);
      expect(await lane.session.prompt("go on")).toMatchObject({ reason: "done", text: "done" });
    }
    expect(lane.simulation.requests().map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  },
);

test("C-023 · an id that another wire used is taken, in the form it was said there and in the one it is sent in here", () => {
  const idOf = (isTaken: (id: string) => boolean) => {
    const decoder = anthropicDecoder(() => "new", isTaken);
    const block = { type: "tool_use", id: "tool.1", name: "Read", input: {} };
    for (const data of [{ type: "content_block_start", index: 0, content_block: block }, { type: "message_stop" }])
      decoder.push({ type: "event", data });
    const end = decoder.end();
    return end.type === "received" ? end.blocks.map((one) => (one.type === "tool-call" ? one.callId : "")) : [];
  };
  const [legal] = idOf(() => false);
  expect(legal).toMatch(/^tool_1_[0-9a-f]{12}$/);
  expect(idOf((id) => id === "tool.1")).toEqual(["new"]);
  expect(idOf((id) => id === legal)).toEqual(["new"]);
});

test.each([
  ["another wire", chat],
  ["the same wire without thinking", messages],
  ["another model with a budget", { ...budgeted, model: "claude-haiku-4-5" }],
] as const)(
  "C-025 · budgeted thinking takes over an open tool loop of %s, and thinks again in the next turn",
  async (_, from) => {
    const script: readonly BrainReply[] = [
      { ...calls("a", "b"), reasoning: "hm" },
      { ...calls("c"), reasoning: "hm" },
      { text: "done", reasoning: "hm" },
      { ...calls("d"), reasoning: "hm" },
      { text: "done again", reasoning: "hm" },
    ];
    const lane = await meteredLane({ choice: from, tools, replies: script, stepsMax: 1 });
    expect((await lane.session.prompt("start")).reason).toBe("step-limit");
    await lane.session.chooseModel(budgeted);
    Object.assign(lane.world.config, { stepsMax: 50 });
    expect(await lane.session.prompt("go on")).toMatchObject({ reason: "done", text: "done" });
    expect(await lane.session.prompt("and on")).toMatchObject({ reason: "done", text: "done again" });
    const sent = lane.simulation.requests().slice(1);
    expect(sent.map(({ status, violation }) => [status, violation])).toEqual(sent.map(() => [200, null]));
    const opened = (await lane.world.entries()).flatMap((one) => (one.type === "epoch-opened" ? [one.reason] : []));
    expect(opened.at(-1)).toBe("effort-changed");
    expect(lane.session.state().model).toEqual(budgeted);
    expect(sent.at(-1)?.body).toContain('"thinking":{"type":"enabled"');
  },
);

test("C-025 · a text typed while a tool ran does not take the thinking from the loop when the front changes behind it", async () => {
  const replies: readonly BrainReply[] = [
    { ...calls("a"), reasoning: "hm" },
    { text: "done", reasoning: "hm" },
  ];
  const lane = await meteredLane({ choice: budgeted, tools, replies, stepsMax: 1 });
  await lane.session.prompt("start");
  lane.simulation.addFaults([{ kind: "billing", skip: 0, times: 1, wire: null, value: null, message: null }]);
  Object.assign(lane.world.config, { stepsMax: 50 });
  expect((await lane.session.prompt("hurry")).reason).toBe("provider-gave-up");
  await lane.session.chooseModel({ ...budgeted, outputTokensMax: 5_000 });
  lane.world.observed = [
    { key: "date", text: "2026-12-01" },
    { key: "working directory", text: "/w/app" },
  ];
  expect(await lane.session.prompt("go on")).toMatchObject({ reason: "done", text: "done" });
  expect(lane.simulation.requests().at(-1)?.body).toContain('"type":"thinking","thinking":"hm"');
});
