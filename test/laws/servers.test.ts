import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { ServerState } from "../../src/ports/servers.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { fakeServers, serverKnowledge, toolsOf } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";
import { wireSession, wiresOfToday } from "../support/wire-session.ts";

const shop = (tools: readonly string[], more: Partial<ServerState> = {}) =>
  serverState(
    "shop",
    tools.map((name) => listedTool(name, { description: `Does ${name} for the lighthouse shop.` })),
    { instructions: "Sell nothing on Sundays.", ...more },
  );
const harbour = serverState("harbour", [listedTool("moor"), listedTool("sail")]);
const down = { type: "failed", why: "it ended with code 1", retryAt: null } as const;

type Change = { readonly name: string; readonly states: readonly ServerState[]; readonly says: RegExp | null };

/** One after another: what servers do, and what the newest request says of it (null: nothing). */
const changes: readonly Change[] = [
  { name: "a server is late", states: [shop(["look", "buy"])], says: /shop.{0,400}buy, look/ },
  { name: "it lists its tools in another order", states: [shop(["buy", "look"])], says: null },
  { name: "another one comes, first in order", states: [harbour, shop(["buy", "look"])], says: /moor, sail/ },
  { name: "a tool more", states: [harbour, shop(["buy", "look", "wrap"])], says: /buy, look, wrap/ },
  {
    name: "other instructions",
    states: [harbour, shop(["buy", "look", "wrap"], { instructions: "Sell on Sundays." })],
    says: /Sell on Sundays/,
  },
  {
    name: "it crashes",
    states: [harbour, shop(["buy", "look", "wrap"], { instructions: "Sell on Sundays.", status: down })],
    says: /is down: its tools/,
  },
  {
    name: "it is up again",
    states: [harbour, shop(["buy", "look", "wrap"], { instructions: "Sell on Sundays." })],
    says: /is up again/,
  },
  {
    name: "and down again",
    states: [harbour, shop(["buy", "look", "wrap"], { instructions: "Sell on Sundays.", status: down })],
    says: /is down: its tools/,
  },
  { name: "its first instructions", states: [harbour, shop(["buy", "look", "wrap"])], says: /Sell nothing on Sundays/ },
  { name: "it is taken away", states: [harbour], says: /No longer in force: shop/ },
  { name: "and comes back", states: [harbour, shop(["look", "buy"])], says: /buy, look/ },
];

/** Searches, calls what was found, or says something, as the newest message wants it. */
function brainFor(wire: Wire): Brain {
  const passesOn = wire === "gemini" || wire === "chat";
  return ({ messages }) => {
    const parts = messages.at(-1)?.parts ?? [];
    const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    if (parts.some(({ type }) => type === "result")) return { reasoning: "I think.", text: "An answer." };
    if (words.includes("SEARCH")) return { calls: [{ tool: "ToolSearch", input: { query: "buy for the shop" } }] };
    const input = {};
    const tool = "mcp__shop__buy";
    if (words.includes("USE"))
      return { calls: [passesOn ? { tool: "CallTool", input: { tool, input } } : { tool, input }] };
    return { reasoning: "I think.", text: "An answer." };
  };
}

const wires = Object.keys(wiresOfToday) as readonly Wire[];

describe.each(wires)("%s: MCP servers come, change and go", (wire) => {
  test("one change after another: nothing that was sent moves, the tail says it once, nothing is missed", async () => {
    const { servers, set, called } = fakeServers([serverState("shop", [], { status: { type: "starting" } })]);
    const game = await wireSession(wire, {
      servers,
      serverTools: toolsOf(servers),
      knowledge: serverKnowledge(servers),
      brain: brainFor(wire),
    });
    for (const { name, states, says } of changes) {
      for (let again = 0; again < 20; again += 1) set([...states]);
      const now = await game.say("And now?");
      expect([name, now]).toMatchObject([name, { keptAll: true, cause: null, breaks: [] }]);
      if (says !== null) expect([name, now.news(says)]).toEqual([name, 1]);
      const then = await game.say("And then?");
      expect([name, then]).toMatchObject([name, { keptAll: true, cause: null, breaks: [] }]);
    }
    for (const what of ["SEARCH", "USE", "USE", "SEARCH", "USE"]) {
      const now = await game.say(`${what} it`);
      expect([what, now]).toMatchObject([what, { keptAll: true, cause: null, breaks: [] }]);
    }
    expect(called).toHaveLength(3);
    set([shop(["look"])]);
    expect(await game.say("USE it, though it is gone")).toMatchObject({ keptAll: true, cause: null, breaks: [] });
    expect(called).toHaveLength(3);
    set([shop(["look", "buy"]), harbour]);
    await game.reopen(serverKnowledge(servers));
    expect(await game.say("USE it in another process")).toMatchObject({ keptAll: true, cause: null, breaks: [] });
    game.world.clock.advance(24 * 60 * 60_000);
    await game.reopen(serverKnowledge(servers));
    expect(await game.say("USE it on another day")).toMatchObject({ keptAll: true, breaks: [] });
    expect(called).toHaveLength(5);
  });
});
