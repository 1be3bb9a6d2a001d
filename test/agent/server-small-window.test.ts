import { expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { fakeServers, toolsOf } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { wiresOfToday } from "../support/wire-session.ts";
import { testWorld } from "../support/world.ts";

/** Of about 500 tokens each, the last one of 5,000. */
const tools = (alwaysLoad: boolean) =>
  Array.from({ length: 40 }, (_, n) =>
    listedTool(`item_${n}`, {
      alwaysLoad,
      description: "Does the work on an item. ".repeat(10),
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: n === 39 ? 60 : 6 }, (_, at) => [
            `field_${at}`,
            { type: "string", description: `What field ${at} of the item is, and how it is said. `.repeat(5) },
          ]),
        ),
      },
    }),
  );

const searching: Brain = ({ messages, served }) => {
  const results = messages.at(-1)?.parts.filter(({ type }) => type === "result").length ?? 0;
  if (results > 0 && served % 2 === 0) return { text: "An answer." };
  const query = served % 4 === 1 ? "select:item_39" : `work on an item ${served}`;
  return { text: "I search.", calls: [{ tool: "ToolSearch", input: { query, limit: 20 } }] };
};

test.each(
  (Object.keys(wiresOfToday) as readonly Wire[]).flatMap((wire) => [[wire, false] as const, [wire, true] as const]),
)("%s: a window of 8,000 tokens goes on whatever a search finds, declared at once: %s", async (wire, alwaysLoad) => {
  const { servers } = fakeServers([serverState("shop", tools(alwaysLoad))]);
  const simulation = createSimulation({ brain: searching });
  const world = await testWorld({
    choice: {
      wire,
      model: wiresOfToday[wire].model,
      effort: null,
      thinking: wire === "chat" ? "off" : "adaptive",
      outputTokensMax: 1_000,
    },
    servers,
    serverTools: toolsOf(servers),
    windowTokens: 8_000,
    model: simulatedModel(simulation, () => world.clock.now()),
  });
  const session = await world.open();
  for (let turn = 0; turn < 4; turn += 1)
    expect(await session.prompt(`Turn ${turn}`)).toMatchObject({ reason: "done" });
  const output = (await world.entries()).flatMap((one) => (one.type === "tool-returned" ? [String(one.output)] : []));
  expect(output.join("\n")).toMatch(/too large to show here: .*item_39/);
  for (const request of simulation.requests()) expect(request).toMatchObject({ violation: null });
});
