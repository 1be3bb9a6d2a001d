import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ServerAnswer } from "../../src/ports/servers.ts";
import { asking, entryOf, realLaunch, serversForTests, stateOf } from "../support/stub-servers.ts";

/** Servers of other people, as they are. */

const world = serversForTests();
afterAll(world.end);
const { signal } = new AbortController();

function textOf(answer: ServerAnswer): string {
  if (answer.type !== "answer") return `${answer.type}: ${answer.why}`;
  return answer.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

test("filesystem, memory and everything: started at once, listed, called, their resources and prompts read", async () => {
  const files = join(world.folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "a.txt"), "hello from a file\n");
  const memory = realLaunch("mcp-server-memory");
  const kept = { MEMORY_FILE_PATH: join(world.folder, "memory.jsonl") };
  const { servers, notes } = world.start([
    entryOf("files", realLaunch("mcp-server-filesystem", [files])),
    entryOf("memory", memory.type === "stdio" ? { ...memory, env: kept } : memory),
    entryOf("everything", realLaunch("mcp-server-everything")),
  ]);
  await servers.settled(60_000);
  expect(servers.now().map(({ name, status }) => [name, status.type])).toEqual([
    ["everything", "ready"],
    ["files", "ready"],
    ["memory", "ready"],
  ]);
  expect(stateOf(servers, "files").tools.length).toBeGreaterThanOrEqual(14);
  expect(stateOf(servers, "memory").tools.length).toBeGreaterThanOrEqual(9);

  const { asked, progress } = asking();
  const call = (server: string, tool: string, input: Parameters<typeof servers.call>[0]["input"]) =>
    servers.call({ server, tool, input }, asked);
  expect(textOf(await call("files", "read_text_file", { path: join(files, "a.txt") }))).toBe("hello from a file\n");
  const outside = await call("files", "read_text_file", { path: "/etc/hostname" });
  expect(outside).toMatchObject({ type: "answer", isError: true });
  expect(textOf(outside)).toMatch(/outside allowed directories/);

  const entities = [{ name: "Varve", entityType: "program", observations: ["is an agent"] }];
  expect(await call("memory", "create_entities", { entities })).toMatchObject({ isError: false });
  expect(await call("memory", "read_graph", {})).toMatchObject({ structured: { entities: [{ name: "Varve" }] } });

  expect(textOf(await call("everything", "get-tiny-image", {}))).toMatch(/\[image\]/);
  expect(textOf(await call("everything", "trigger-long-running-operation", { duration: 0.6, steps: 2 }))).toMatch(
    /completed/,
  );
  expect(progress[0]).toBe("1/2");
  const { instructions, hasResources, prompts } = stateOf(servers, "everything");
  expect(instructions?.length).toBeGreaterThan(100);
  expect(hasResources).toBe(true);
  const resources = await servers.resources("everything", signal);
  expect(typeof resources === "string" ? resources : resources.map(({ kind }) => kind)).toContain("template");
  const first = typeof resources === "string" ? undefined : resources.find(({ kind }) => kind === "resource");
  const read = await servers.read({ server: "everything", uri: first?.uri ?? "" }, asked);
  expect(read).toMatchObject({ type: "answer", content: [{ type: "embedded", uri: first?.uri }] });
  const simple = prompts.find((prompt) => prompt.arguments.length === 0);
  const filled = await servers.prompt({ server: "everything", prompt: simple?.name ?? "", arguments: {} }, signal);
  expect(textOf(filled).length).toBeGreaterThan(10);
  expect(notes).toEqual([]);
});

const chromium = "/usr/bin/chromium";
const hasChromium = isThere(chromium);
if (!hasChromium) console.warn("SKIPPED: no chromium here; Playwright MCP is not run (apt-get install chromium)");

describe.skipIf(!hasChromium)("Playwright MCP", () => {
  test("a page on loopback is visited, looked at and clicked", async () => {
    const page = `<!doctype html><title>Shop</title><h1>Cart</h1><button onclick="document.querySelector('p').textContent='Paid'">Pay now</button><p>Open</p>`;
    const web = createServer((_request, response) => response.setHeader("content-type", "text/html").end(page));
    await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
    // The proof: it listens at an address of TCP.
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
    const args = ["--headless", "--no-sandbox", "--isolated", "--executable-path", chromium];
    const { servers } = world.start([entryOf("browser", realLaunch("playwright-mcp", args, world.folder), 60_000)]);
    const call = (tool: string, input: Parameters<typeof servers.call>[0]["input"]) =>
      servers.call({ server: "browser", tool, input }, asking().asked);
    try {
      expect(await call("browser_navigate", { url })).toMatchObject({ isError: false });
      const seen = textOf(await call("browser_snapshot", {}));
      expect(seen).toContain('heading "Cart"');
      const ref = /button "Pay now" \[ref=(\w+)\]/.exec(seen)?.[1] ?? "no button";
      expect(await call("browser_click", { element: "Pay now", target: ref, ref })).toMatchObject({ isError: false });
      expect(textOf(await call("browser_snapshot", {}))).toContain("Paid");
    } finally {
      await servers.close();
      web.close();
    }
  });
});

function isThere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
