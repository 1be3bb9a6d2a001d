import { describe, expect, test } from "vitest";
import { type Reductions, usualReductions } from "../../src/agent/reductions.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { meteredLane } from "../support/metered-lane.ts";
import { randomSession, wildModels } from "../support/random-session.ts";
import { fakeTool } from "../support/world.ts";

const byProvider: Reductions = { ...usualReductions, clearing: "provider", summaries: "off" };
const seedsOf = (from: number) => Array.from({ length: 8 }, (_, at) => from + at);

describe("sessions that go from model to model over all wires, also inside a tool loop, are never refused and never stop", () => {
  test.each([
    ["nothing else happens", { troubles: false, deaths: false }],
    ["every kind of failure, interrupts, and processes that die", { troubles: true, deaths: true }],
    ["the same in a small window", { troubles: true, deaths: true, windowTokens: 24_000 }],
    ["the service drops what does not fit its prefix", { troubles: true, deaths: true, binding: "drop_block" }],
    [
      "where it can, the service clears by itself",
      { troubles: true, deaths: true, reads: true, windowTokens: 60_000, reductions: byProvider },
    ],
  ] as const)(
    "law 2, C-023, C-025 · %s",
    async (_, wildness) => {
      for (const seed of seedsOf(1)) {
        const found = await randomSession(seed, { models: wildModels, ...wildness });
        expect([seed, ...found]).toEqual([seed]);
      }
    },
    120_000,
  );
});

const gemini: ModelChoice = {
  wire: "gemini",
  model: "gemini-3.5-flash",
  effort: null,
  thinking: "adaptive",
  outputTokensMax: 4_000,
};
const budgeted: ModelChoice = {
  ...gemini,
  wire: "anthropic",
  model: "claude-sonnet-4-5",
  thinking: { budgetTokens: 2_000 },
};
const tools = [fakeTool("look", true, async () => "seen")];
const call: BrainReply = { calls: [{ tool: "look", input: {} }] };

test("C-025 · a loop whose last answer says nothing on the new wire is still open there, and goes on without thinking", async () => {
  const replies: readonly BrainReply[] = [call, { reasoning: "only a thought" }, { text: "done" }];
  const lane = await meteredLane({ choice: gemini, tools, replies });
  await lane.session.prompt("start");
  await lane.session.chooseModel(budgeted);
  expect(await lane.session.prompt("go on")).toMatchObject({ reason: "done", text: "done" });
});

test.each([
  ["gemini-2.5-pro", 50, 128],
  ["gemini-2.5-pro", 1_000_000, 32_768],
  ["gemini-2.5-flash-lite", 5, 512],
  ["gemini-2.5-flash", 30_000, 24_576],
])("a budget that %s would refuse (%i) is brought to the nearest it takes", async (model, budgetTokens, sent) => {
  const choice: ModelChoice = { ...gemini, model, thinking: { budgetTokens }, outputTokensMax: 60_000 };
  const lane = await meteredLane({ choice, replies: [{ text: "done" }] });
  expect(await lane.session.prompt("start")).toMatchObject({ reason: "done" });
  expect(lane.simulation.requests()[0]?.body).toContain(`"thinkingBudget":${sent}`);
});

describe("an effort that was said, and then a model without one", () => {
  const sol: ModelChoice = { ...gemini, wire: "responses", model: "gpt-6.2-sol", thinking: "off" };
  const opus: ModelChoice = { ...sol, wire: "anthropic", model: "claude-opus-5-5", thinking: "adaptive" };
  const chat: ModelChoice = { ...sol, wire: "chat", model: "sim-chat" };
  const ways: readonly (readonly ModelChoice[])[] = [
    [sol, { ...sol, effort: "low" }, { ...sol, effort: "high" }, chat, sol],
    [{ ...sol, effort: "low" }, { ...sol, effort: "high" }, sol],
    [{ ...opus, effort: "low" }, { ...opus, effort: "high" }, chat, opus, gemini],
    [{ ...opus, effort: "low" }, { ...opus, effort: "high" }, opus],
    [
      { ...sol, effort: "high" },
      { ...sol, effort: "low" },
      { ...opus, effort: "low" },
    ],
  ];
  test.each(ways)(
    "law 10 · opens one epoch for each change and goes on, whether a turn lies between or not",
    async (...models) => {
      for (const isTurnBetween of [true, false]) {
        const [first = sol, ...others] = models;
        const lane = await meteredLane({ choice: first, replies: [], simulated: { binding: "error" } });
        await lane.session.prompt("start");
        for (const model of others) {
          await lane.session.chooseModel(model);
          if (isTurnBetween) expect(await lane.session.prompt("on")).toMatchObject({ reason: "done" });
        }
        expect(await lane.session.prompt("go on")).toMatchObject({ reason: "done" });
        const opened = (await lane.world.entries()).filter(({ type }) => type === "epoch-opened").length;
        expect(opened).toBeLessThanOrEqual(models.length);
        expect(lane.simulation.requests().map(({ status }) => status)).not.toContain(400);
      }
    },
  );
});
