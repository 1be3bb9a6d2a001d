import { expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { definitionTokens } from "../../src/mcp/measured.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { fakeServers, serverKnowledge, toolsOf } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";
import { wireSession, wiresOfToday } from "../support/wire-session.ts";

const services = [
  "storage",
  "database",
  "network",
  "identity",
  "billing",
  "monitor",
  "queue",
  "search",
  "secrets",
  "deploy",
];
const verbs = ["list", "get", "create", "update", "delete"];

/** Definitions of the size that public servers have: some hundred tokens each. */
function toolsFor(server: number, count: number) {
  return Array.from({ length: count }, (_, at) => {
    const [verb, service] = [verbs[at % verbs.length], services[Math.floor(at / verbs.length) % services.length]];
    const name = `${service}_${verb}_item${Math.floor(at / 50)}`;
    const parameters = ["subscription", "resource_group", "region", "tenant", "retry_delay", "auth_method"].map(
      (field) => [
        field,
        {
          type: "string",
          description: `The ${field} of the ${service} item that the ${verb} is for, as the portal of server ${server} shows it.`,
        },
      ],
    );
    return listedTool(name, {
      description: `Use this to ${verb} one or more ${service} items of the account. Returns what was found, with its name, its place and its state. It does not change other items, and asks for the rights that the portal names.`,
      inputSchema: { type: "object", properties: Object.fromEntries(parameters), required: ["subscription"] },
    });
  });
}

const states = [1, 2, 3].map((server) =>
  serverState(`cloud${server}`, toolsFor(server, server === 3 ? 100 : 200), {
    instructions: "Ask for the region first.",
  }),
);
const brain: Brain = () => ({ text: "An answer." });

test.each(Object.keys(wiresOfToday) as readonly Wire[])(
  "%s: of 500 tools of three servers the first request holds at most 2 % of what declaring all of them costs",
  async (wire) => {
    const { servers } = fakeServers(states);
    const tools = toolsOf(servers);
    const game = await wireSession(wire, {
      tools: [],
      servers,
      serverTools: tools,
      knowledge: serverKnowledge(servers),
      brain,
    });
    const all = states.reduce((sum, state) => sum + definitionTokens(state.tools), 0);
    expect(all).toBeGreaterThan(100_000);
    const entries = await game.world.entries();
    const blocks = entries.flatMap((one) =>
      one.type === "text-attached" && one.attachment.kind === "server" ? [one.attachment.text] : [],
    );
    expect(blocks).toHaveLength(3);
    const texts = await Promise.all(
      blocks.map(async (text) => (typeof text === "string" ? text : `${await game.world.fx.getBlob(text.blob)}`)),
    );
    const declared = tools.declared.map(({ declaration }) => JSON.stringify(declaration));
    const shown = [...texts, ...declared].reduce((sum, text) => sum + estimate(text), 0);
    expect(shown / all).toBeLessThan(0.02);
    for (const text of texts.slice(0, 2)) expect(text).toMatch(/more: ToolSearch finds them/);
  },
);
