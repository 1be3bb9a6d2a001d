import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sdkModel } from "../../src/adapters/model.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { anthropicUsage } from "../../src/provider/anthropic/usage.ts";
import { chatUsage } from "../../src/provider/chat/usage.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, testWorld } from "../support/world.ts";

const apiKey = "sk-test-SECRETKEY-0123456789";
const wires: readonly Wire[] = ["anthropic", "chat", "gemini"];
let server: Server;
let base = "";
let answer: (response: ServerResponse) => void = (response) => response.end();

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function eventsOf(wire: Wire, limits: { msMax?: number; bytesMax?: number } = {}): Promise<readonly WireEvent[]> {
  const model = sdkModel({ wire, baseUrl: base, apiKey, ...limits });
  const events: WireEvent[] = [];
  const request = { wire, body: "{}", headers: {} };
  for await (const event of model.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

const streamed = (...frames: readonly unknown[]) =>
  frames.map((frame) => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`).join("");

describe("C-127 · a key that a server repeats reaches nobody", () => {
  const bodies: readonly (readonly [string, number, string])[] = [
    ["as it is", 401, `{"error":{"message":"bad key ${apiKey}"}}`],
    ["behind an escape", 401, `{"error":{"message":"bad key ${apiKey}"}}`.replace("SECRET", "\\u0053ECRET")],
    ["as a member's name", 400, `{"error":{"message":"x"},"${apiKey}":1}`],
    ["in an error inside the stream", 200, streamed({ type: "error", error: { message: `bad key ${apiKey}` } })],
    ["as the error itself", 200, streamed({ type: "error", error: `key ${apiKey}` })],
  ];
  test.each(wires.flatMap((wire) => bodies.map((row) => [wire, ...row] as const)))(
    "%s, %s",
    async (wire, _, status, body) => {
      answer = (response) => {
        const type = status === 200 ? "text/event-stream" : "application/json";
        response.writeHead(status, { "content-type": type }).end(body);
      };
      const events = await eventsOf(wire);
      expect(events.length).toBeGreaterThan(0);
      expect(JSON.stringify(events)).not.toContain(apiKey);
    },
  );

  test("a placeholder for servers without keys stays a word like any other", async () => {
    answer = (response) => response.writeHead(404).end('{"error":{"message":"none of these models"}}');
    const model = sdkModel({ wire: "chat", baseUrl: base, apiKey: "none" });
    const events: WireEvent[] = [];
    for await (const event of model.stream({ wire: "chat", body: "{}", headers: {} }, new AbortController().signal))
      events.push(event);
    expect(JSON.stringify(events)).toContain("none of these models");
  });
});

describe("law 10 · a response without an end", () => {
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  test.each(wires)("%s: breaks off behind bounds.responseBytesMax bytes", async (wire) => {
    answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const write = () => {
        while (!response.destroyed && response.write(ping.repeat(100)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    };
    const events = await eventsOf(wire, { bytesMax: 200_000 });
    expect(events.at(-1)).toMatchObject({ type: "network-error", timedOut: false });
    expect(JSON.stringify(events.at(-1))).toContain("more than 200000 bytes");
    expect(bounds.responseBytesMax).toBeGreaterThan(16_000_000);
  });

  test.each(wires)("%s: is given up after bounds.responseMsMax although signs of life still come", async (wire) => {
    answer = (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const timer = setInterval(() => response.write(ping), 10);
      response.on("close", () => clearInterval(timer));
    };
    const events = await eventsOf(wire, { msMax: 150 });
    expect(events.at(-1)).toMatchObject({ type: "network-error", timedOut: true });
    expect(bounds.responseMsMax).toBeGreaterThan(bounds.streamIdleMsMax);
  });
});

describe("law 10 · values nested deeper than bounds.valueDepthMax", () => {
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  test("are no JSON to us", () => {
    expect(parseJson(nested(bounds.valueDepthMax)).type).toBe("ok");
    expect(parseJson(nested(bounds.valueDepthMax + 1)).type).toBe("bad");
    expect(parseJson(`{"a":${nested(20_000)}}`).type).toBe("bad");
  });

  const inputOf = (json: string): readonly WireEvent[] =>
    [
      { type: "message_start", message: { id: "m", model: "x", usage: { input_tokens: 900, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t1", name: "look", input: {} } },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: json } },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ].map((data) => ({ type: "event", data }));
  const startOf = (content_block: unknown): readonly WireEvent[] => [
    { type: "event", data: { type: "content_block_start", index: 0, content_block } },
  ];
  // Parsed by the transport, not by us.
  const deep: unknown = JSON.parse(nested(9_000));
  const firsts: readonly (readonly [string, readonly WireEvent[]])[] = [
    ["the input of a call", inputOf(`{"path":${nested(20_000)}}`)],
    ["an input as deep as the bound allows", inputOf(`{"path":${nested(bounds.valueDepthMax - 1)}}`)],
    ["a call's input that came whole", startOf({ type: "tool_use", id: "t", name: "look", input: { deep } })],
    ["a block of a type nobody knows", startOf({ type: "weird", deep })],
  ];
  test.each(firsts)("%s: the session goes on", async (_, first) => {
    const rest = scriptedModel([]);
    let requests = 0;
    const model: Model = {
      async *stream(request, signal) {
        requests += 1;
        if (requests === 1) yield* first;
        else yield* rest.stream(request, signal);
      },
    };
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "seen")] });
    const session = await world.open();
    const turn = session.prompt("go");
    while (requests < 2) await world.clock.advance(bounds.retryDelayMsFirst);
    expect(await turn).toMatchObject({ reason: "done" });
    expect(await (await world.open()).prompt("more")).toMatchObject({ reason: "done" });
  });
});

describe("law 9 · reports that cannot be", () => {
  test("counts below nothing or beyond bounds.reportedTokensMax are unknown, fractions are rounded", () => {
    expect(anthropicUsage({ input_tokens: -5, output_tokens: -1, cache_read_input_tokens: -100 })).toBeNull();
    expect(anthropicUsage({ input_tokens: bounds.reportedTokensMax + 1, output_tokens: 2.4 })).toMatchObject({
      uncached: 0,
      output: 2,
    });
    expect(chatUsage({ prompt_tokens: -1, completion_tokens: "3" })).toBeNull();
    expect(chatUsage({ prompt_tokens: 9, prompt_tokens_details: { cached_tokens: -9 } })).toMatchObject({
      uncached: 9,
    });
  });

  test("a server that reports far more than was sent does not end the session", async () => {
    const replies: readonly ScriptedReply[] = Array.from({ length: 6 }, (_, at) => ({
      text: `answer ${at}`,
      promptTokens: 3_000_000 * (at + 1),
    }));
    const world = await testWorld({ model: scriptedModel(replies), windowTokens: 100_000 });
    const session = await world.open();
    for (const at of [0, 1, 2, 3])
      expect(await session.prompt("go on")).toMatchObject({ reason: "done", text: `answer ${at}` });
    expect(await (await world.open()).prompt("again")).toMatchObject({ reason: "done" });
    expect((await world.entries()).filter(({ type }) => type === "epoch-opened")).toHaveLength(1);
  });
});
