import { describe, expect, test } from "vitest";
import { maskedServers } from "../../src/adapters/masked-servers.ts";
import { serverLines } from "../../src/adapters/server-lines.ts";
import { serversLook } from "../../src/adapters/servers-told.ts";
import { noMeasures } from "../../src/mcp/card-measures.ts";
import type { ServerState } from "../../src/ports/servers.ts";
import { createMask } from "../../src/secrets/mask.ts";
import { fakeServers } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";

const secret = 'pa"ss\nword-0123456789';
const mask = createMask({ values: [{ name: "SHOP_KEY", value: secret }], shapes: "shown" });
const asked = { signal: new AbortController().signal, onProgress: () => {} };

function masked(states: readonly ServerState[]) {
  const { servers, called } = fakeServers(states);
  return { servers: maskedServers(servers, mask), called };
}

describe("C-127 · what a server says holds no secret that we know", () => {
  const schema = { type: "object", properties: { key: { type: "string", default: secret } } };
  const tool = listedTool("buy", { description: `Give it ${secret}.`, title: secret, inputSchema: schema });
  const prompts = [{ name: "hello", description: `Say ${secret}`, arguments: [] }];
  const state = serverState("shop", [tool], { instructions: `The key is ${secret}`, prompts });

  test("in instructions, descriptions, schemas, prompts and reasons, however it is escaped", async () => {
    const down = serverState("sick", [], { status: { type: "failed", why: `refuses ${secret}`, retryAt: null } });
    const { servers } = masked([state, down]);
    const { attachments } = await serversLook(servers, noMeasures)({ message: null, touched: [], held: [] }, 200_000);
    const all = JSON.stringify([servers.now(), attachments, serverLines(servers)]);
    expect(all).not.toMatch(/word-0123456789/);
    expect(all.match(/\[secret: SHOP_KEY\]/g)?.length).toBeGreaterThan(6);
  });

  test("nor in a prompt's text, or the reason why it has none", async () => {
    const { servers } = fakeServers([state]);
    const of = { server: "shop", prompt: secret, arguments: {} };
    const answer = await maskedServers(servers, mask).prompt(of, asked.signal);
    expect(JSON.stringify(answer)).toContain("prompt [secret: SHOP_KEY]");
    const refusing = { ...servers, prompt: async () => ({ type: "failed" as const, why: `no: ${secret}` }) };
    expect(JSON.stringify(await maskedServers(refusing, mask).prompt(of, asked.signal))).not.toMatch(/word-0123/);
  });

  test("a state without secrets is the same object, so that nothing is worked out again", () => {
    const plain = serverState("plain", [listedTool("look")]);
    const { servers } = masked([plain]);
    expect(servers.now()[0]).toBe(plain);
    const [first, again] = [masked([state]).servers, masked([state]).servers];
    expect(first.now()[0]).toBe(first.now()[0]);
    expect(first.now()).toEqual(again.now());
  });

  test("a call that holds a mask does not reach the server, which would write it where the secret was", async () => {
    const { servers, called } = masked([state]);
    const call = (text: string) => servers.call({ server: "shop", tool: "buy", input: { lines: [{ text }] } }, asked);
    expect(await call("KEY=[secret: SHOP_KEY]")).toMatchObject({
      type: "failed",
      why: expect.stringMatching(/holds \[secret: SHOP_KEY\]/),
    });
    expect(called).toEqual([]);
    expect(await call("[secret: of somebody else]")).toMatchObject({ type: "answer" });
    expect(called).toHaveLength(1);
  });
});

test("C-057 · the user hears that instructions are cut, and /mcp shows it", async () => {
  const states = [
    serverState("long", [], { instructions: "Use them in order. ".repeat(1_000) }),
    serverState("short", [], { instructions: "Ask first." }),
  ];
  const { servers } = masked(states);
  const look = serversLook(servers, noMeasures);
  const { notes } = await look({ message: null, touched: [], held: [] }, 200_000);
  expect(notes).toEqual([
    expect.stringMatching(/"long": its instructions have 1[89],\d{3} characters; at most 4,000 stand/),
  ]);
  expect(serverLines(servers)).toMatch(/long[\s\S]*at most 4,000 stand in the prompt\nshort/);
});
