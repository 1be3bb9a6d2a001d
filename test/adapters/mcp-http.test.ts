import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { afterAll, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { asking, entryOf, serversForTests, stateOf, until } from "../support/stub-servers.ts";

const world = serversForTests();
const ends: (() => void)[] = [];
afterAll(async () => {
  await world.end();
  for (const end of ends) end();
});

const http = (url: string, headers: Readonly<Record<string, string>> = {}) => ({ type: "http" as const, url, headers });
const text = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

async function listening(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  // The proof: it listens at an address of TCP.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** A server of the newer protocol, by the SDK; `seen`: the headers of each call. */
async function newer(seen: Headers[]) {
  const more: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "newer", version: "1" }, { instructions: "Be kind." });
    const inputSchema = {
      type: "object" as const,
      properties: { region: { type: "string", "x-mcp-header": "Region" }, size: { type: "integer" } },
    };
    server.registerTool("where", { inputSchema: fromJsonSchema(inputSchema) }, (input) => text(JSON.stringify(input)));
    for (const name of more) server.registerTool(name, {}, () => text(name));
    return server;
  });
  const url = await listening(async (request, response) => {
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    if (headers.get("mcp-method") === "tools/call") seen.push(headers);
    const hasBody = request.method === "POST";
    // The proof: a stream of node's is one of the web's once converted; only the type of its chunks differs.
    const body = hasBody ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null;
    const init = { method: request.method ?? "GET", headers, body, duplex: "half" };
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  const grow = (name: string): void => {
    more.push(name);
    handler.notify.toolsChanged();
  };
  return { url, grow };
}

test("a server of the newer protocol over HTTP: headers of the entry, and those that a tool's schema asks for", async () => {
  const seen: Headers[] = [];
  const { url, grow } = await newer(seen);
  const { servers } = world.start([entryOf("n", http(url, { "X-Team": "blue" }))]);
  await servers.settled(60_000);
  expect(stateOf(servers, "n")).toMatchObject({
    status: { type: "ready", revision: "2026-07-28" },
    instructions: "Be kind.",
    tools: [{ name: "where" }],
  });
  const input = { region: "Zürich", size: 1 };
  const answer = await servers.call({ server: "n", tool: "where", input }, asking().asked);
  expect(answer).toMatchObject({ isError: false, ...text(JSON.stringify(input)) });
  expect(seen.map((headers) => [headers.get("x-team"), headers.get("mcp-param-region")])).toEqual([
    ["blue", `=?base64?${Buffer.from("Zürich").toString("base64")}?=`],
  ]);
  grow("second");
  await until(() => stateOf(servers, "n").tools.length === 2);
});

test("the everything server over HTTP, of the older protocol: started again, it is found again", async () => {
  const program = fileURLToPath(new URL("../../node_modules/.bin/mcp-server-everything", import.meta.url));
  const free = new URL(await listening(() => {})).port;
  ends.pop()?.();
  const run = async () => {
    const child = spawn(program, ["streamableHttp"], {
      env: { ...process.env, PORT: free },
      stdio: ["ignore", "ignore", "pipe"],
    });
    ends.push(() => void child.kill("SIGKILL"));
    await new Promise<void>((resolve) =>
      child.stderr.on("data", (chunk) => /listening/.test(String(chunk)) && resolve()),
    );
    return child;
  };
  const first = await run();
  const { servers } = world.start([entryOf("e", http(`http://127.0.0.1:${free}/mcp`))]);
  await servers.settled(60_000);
  expect(stateOf(servers, "e")).toMatchObject({ status: { type: "ready" }, hasResources: true });
  expect(stateOf(servers, "e").prompts.length).toBeGreaterThan(0);
  const echo = () => servers.call({ server: "e", tool: "echo", input: { message: "hi" } }, asking().asked);
  expect(await echo()).toMatchObject(text("Echo: hi"));
  const ended = new Promise((resolve) => first.once("exit", resolve));
  first.kill("SIGKILL");
  await ended;
  expect(await echo()).toMatchObject({ type: "failed" });
  await run();
  expect(await echo()).toMatchObject(text("Echo: hi"));
});

test("what stands behind an address may want to know who asks, be nobody, or send on to another: headers do not go there", async () => {
  const strangers: unknown[] = [];
  const stranger = await listening((request, response) => {
    strangers.push(request.headers);
    response.end("{}");
  });
  const status = (code: number, headers = {}) =>
    listening((_request, response) => response.writeHead(code, headers).end("no"));
  const clock = manualClock();
  const { servers } = world.start(
    [
      entryOf("locked", http(await status(401))),
      entryOf("forbidden", http(await status(403))),
      entryOf("moved", http(await status(307, { location: stranger }), { Authorization: "Bearer dummy" })),
      entryOf("broken", http(await status(500))),
      entryOf("nobody", http("http://127.0.0.1:1/mcp")),
      entryOf("page", http(await status(200, { "content-type": "text/html" }))),
    ],
    clock,
  );
  await servers.settled(60_000).finally(() => {});
  const whys = servers
    .now()
    .map(({ name, status }) => [
      name,
      status.type === "failed" ? status.why : "",
      "retryAt" in status ? status.retryAt : 0,
    ]);
  expect(Object.fromEntries(whys.map(([name, why]) => [name, why]))).toEqual({
    locked: "needs authorisation (HTTP 401); give it in `headers`",
    forbidden: "does not allow it (HTTP 403)",
    moved: expect.stringMatching(/redirect/i),
    broken: expect.stringMatching(/^answered HTTP 500/),
    nobody: expect.stringMatching(/^cannot be reached: /),
    page: expect.stringMatching(/^failed: .*text\/html/),
  });
  expect(whys.filter(([, , retryAt]) => retryAt === null).map(([name]) => name)).toEqual(["forbidden", "locked"]);
  expect(strangers).toEqual([]);
});

test("an answer without an end is cut off (captureBytesMax)", async () => {
  let isEnded = false;
  const url = await listening((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const piece = Buffer.alloc(4 * 1024 * 1024, " ");
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    response.on("close", () => {
      isEnded = true;
    });
    more();
  });
  const { servers } = world.start([entryOf("s", http(url))], manualClock());
  await until(() => stateOf(servers, "s").status.type === "failed");
  expect(stateOf(servers, "s").status).toMatchObject({
    why: expect.stringContaining(`more than ${bounds.captureBytesMax} bytes`),
  });
  await until(() => isEnded);
});
