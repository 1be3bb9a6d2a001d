import { expect, test } from "vitest";
import { declaredNow } from "../../src/agent/declared.ts";
import { limitsFor } from "../../src/agent/limits-now.ts";
import { textCache } from "../../src/agent/texts.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import type { ServerState } from "../../src/ports/servers.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeServers, serverKnowledge, toolsOf } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";
import { testModel, testWorld } from "../support/world.ts";

let next = 0;
const search = (input: object) => ({ calls: [{ id: `c${++next}`, tool: "ToolSearch", input }] });

async function opened(
  states: readonly ServerState[],
  steps: Parameters<typeof scriptedModel>[0],
  windowTokens = 1_000_000,
) {
  const { servers, ...fake } = fakeServers(states);
  const waits: number[] = [];
  const patient = { ...servers, settled: async (ms: number) => void waits.push(ms) };
  const world = await testWorld({
    model: scriptedModel(steps),
    windowTokens,
    servers: patient,
    serverTools: toolsOf(patient),
    knowledge: serverKnowledge(patient),
  });
  const session = await world.open();
  const result = async () => {
    const last = (await world.entries()).findLast((one) => one.type === "tool-returned");
    const output = last?.type === "tool-returned" ? last.output : "";
    return typeof output === "string" ? output : `${await world.fx.getBlob(output.blob)}`;
  };
  return { world, session, waits, result, ...fake };
}

const found = (output: string) => output.split("\n").filter((line) => line.startsWith("## ")).length;

test("the first message waits serversWaitMsMax for servers, later ones not at all; a search waits serverSearchMsMax", async () => {
  const { world, session, waits } = await opened(
    [serverState("shop", [listedTool("buy")])],
    [{ text: "hi" }, { text: "again" }, search({ query: "buy" }), { text: "ok" }, { text: "back" }, { text: "bye" }],
  );
  for (const message of ["one", "two", "three"]) await session.prompt(message);
  expect(waits).toEqual([bounds.serversWaitMsMax, bounds.serverSearchMsMax]);
  // Gone on with in another process: its servers have started anew.
  const later = await world.open(await world.takeOver());
  for (const message of ["four", "five"]) await later.prompt(message);
  expect(waits).toEqual([bounds.serversWaitMsMax, bounds.serverSearchMsMax, bounds.serversWaitMsMax]);
});

test("a search shows toolsFoundDefault tools, and toolsFoundMax where so many are asked for; more are no legal call", async () => {
  const tools = Array.from({ length: 40 }, (_, n) => listedTool(`buy_thing_${n}`));
  const { session, result } = await opened(
    [serverState("shop", tools)],
    [
      search({ query: "buy thing" }),
      { text: "ok" },
      search({ query: "buy thing", limit: bounds.toolsFoundMax }),
      { text: "ok" },
      search({ query: "buy thing", limit: bounds.toolsFoundMax + 1 }),
      { text: "ok" },
    ],
  );
  await session.prompt("go");
  expect(found(await result())).toBe(bounds.toolsFoundDefault);
  await session.prompt("go");
  expect(found(await result())).toBe(bounds.toolsFoundMax);
  await session.prompt("go");
  expect(await result()).toMatch(/limit/);
});

test("what a search shows is bounded in characters (toolsFoundCharsMax): the best one in any case, the names of the others", async () => {
  const inputSchema = {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 25 }, (_, n) => [`field_${n}`, { type: "string", description: "words ".repeat(150) }]),
    ),
  };
  const tools = ["buy_shoes", "buy_coats", "buy_hats"].map((name) => listedTool(name, { inputSchema }));
  const { session, result } = await opened([serverState("shop", tools)], [search({ query: "buy" }), { text: "ok" }]);
  await session.prompt("go");
  expect(found(await result())).toBe(1);
  expect(await result()).toMatch(/Also found, too large to show here: mcp__shop__buy_\w+, mcp__shop__buy_\w+/);
  expect((await result()).length).toBeLessThan(bounds.toolsFoundCharsMax + 1_000);
});

const revealedTool = (name: string, usedTurn: number, chars = 10) => ({
  ...{ name, server: "shop", tool: name, usedTurn },
  declaration: JSON.stringify({ name, description: "d".repeat(chars), inputSchema: "{}" }),
  definition: hashOf(name),
});

/** Which of them the next epoch declares. */
async function declaring(windowTokens?: number) {
  const { world, session } = await opened([serverState("shop")], [{ text: "ok" }], windowTokens);
  await session.prompt("go");
  const declared = async (tools: readonly ReturnType<typeof revealedTool>[]) => {
    const revealed = Object.fromEntries(tools.map((one) => [one.name, one]));
    const state = { ...session.state(), turns: 20, revealed };
    const now = await declaredNow(state, testModel, world.config, textCache(world.fx));
    return now.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
  };
  return { declared, inputTokensMax: limitsFor(testModel, session.state(), world.config).inputTokensMax };
}

test("a tool that nobody called for toolIdleTurnsMax turns is not declared by the next epoch, nor are more than revealedCharsMax", async () => {
  const { declared } = await declaring();
  const idle = 20 - bounds.toolIdleTurnsMax;
  expect(await declared([revealedTool("mcp__a", idle), revealedTool("mcp__b", idle + 1)])).toEqual(["mcp__b"]);
  const half = bounds.revealedCharsMax / 2;
  expect(await declared(["mcp__a", "mcp__b", "mcp__c"].map((name) => revealedTool(name, 20, half - 2)))).toEqual([
    "mcp__a",
    "mcp__b",
  ]);
});

test("of a small window the definitions of tools have serverToolsWindowPercentMax: those declared, and those that a search shows", async () => {
  const { declared, inputTokensMax } = await declaring(40_000);
  const room = Math.floor((4 * inputTokensMax * bounds.serverToolsWindowPercentMax) / 100);
  expect(room).toBeLessThan(bounds.revealedCharsMax);
  const two = (chars: number) => ["mcp__a", "mcp__b"].map((name, at) => revealedTool(name, 20, at === 0 ? 100 : chars));
  const frame = 100 + 2 * "{}".length;
  expect(await declared(two(room - frame))).toEqual(["mcp__a", "mcp__b"]);
  expect(await declared(two(room - frame + 1))).toEqual(["mcp__a"]);

  const description = "buy words ".repeat(bounds.serverToolCharsMax / 10);
  const tools = ["shoes", "coats", "hats", "socks"].map((name) => listedTool(`buy_${name}`, { description }));
  const { session, result } = await opened(
    [serverState("shop", tools)],
    [search({ query: "buy" }), { text: "ok" }],
    20_000,
  );
  await session.prompt("go");
  expect(found(await result())).toBe(3);
  expect(await result()).toContain("Also found, too large to show here: mcp__shop__buy_");
});
