import { describe, expect, test } from "vitest";
import type { ModelChoice } from "../../src/log/entry.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { meteredLane } from "../support/metered-lane.ts";
import { fakeTool } from "../support/world.ts";

const choice: ModelChoice = {
  wire: "responses",
  model: "gpt-6.2-sol",
  effort: null,
  thinking: "off",
  outputTokensMax: 4_000,
};
const tools = [fakeTool("look", true, async () => `seen ${"word ".repeat(40)}`)];
const calls = (count: number) => Array.from({ length: count }, () => ({ tool: "look", input: { a: 1 } }));
const working: readonly BrainReply[] = Array.from({ length: 5 }, (_, at) => ({
  reasoning: `thinking about ${at} `.repeat(10),
  text: at % 2 === 0 ? "" : `looking ${at}`,
  calls: calls(1 + at),
}));
const turn: readonly BrainReply[] = [...working, { reasoning: "enough", text: "done" }];
const many = (times: number): readonly BrainReply[] => Array.from({ length: times }, () => turn).flat();

const itemsIn = (body: string): readonly { readonly type: string }[] => JSON.parse(body).input;

describe("a lane on Responses, whose simulator refuses reasoning after a changed prefix", () => {
  test("C-025, C-041 · turns of calls with their reasoning are never refused, and nothing that was sent ever changes", async () => {
    const lane = await meteredLane({ choice, tools, replies: many(4), simulated: { binding: "error" } });
    await lane.session.prompt(`go ${"word ".repeat(1_500)}`);
    await lane.session.chooseModel({ ...choice, effort: "high" });
    await lane.session.prompt("on");
    await lane.session.chooseMode("plan");
    lane.world.observed = [
      { key: "date", text: "2026-11-30" },
      { key: "working directory", text: "/w/app" },
    ];
    await lane.session.prompt("and on");
    await lane.reopen();
    await lane.session.chooseModel({ ...choice, effort: "low" });
    await lane.session.prompt("to the end");
    const records = lane.simulation.requests();
    expect(records.map(({ status }) => status)).toEqual(records.map(() => 200));
    expect(records).toHaveLength(4 * turn.length);
    expect(new Set((await lane.causes()).slice(1))).toEqual(new Set(["none"]));
    const last = records.at(-1)?.body ?? "";
    for (const { body } of records) {
      const items = itemsIn(body);
      expect(itemsIn(last).slice(0, items.length)).toEqual(items);
    }
    expect(itemsIn(last).filter(({ type }) => type === "reasoning").length).toBe(4 * turn.length - 1);
    expect(itemsIn(last).filter(({ type }) => type === "configuration_update").length).toBe(2);
  });

  test("C-025 · where a fold changes what stood before it, reasoning goes; the loop goes on and is not refused", async () => {
    let looks = 0;
    const lines = (from: number) => Array.from({ length: 200 }, (_, at) => `line ${from + 7 * at} of some output`);
    const wordy = [fakeTool("look", true, async () => lines(looks++ * 2_000).join("\n"))];
    const replies = [
      ...Array.from({ length: 14 }, () => ({ reasoning: "let me see ".repeat(20), calls: calls(1) })),
      { reasoning: "enough", text: "done" },
    ];
    for (const model of ["gpt-6.2-sol", "gpt-5.6-sol", "gpt-5.5"]) {
      const lane = await meteredLane({
        choice: { ...choice, model },
        tools: wordy,
        replies,
        windowTokens: 20_000,
        simulated: { binding: "error" },
      });
      await lane.session.prompt(`work ${"word ".repeat(1_500)}`);
      expect(lane.simulation.requests().map(({ status }) => status)).not.toContain(400);
      const causes = await lane.causes();
      expect(causes).toContain("break:compacted");
      expect(new Set(causes)).toEqual(new Set(["cold-start", "none", "break:compacted"]));
    }
  });

  test("C-023 · a service that gives no ids, or empty ones, is answered under ids of ours", async () => {
    for (const kind of ["call-without-id", "call-with-empty-id"] as const) {
      const lane = await meteredLane({ choice, tools, replies: turn });
      lane.simulation.addFaults([{ kind, skip: 0, times: 9, wire: null, value: null, message: null }]);
      await lane.session.prompt("go");
      const records = lane.simulation.requests();
      expect(records.map(({ status }) => status)).toEqual(turn.map(() => 200));
      expect(records.at(-1)?.body).not.toMatch(/"call_id":""/);
    }
  });
});

describe("Responses among other wires", () => {
  const messages: ModelChoice = { ...choice, wire: "anthropic", model: "claude-sonnet-5-5", thinking: "adaptive" };
  const chat: ModelChoice = { ...choice, wire: "chat", model: "sim-chat" };

  test.each(["tool.1", "a b:c/ü", "x".repeat(200), "", "call_0"])(
    "C-023, C-025 · the id %j again and again, with reasoning, across switches of wire and model, is never refused",
    async (id) => {
      const twice = [1, 2].map((a) => ({ tool: "look", input: { a }, id }));
      const replies = Array.from({ length: 7 }, (): readonly BrainReply[] => [
        { reasoning: "hm", text: "", calls: twice },
        { reasoning: "so", text: "done" },
      ]).flat();
      const lane = await meteredLane({ choice, tools, replies, simulated: { binding: "error" } });
      const older = { ...choice, model: "gpt-5.5" };
      for (const model of [choice, messages, choice, chat, older, choice, messages]) {
        await lane.session.chooseModel(model);
        expect(await lane.session.prompt("go on")).toMatchObject({ reason: "done", text: "done" });
      }
      const records = lane.simulation.requests();
      expect(records.map(({ status, violation }) => [status, violation])).toEqual(records.map(() => [200, null]));
    },
  );

  test.each([messages, chat, { ...choice, model: "gpt-5.6-sol" }])(
    "C-025 · an open tool loop of Responses goes on by $wire $model and back, and no foreign reasoning is sent",
    async (other) => {
      const loop = Array.from({ length: 3 }, (): BrainReply => ({ reasoning: "secret thought", calls: calls(2) }));
      const replies = [...loop, { reasoning: "enough", text: "done" }];
      const lane = await meteredLane({ choice, tools, replies, stepsMax: 1, simulated: { binding: "error" } });
      expect((await lane.session.prompt("start")).reason).toBe("step-limit");
      await lane.session.chooseModel(other);
      expect((await lane.session.prompt("go on")).reason).toBe("step-limit");
      await lane.session.chooseModel(choice);
      Object.assign(lane.world.config, { stepsMax: 50 });
      expect(await lane.session.prompt("and on")).toMatchObject({ reason: "done", text: "done" });
      const records = lane.simulation.requests();
      expect(records.map(({ status, violation }) => [status, violation])).toEqual(records.map(() => [200, null]));
      expect(records[1]?.body).not.toMatch(/encrypted_content":|secret thought/);
    },
  );
});
