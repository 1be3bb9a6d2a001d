import { expect, test } from "vitest";
import { canonicalJson, type Json } from "../../src/kernel/canonical.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

const models: readonly (readonly [Wire, string])[] = [
  ["anthropic", "claude-sonnet-5-5"],
  ["responses", "gpt-6.2-sol"],
  ["gemini", "gemini-4-argon"],
  ["chat", "sim-chat"],
];

const tool = (name: string, schema: Json = { type: "object", properties: {} }): Tool => {
  const made = fakeTool(name, true, async () => "");
  return { ...made, declaration: { ...made.declaration, inputSchema: canonicalJson(schema) } };
};

/** One server's schema, as it came, and as it came after a reconnect: the same, written in another order. */
const first = { type: "object", properties: { b: { type: "string" }, a: { type: "string", description: "x" } } };
const again = { properties: { a: { description: "x", type: "string" }, b: { type: "string" } }, type: "object" };

const runs: readonly (readonly Tool[])[] = [
  [tool("zeta"), tool("alpha", first), tool("mu")],
  [tool("mu"), tool("zeta"), tool("alpha", first)],
  [tool("mu"), tool("alpha", again), tool("zeta")],
];

test.each(models)(
  "C-031 · %s: the declared tools have equal bytes whichever server came first",
  async (wire, model) => {
    const heads = await Promise.all(runs.map((tools) => headOf(wire, model, tools)));
    expect(new Set(heads).size).toBe(1);
  },
);

test("C-031 · names are sorted by code units, not by any locale's rules", async () => {
  const head = await headOf(
    "anthropic",
    "claude-sonnet-5-5",
    ["b", "a", "Z", "_", "a-b", "a_b"].map((name) => tool(name)),
  );
  expect([...head.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name)).toEqual(["Z", "_", "a", "a-b", "a_b", "b"]);
});

/** The tools as they left for the provider. */
async function headOf(wire: Wire, model: string, tools: readonly Tool[]): Promise<string> {
  const choice: ModelChoice = { wire, model, effort: null, thinking: "off", outputTokensMax: 4_000 };
  const simulation = createSimulation({ brain: () => ({ text: "ok" }) });
  const world: TestWorld = await testWorld({
    choice: wire === "chat" ? choice : { ...choice, thinking: "adaptive" },
    tools,
    model: simulatedModel(simulation, () => world.clock.now()),
  });
  const session = await world.open();
  expect(await session.prompt("go")).toMatchObject({ reason: "done" });
  const [request] = simulation.requests();
  const body: { readonly tools?: unknown } = JSON.parse(request?.body ?? "{}");
  return JSON.stringify(body.tools);
}
