import { afterAll, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { asking, entryOf, methodsIn, serversForTests, stateOf, stubLaunch, until } from "../support/stub-servers.ts";

const world = serversForTests();
afterAll(world.end);
const { file } = world;
const object = { type: "object", properties: {} };
const named = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `tool_${from + at}`, inputSchema: object }));
const { signal } = new AbortController();
const lists = (log: string) => methodsIn(log).filter((method) => method === "tools/list").length;

test("C-049 · all pages are listed: cursors are opaque, an empty one is a cursor", async () => {
  const pages = [named(0, 50), named(50, 50), named(100, 1)];
  const { servers, notes } = world.start([entryOf("s", stubLaunch({ pages, cursors: ["", "b=="] }))]);
  await servers.settled(60_000);
  expect(stateOf(servers, "s").tools.map(({ name }) => name)).toEqual(named(0, 101).map(({ name }) => name));
  expect(notes).toEqual([]);
});

test("C-049 · so are all pages of prompts, of resources and of their templates, in both eras", async () => {
  const three = (make: (at: number) => object) =>
    [50, 50, 1].map((count, page) => Array.from({ length: count }, (_, at) => make(50 * page + at)));
  const paged = {
    prompts: three((at) => ({ name: `prompt_${at}` })),
    resources: three((at) => ({ uri: `a://${at}`, name: `One ${at}` })),
    resourceTemplates: three((at) => ({ uriTemplate: `a://{id}/${at}`, name: `Any ${at}` })),
  };
  const all = (prefix: string) => Array.from({ length: 101 }, (_, at) => `${prefix}${at}`);
  for (const era of ["older", "newer"]) {
    const { servers, notes } = world.start([entryOf("s", stubLaunch({ era, paged, cursors: ["", "b=="] }))]);
    await servers.settled(60_000);
    await until(() => stateOf(servers, "s").prompts.length > 0);
    expect(stateOf(servers, "s").prompts.map(({ name }) => name)).toEqual(all("prompt_"));
    const found = await servers.resources("s", signal);
    if (typeof found === "string") throw new Error(found);
    expect(found.map(({ uri }) => uri)).toEqual([...all("a://"), ...all("a://{id}/")]);
    expect(notes).toEqual([]);
  }
});

test("C-049 · a list that leads in a circle, or never ends (serverPagesMax), ends and is named; so is one that is too long (serverItemsMax)", async () => {
  const { servers, notes } = world.start([
    entryOf("circle", stubLaunch({ loop: true })),
    entryOf("endless", stubLaunch({ endless: true })),
    entryOf(
      "long",
      stubLaunch({
        pages: Array.from({ length: 3 }, () => Array(2_500).fill({ name: "x" })),
        cursors: ["1", "2"],
        log: file(),
      }),
    ),
  ]);
  await servers.settled(60_000);
  expect(servers.now().map(({ name, status, tools }) => [name, status.type, tools.length])).toEqual([
    ["circle", "ready", 2],
    ["endless", "ready", 0],
    ["long", "ready", bounds.serverItemsMax],
  ]);
  expect([...notes].sort()).toEqual([
    'The MCP server "circle" answers tools/list with a cursor that it gave before; what came until then is used.',
    `The MCP server "endless" answers tools/list with more than ${bounds.serverPagesMax} pages; what came until then is used.`,
    `The MCP server "long" answers tools/list with more than ${bounds.serverItemsMax} items; the others are left out.`,
  ]);
});

test("of a list that is too large (serverListCharsMax) what fits is kept, and the rest named", async () => {
  // Made there: it is too much for the arguments of a process.
  const program = `const big = { name: "big", inputSchema: {}, description: "d".repeat(${bounds.serverListCharsMax / 2}) };
    const tools = [{ name: "a" }, big, big, { name: "z" }];
    const answers = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
      "tools/list": { tools },
    };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      const result = answers[method];
      const message = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...message }) + "\\n");
    });`;
  const launch = { command: process.execPath, args: ["-e", program], env: {}, cwd: world.folder };
  const { servers, notes } = world.start([entryOf("s", { type: "stdio", ...launch })]);
  await servers.settled(60_000);
  expect(stateOf(servers, "s").tools.map(({ name }) => name)).toEqual(["a", "big", "z"]);
  expect(notes).toEqual([
    `The MCP server "s" answers tools/list with more than ${bounds.serverListCharsMax} characters; what goes beyond is left out.`,
  ]);
});

test("C-055 · a server that says its list changed at each list is asked at most three times in 2 s, and ever more rarely", async () => {
  for (const changing of [false, true]) {
    const clock = manualClock();
    const log = file();
    const { servers } = world.start([entryOf("s", stubLaunch({ log, storm: true, changing }))], clock);
    await until(() => stateOf(servers, "s").status.type === "ready");
    const before = stateOf(servers, "s");
    for (let ms = 0; ms < 2_000; ms += 100) {
      await clock.advance(100);
      // Whatever it has to say comes before the clock goes on.
      await servers.call({ server: "s", tool: "x", input: {} }, asking().asked);
    }
    expect(lists(log)).toBe(3);
    for (let ms = 0; ms < 60_000; ms += 500) {
      await clock.advance(500);
      await servers.call({ server: "s", tool: "x", input: {} }, asking().asked);
    }
    expect(lists(log)).toBeLessThanOrEqual(8);
    if (changing) expect(stateOf(servers, "s").tools[0]?.name).toBe(`tool_${lists(log)}`);
    else expect(stateOf(servers, "s")).toBe(before);
  }
});

test("a list that changed is known a moment later, in both eras", async () => {
  for (const era of ["older", "newer"]) {
    const clock = manualClock();
    const calls = { grow: { notify: "notifications/tools/list_changed" } };
    const { servers } = world.start([entryOf("s", stubLaunch({ era, changing: true, calls }))], clock);
    await until(() => stateOf(servers, "s").status.type === "ready");
    await servers.call({ server: "s", tool: "grow", input: {} }, asking().asked);
    await until(() => clock.sleeping() > 0);
    await clock.advance(bounds.serverRelistMsFirst);
    await until(() => stateOf(servers, "s").tools[0]?.name === "tool_2");
  }
});

test("what is listed is taken as it is, and what has no name is left out and named", async () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
  const tools = [
    { name: "none" },
    { name: "null", inputSchema: null },
    { name: "text", inputSchema: { type: "string" } },
    { name: "twice", inputSchema: object, description: 7 },
    { name: "twice", inputSchema: { properties: { a: {} } }, annotations: { title: "T", readOnlyHint: true } },
    { name: "deep", inputSchema: deep(3_000) },
    { name: "" },
    "no tool",
    { name: "always", inputSchema: object, _meta: { "anthropic/alwaysLoad": true }, outputSchema: { type: "array" } },
  ];
  for (const era of ["older", "newer"]) {
    const { servers, notes } = world.start([entryOf("s", stubLaunch({ era, tools }))]);
    await servers.settled(60_000);
    const { status, tools: listed } = stateOf(servers, "s");
    expect(status.type).toBe("ready");
    expect(listed.map(({ name, inputSchema }) => [name, inputSchema])).toEqual([
      ["none", undefined],
      ["null", null],
      ["text", { type: "string" }],
      ["twice", object],
      ["twice", { properties: { a: {} } }],
      ["always", object],
    ]);
    expect(listed[3]).toMatchObject({ description: "", title: null, readOnlyHint: false, alwaysLoad: false });
    expect(listed[4]).toMatchObject({ title: "T", readOnlyHint: true, outputSchema: undefined });
    expect(listed[5]).toMatchObject({ alwaysLoad: true, outputSchema: { type: "array" } });
    expect(notes).toHaveLength(2);
  }
});

test("a handshake may leave out what nobody needs, or have it wrong", async () => {
  const odd = { capabilities: { tools: {}, prompts: true, logging: null }, instructions: 7, serverInfo: null };
  const { servers } = world.start([
    entryOf("s", stubLaunch({ tools: named(0, 1), handshake: odd })),
    entryOf("t", stubLaunch({ handshake: { capabilities: null, serverInfo: { version: 1 } } })),
  ]);
  await servers.settled(60_000);
  expect(servers.now().map(({ status, tools, instructions }) => [status.type, tools.length, instructions])).toEqual([
    ["ready", 1, null],
    ["ready", 0, null],
  ]);
});

test("resources and their templates are listed when asked for, on all pages, and read; prompts are known and filled in", async () => {
  const script = {
    tools: [],
    prompts: [
      { name: "review", description: "Looks at it", arguments: [{ name: "file", required: true }, { nothing: 1 }] },
      {},
    ],
    resources: [{ uri: "a://1", name: "One", mimeType: "text/plain", size: 12 }, { name: "no address" }],
    resourceTemplates: [{ uriTemplate: "a://{id}", name: "Any" }],
    contents: [
      { uri: "a://1", mimeType: "text/plain", text: "hello" },
      { uri: "a://2", blob: "AAAA" },
    ],
    messages: [
      { role: "user", content: { type: "text", text: "Look at it" } },
      { role: "assistant", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }, { type: "new" }] },
    ],
  };
  const { servers, notes } = world.start([
    entryOf("s", stubLaunch(script)),
    entryOf("plain", stubLaunch({ tools: [] })),
    entryOf(
      "broken",
      stubLaunch({
        ...script,
        errors: { "resources/list": -5, "prompts/list": -6, "resources/templates/list": -32601 },
      }),
    ),
  ]);
  await servers.settled(60_000);
  expect(servers.now().map(({ name, status, hasResources }) => [name, status.type, hasResources])).toEqual([
    ["broken", "ready", true],
    ["plain", "ready", false],
    ["s", "ready", true],
  ]);
  expect(stateOf(servers, "s").prompts).toEqual([
    { name: "review", description: "Looks at it", arguments: [{ name: "file", description: "", required: true }] },
  ]);
  expect(await servers.resources("s", signal)).toEqual([
    { kind: "resource", uri: "a://1", name: "One", description: "", mimeType: "text/plain", size: 12 },
    { kind: "template", uri: "a://{id}", name: "Any", description: "", mimeType: null, size: null },
  ]);
  expect(await servers.resources("broken", signal)).toBe('The MCP server "broken" answered with an error (-5): no.');
  expect(await servers.resources("plain", signal)).toBe('The MCP server "plain" failed: it has no resources.');
  expect(await servers.read({ server: "s", uri: "a://1" }, asking().asked)).toMatchObject({
    content: [
      { type: "embedded", uri: "a://1", mimeType: "text/plain", text: "hello" },
      { type: "blob", uri: "a://2", mimeType: null, data: "AAAA" },
    ],
  });
  expect(await servers.prompt({ server: "s", prompt: "review", arguments: { file: "x" } }, signal)).toMatchObject({
    content: [
      { type: "text", text: "Look at it" },
      { type: "image", mediaType: "image/png", data: "AAAA" },
      { type: "other", json: '{"type":"new"}' },
    ],
  });
  expect(notes).toContain('The MCP server "broken" gave no list of its prompts: answered with an error (-6): no.');
});

test("prompts that do not come hold nobody up (serverPromptsMs); what they were waited for is said", async () => {
  const clock = manualClock();
  const log = file();
  const script = { log, tools: named(0, 1), prompts: [], mute: ["prompts/list"] };
  const { servers, notes } = world.start([entryOf("s", stubLaunch(script))], clock);
  const asked = () => methodsIn(log).filter((method) => method === "prompts/list").length;
  await until(() => asked() === 1);
  await clock.advance(bounds.serverPromptsMs);
  await until(() => stateOf(servers, "s").status.type === "ready");
  expect(stateOf(servers, "s").tools).toHaveLength(1);
  await clock.advance(bounds.serverRelistMsFirst);
  await until(() => asked() === 2);
  await clock.advance(bounds.serverStartMsMax);
  await until(() => notes.length === 1);
  expect(notes).toEqual(['The MCP server "s" gave no list of its prompts: no answer came in time.']);
});

test("every kind of content is kept, of a kind we do not know as its JSON", async () => {
  const content = [
    { type: "text", text: "a" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource_link", uri: "a://1", name: "One" },
    { type: "resource", resource: { uri: "a://2", text: "b" } },
    { type: "image", data: 7 },
    "text",
  ];
  const calls = {
    all: { result: { content } },
    none: { result: {} },
    old: { result: { toolResult: { a: 1 } } },
    one: { result: { content: content[0] } },
  };
  const { servers } = world.start([entryOf("s", stubLaunch({ tools: [], calls }))]);
  const call = (tool: string) => servers.call({ server: "s", tool, input: {} }, asking().asked);
  expect(await call("all")).toMatchObject({
    content: [
      { type: "text", text: "a" },
      { type: "audio", mediaType: "audio/wav", data: "AAAA" },
      { type: "link", uri: "a://1", name: "One", description: "", mimeType: null, size: null },
      { type: "embedded", uri: "a://2", mimeType: null, text: "b" },
      { type: "other", json: '{"type":"image","data":7}' },
      { type: "other", json: '"text"' },
    ],
  });
  expect(await call("none")).toMatchObject({ content: [], structured: undefined });
  expect(await call("old")).toMatchObject({ content: [{ type: "other", json: '{"a":1}' }] });
  expect(await call("one")).toMatchObject({ content: [{ type: "text", text: "a" }] });
});
