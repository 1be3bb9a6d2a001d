import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { cardStore } from "../../src/adapters/cards.ts";
import type { ServerEntry, ServerLaunch } from "../../src/workspace/server-settings.ts";
import {
  lastResult,
  modelsOfServers,
  movedIn,
  openGate,
  projectOfTests,
  type ServerPlace,
  serverPlace,
  using,
} from "../support/server-session.ts";
import { entryOf, realLaunch, stubLaunch, until } from "../support/stub-servers.ts";
import { call, tell } from "../support/varve-process.ts";

/** Servers of other people in whole sessions: what the model does with them, what it is sent, what is left of it. */

let place: ServerPlace;
afterEach(async () => {
  await place.end();
  expect(place.alive()).toEqual([]);
});

const service: { url: string; end: () => Promise<void> } = { url: "", end: async () => {} };
beforeAll(async () => {
  Object.assign(service, await everythingOverHttp());
});
afterAll(() => service.end());

const filesOf = ({ work }: ServerPlace) => join(work, "files");

function smallServers(where: ServerPlace): readonly ServerEntry[] {
  mkdirSync(filesOf(where), { recursive: true });
  const memory = realLaunch("mcp-server-memory");
  const graph = { MEMORY_FILE_PATH: join(where.folder, "memory.jsonl") };
  const launches: Readonly<Record<string, ServerLaunch>> = {
    files: realLaunch("mcp-server-filesystem", [filesOf(where)]),
    memory: memory.type === "stdio" ? { ...memory, env: graph } : memory,
    everything: realLaunch("mcp-server-everything"),
    web: { type: "http", url: service.url, headers: {} },
  };
  return Object.entries(launches).map(([name, launch]) => entryOf(name, where.watched(name, launch)));
}

describe.each(modelsOfServers)("%s with %s, tools called %s", (_wire, model, way) => {
  const use = (tool: string, input: object) => using(way, `mcp__${tool}`, input);
  const find = (query: string) => call("ToolSearch", { query, limit: 3 });

  test("/mcp waits for servers that are starting, and says what each has", async () => {
    place = serverPlace(model);
    const session = await place.open([entryOf("memory", place.watched("memory", realLaunch("mcp-server-memory")))]);
    const answer = await session.command("/mcp");
    expect(answer).toMatchObject({ type: "told", text: expect.stringMatching(/^memory +ready: 9 tools/) });
  });

  test("tools of real servers are found by words and called, resources read, prompts typed, images seen", async () => {
    place = serverPlace(model);
    const session = await place.open(smallServers(place));
    const does = async (...replies: readonly object[]) => {
      const turn = await session.prompt(tell(...replies, { text: "That is done." }));
      expect(turn).toMatchObject({ reason: "done", text: "That is done." });
      return lastResult(place);
    };
    const path = join(filesOf(place), "note.txt");
    expect(await does(find("write a file"))).toContain("mcp__files__write_file");
    await does(use("files__write_file", { path, content: "kept by a server\n" }));
    expect(readFileSync(path, "utf8")).toBe("kept by a server\n");
    expect(await does(find("select:read_text_file"), use("files__read_text_file", { path }))).toContain("by a server");

    const entities = [{ name: "Varve", entityType: "program", observations: ["keeps layers"] }];
    expect(await does(find("create entities in the knowledge graph"))).toContain("mcp__memory__create_entities");
    await does(use("memory__create_entities", { entities }));
    expect(await does(find("read the whole graph"), use("memory__read_graph", {}))).toContain("keeps layers");

    expect(await does(find("select:mcp__everything__echo"), use("everything__echo", { message: "hi" }))).toContain(
      "hi",
    );
    expect(await does(find("select:mcp__web__get-sum"), use("web__get-sum", { a: 19, b: 23 }))).toContain("42");
    const images = () => place.shown().filter(({ kind }) => kind === "image").length;
    expect(images()).toBe(0);
    await does(find("tiny image"), use("everything__get-tiny-image", {}));
    expect(images()).toBe(1);

    const listed = await does(call("Resource", { server: "everything" }));
    expect(listed).toContain("demo://resource/dynamic/text/{resourceId} (fill in the braces)");
    const uri = "demo://resource/dynamic/text/7";
    expect(await does(call("Resource", { server: "web", uri }))).toContain("Resource 7: This is a plaintext resource");

    expect(await session.command("/mcp__everything__args-prompt Graz Styria")).toMatchObject({ type: "turn" });
    expect(place.shown().some(({ text }) => text.includes("What's weather in Graz, Styria?"))).toBe(true);
    expect(movedIn(place.simulation.requests())).toEqual([]);
    expect(place.alive()).toHaveLength(3);
    await session.close();
    expect(place.alive()).toEqual([]);
  });

  test("a server that is late, is killed in mid-call, comes back, and on another day in another order: nothing moves", async () => {
    place = serverPlace(model);
    const [gate, gateAgain] = [join(place.folder, "gate"), join(place.folder, "gate-again")];
    const files = entryOf("files", place.watched("files", realLaunch("mcp-server-filesystem", [place.work])));
    const late = realLaunch("mcp-server-everything");
    const session = await place.open([files, entryOf("late", place.watched("late", late, gate))]);
    session.listen((event) => {
      if (event.type === "progress") process.kill(place.pids("late").at(-1) ?? 0, "SIGKILL");
    });
    const slow = use("late__trigger-long-running-operation", { duration: 60, steps: 600 });
    const sum = use("late__get-sum", { a: 2, b: 3 });
    const opens = call("Bash", { command: `touch ${gate}` });
    const first = [opens, find("select:trigger-long-running-operation,get-sum"), slow, sum, { text: "Done." }];
    expect(await session.prompt(tell(...first))).toMatchObject({ reason: "done" });
    const results = place.shown().filter(({ kind }) => kind === "result");
    expect(results.map(({ text }) => text).join("\n")).toMatch(/MCP server \\?"late\\?" was ended by SIGKILL/);
    expect(lastResult(place)).toMatch(/\b5\b/);
    expect(place.pids("late")).toHaveLength(2);
    const blocks = place.shown().filter(({ kind, text }) => kind === "text" && /MCP server "late"/.test(text));
    expect(blocks[0]?.text).toContain("still starting");
    // Whether it is told as ready, as down and as ready again, or not each time, is a matter of how fast it all went.
    expect(blocks[1]?.text).toContain("mcp__late__");
    await session.close();
    expect(place.alive()).toEqual([]);

    place.nextDay();
    const other = entryOf(
      "files",
      place.watched("files", realLaunch("mcp-server-filesystem", [place.work]), gateAgain),
    );
    const again = await place.open([other, entryOf("late", place.watched("late", late))], {
      open: { type: "resume", session: session.id },
    });
    const read = call("Resource", { server: "late", uri: "demo://resource/dynamic/text/1" });
    expect(await again.prompt(tell(read, sum, { text: "Still there." }))).toMatchObject({ text: "Still there." });
    openGate(gateAgain);
    const listing = use("files__list_directory", { path: place.work });
    expect(await again.prompt(tell(find("list a directory"), listing, { text: "Both." }))).toMatchObject({
      text: "Both.",
    });
    expect(lastResult(place)).toContain("[DIR] .git");
    expect(movedIn(place.simulation.requests())).toEqual([]);
  });
});

test("what tools cost is kept for the project's next session, and a definition that changed since it was allowed is asked about", async () => {
  place = serverPlace("claude-sonnet-5-5");
  const memory = smallServers(place).filter(({ name }) => name === "memory");
  const shop = (description: string) => {
    const tools = [{ name: "buy", description, inputSchema: { type: "object", properties: {} } }];
    return entryOf("shop", place.watched("shop", stubLaunch({ tools })));
  };
  const graph = call("mcp__memory__read_graph", {});
  const buy = call("mcp__shop__buy", {});
  const entities = Array.from({ length: 300 }, (_, n) => ({
    ...{ name: `Layer ${n}`, entityType: "layer", observations: [`was laid down in the year ${1000 + n}`] },
  }));
  const asked: string[] = [];
  const ask = async ({ why }: { readonly why: string }) => {
    asked.push(why);
    return { allowed: false, why: "not like that" };
  };
  const session = await place.open([...memory, shop("Buys one thing.")], { ask });
  const fill = call("mcp__memory__create_entities", { entities });
  await session.prompt(tell(fill, graph, graph, graph, buy, { text: "Done." }));
  expect(lastResult(place)).toContain("{}");
  expect(asked).toEqual([]);
  await session.close();
  const measured = await cardStore(place.stores.log, projectOfTests).read();
  expect([...measured.keys()]).toEqual(["memory", "shop"]);

  const next = await place.open([...memory, shop("Buys all there is.")], { ask });
  await next.prompt(tell(buy, { text: "Refused." }));
  expect(asked).toEqual([expect.stringMatching(/its server says something else of it now/)]);
  expect(lastResult(place)).toContain("not like that");
  const told = place.shown().find(({ text }) => text.includes('MCP server "memory"'));
  expect(told?.text).toMatch(/Dear tools[\s\S]*- read_graph \(\d+,000; [\d,]+ shown\)/);
});

/** The service as a process of its own, on a port that was free a moment ago. */
async function everythingOverHttp(): Promise<typeof service> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  // The proof: it listens at an address of TCP.
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const launch = realLaunch("mcp-server-everything", ["streamableHttp"]);
  if (launch.type !== "stdio") throw new Error("not a program");
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const child = spawn(launch.command, launch.args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => {
    said += text;
  });
  await until(() => said.includes("listening"));
  const over = once(child, "exit");
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async end() {
      child.kill("SIGKILL");
      await over;
    },
  };
}
