import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sdkModel } from "../../src/adapters/model.ts";
import { type Wire, wires } from "../../src/kernel/usage.ts";
import type { WireEvent } from "../../src/ports/model.ts";
import { codecFor } from "../../src/provider/codecs.ts";

let server: Server;
let base = "";
let answer: (response: ServerResponse) => void = (response) => response.end();

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => answer(response));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The proof is the server's own: it listens on a port.
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const sse = { "content-type": "text/event-stream" };

/** One short text on each wire, frame by frame. */
const texts: Readonly<Record<Wire, readonly unknown[]>> = {
  anthropic: [
    { type: "message_start", message: { id: "m", model: "x", usage: { input_tokens: 9, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "hi 🙂" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ],
  chat: [
    { id: "c", choices: [{ index: 0, delta: { content: "hi 🙂" } }] },
    { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ],
  responses: [
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { type: "message", role: "assistant", content: [{ type: "output_text", text: "hi 🙂" }] },
    },
    { type: "response.completed", response: { id: "r", model: "m" } },
  ],
  gemini: [{ candidates: [{ content: { parts: [{ text: "hi 🙂" }] }, finishReason: "STOP" }] }],
};

const framesOf = (wire: Wire) => texts[wire].map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");

async function said(wire: Wire) {
  const decoder = codecFor(wire).decoder(() => "made");
  const events: WireEvent[] = [];
  const request = { wire, body: "{}", headers: {}, model: "m" };
  const model = sdkModel({ wire, baseUrl: base, apiKey: "sk-test-SECRETKEY" });
  for await (const event of model.stream(request, new AbortController().signal)) {
    events.push(event);
    decoder.push(event);
  }
  return decoder.end();
}

describe("frames that only look odd", () => {
  const ways: readonly (readonly [string, (frames: string) => string])[] = [
    [
      "a name without data, comments, retry and id",
      (frames) => `: hi\n\nretry: 1\n\nid: 3\n\nevent: ping\n\n${frames}`,
    ],
    ["lines that end in CR only", (frames) => frames.replaceAll("\n", "\r")],
    ["lines that end in CR LF", (frames) => frames.replaceAll("\n", "\r\n")],
    ["a byte order mark", (frames) => `\ufeff${frames}`],
    ["no blank behind the colon", (frames) => frames.replaceAll("data: ", "data:")],
    ["no blank line behind the last frame", (frames) => frames.trimEnd()],
    ["blank lines in front", (frames) => `\n\n \n\n${frames}`],
    ["values that are no objects", (frames) => `data: null\n\ndata: []\n\ndata: 7\n\n${frames}`],
  ];
  test.each(wires.flatMap((wire) => ways.map((way) => [wire, ...way] as const)))("%s · %s", async (wire, _, change) => {
    answer = (response) => response.writeHead(200, { "content-type": "application/json" }).end(change(framesOf(wire)));
    expect(await said(wire)).toMatchObject({ type: "received", blocks: [{ type: "text", text: "hi 🙂" }] });
  });

  test.each(wires)("%s · byte by byte", async (wire) => {
    answer = async (response) => {
      response.writeHead(200, sse);
      for (const byte of Buffer.from(framesOf(wire))) {
        response.write(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    expect(await said(wire)).toMatchObject({ type: "received", blocks: [{ type: "text", text: "hi 🙂" }] });
  });
});

describe("what is no stream of events is told at once, in its own words", () => {
  const page = "<html><body>Please log in</body></html>";
  test.each(wires)("%s · a page with a good status", async (wire) => {
    answer = (response) => response.writeHead(200, { "content-type": "text/html" }).end(page);
    expect(await said(wire)).toMatchObject({
      failure: { class: "bad-request", message: expect.stringContaining(page) },
    });
  });

  test.each(wires)("%s · an error as JSON with a good status", async (wire) => {
    const error = { error: { message: "the model is loading", code: 503 } };
    answer = (response) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(error));
    expect(await said(wire)).toMatchObject({ failure: { class: "overloaded", message: "the model is loading" } });
  });

  test.each(wires)("%s · a redirect is named, not followed, without its query", async (wire) => {
    answer = (response) => response.writeHead(307, { location: "/elsewhere?key=sk" }).end();
    const message = `the address has moved to ${base}/elsewhere`;
    expect(await said(wire)).toMatchObject({ failure: { class: "bad-request", message } });
  });

  test.each(["anthropic", "chat", "responses"] as const)("%s · an error event in plain words", async (wire) => {
    answer = (response) => response.writeHead(200, sse).end("event: error\ndata: upstream exploded\n\n");
    expect(await said(wire)).toMatchObject({ failure: { message: "upstream exploded" } });
  });
});

test("C-023 · a server that gives all items of a response the same index loses none of them and repeats none", () => {
  const call = (n: number) => ({
    type: "function_call",
    id: `fc_${n}`,
    call_id: `c${n}`,
    name: "look",
    arguments: "{}",
  });
  const output = [{ type: "reasoning", id: "rs", summary: [], encrypted_content: "e" }, call(1), call(2)];
  for (const last of [output, []]) {
    const decoder = codecFor("responses").decoder(() => "made");
    for (const item of output)
      decoder.push({ type: "event", data: { type: "response.output_item.done", output_index: 0, item } });
    decoder.push({ type: "event", data: { type: "response.completed", response: { id: "r", output: last } } });
    const end = decoder.end();
    const ids =
      end.type === "received" ? end.blocks.map((one) => (one.type === "tool-call" ? one.callId : one.type)) : [];
    expect(ids).toEqual(["reasoning", "c1", "c2"]);
  }
});
