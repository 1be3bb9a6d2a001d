import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { fakeServers, toolsOf } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { testWorld } from "../support/world.ts";

const models: readonly (readonly [Wire, string])[] = [
  ["anthropic", "claude-sonnet-5-5"],
  ["responses", "gpt-6.2-sol"],
  ["gemini", "gemini-4-argon"],
  ["chat", "sim-chat"],
];

const choiceOf = (wire: Wire, model: string): ModelChoice => {
  const choice: ModelChoice = { wire, model, effort: null, thinking: "off", outputTokensMax: 4_000 };
  return wire === "chat" ? choice : { ...choice, thinking: "adaptive" };
};

describe.each(models)("%s: tools of servers", (wire, model) => {
  const name = "mcp__shop__look";
  const reveals = wire === "anthropic" || wire === "responses";

  test("are found, called and answered without moving what was sent", async () => {
    const { servers, called } = fakeServers([
      serverState("shop", [listedTool("look", { readOnlyHint: true }), listedTool("buy")]),
    ]);
    const simulation = createSimulation({
      brain: ({ messages }) => {
        const step = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === "result")).length;
        if (step === 0) return { text: "I search.", calls: [{ tool: "ToolSearch", input: { query: "look" } }] };
        const input = { what: "shoes" };
        if (step === 1)
          return {
            text: "",
            calls: [reveals ? { tool: name, input } : { tool: "CallTool", input: { tool: name, input } }],
          };
        return { text: "done" };
      },
    });
    const world = await testWorld({
      choice: choiceOf(wire, model),
      servers,
      serverTools: toolsOf(servers),
      model: simulatedModel(simulation, () => world.clock.now()),
    });
    const session = await world.open();
    expect(await session.prompt("go")).toMatchObject({ reason: "done" });
    expect(called).toEqual([{ server: "shop", tool: "look", input: { what: "shoes" } }]);
    for (const request of simulation.requests()) expect(request).toMatchObject({ violation: null });
  });
});
