import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeHttp } from "../../src/adapters/http.ts";
import { readablePage } from "../../src/adapters/readable.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Http } from "../../src/ports/http.ts";
import type { Tool, ToolContext } from "../../src/tools/tool.ts";
import { webFetchTool } from "../../src/tools/web-fetch.ts";
import { webSearchTool } from "../../src/tools/web-search.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const answers = new Map<string, Answer>();
const seen: IncomingMessage[] = [];
const server = createServer((request, response) => {
  seen.push(request);
  const answer = answers.get(new URL(request.url ?? "/", "http://x").pathname);
  if (answer === undefined) response.writeHead(404, { "content-type": "text/plain" }).end("no such page");
  else answer(request, response);
});
let host = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with one.
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const nothing: ToolContext = {
  cwd: "/",
  seen: () => null,
  original: async () => null,
  mode: () => "default",
  modeBefore: () => "default",
  tasksStarted: () => 0,
  tasksEnded: () => ({}),
  onProgress: () => {},
};
async function run(tool: Tool, input: unknown, signal = new AbortController().signal) {
  const parsed = tool.parse(input);
  if (parsed.type === "bad") return { ending: "bad", output: parsed.why, form: "" };
  return await parsed.call.run(nothing, signal);
}
const fetchTool = () => webFetchTool({ http: nodeHttp(), readable: readablePage, privateHosts: [host] });
const page = (path: string, signal?: AbortSignal) => run(fetchTool(), { url: `http://${host}${path}` }, signal);
const serve = (
  path: string,
  type: string,
  body: string | Uint8Array,
  more: Record<string, string> = {},
  status = 200,
) =>
  answers.set(path, (_request, response) =>
    response.writeHead(status, { ...(type === "" ? {} : { "content-type": type }), ...more }).end(body),
  );

describe("WebFetch", () => {
  test("a page is its text as Markdown under a line that says where it is from", async () => {
    const words = "<p>Some words of prose, with commas, that go on. </p>".repeat(12);
    serve(
      "/page",
      "text/html; charset=utf-8",
      `<!doctype html><title>A &amp; B</title><nav><a href=/>Home</a></nav><article><h2>Part</h2>${words}<pre><code>let a;\n  b();</code></pre><script>steal()</script></article>`,
    );
    const outcome = await page("/page#part");
    expect(outcome).toMatchObject({ ending: "done", form: "output" });
    expect(outcome.output).toMatch(
      /^\[http:\/\/127\.0\.0\.1:\d+\/page#part · 200 · A & B · text\/html, \d+ bytes\]\n\n/,
    );
    expect(outcome.output).toContain("## Part");
    expect(outcome.output).toContain("```\nlet a;\n  b();\n```");
    expect(outcome.output).not.toMatch(/steal|Home/);
  });

  test("nothing of ours goes along: no cookie, no key, a plain name", async () => {
    serve("/plain", "text/plain", "hello", { "set-cookie": "a=b" });
    await page("/plain");
    expect((await page("/plain")).output).toContain("hello");
    expect(Object.keys(seen.at(-1)?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
    expect(seen.at(-1)?.headers["user-agent"]).toBe("varve");
  });

  test.each<readonly [string, string, string | Uint8Array, string]>([
    ["JSON as it is", "application/json", '{"a": [1,  2]}', '{"a": [1,  2]}'],
    ["a vendor's JSON", "application/vnd.api+json", '{"b":1}', '{"b":1}'],
    ["text in the charset of the header", "text/plain; charset=gbk", Uint8Array.of(0xd6, 0xd0, 0xce, 0xc4), "中文"],
    ["a charset that nobody knows", "text/plain; charset=nonsense", "é", "é"],
    [
      "HTML in the charset it names itself",
      "text/html",
      Buffer.concat([Buffer.from('<meta charset="shift_jis"><p>'), Uint8Array.of(0x93, 0xfa, 0x96, 0x7b)]),
      "日本",
    ],
    ["HTML that says no type", "", "<!DOCTYPE html><p>said <b>so</b>", "said **so**"],
    ["text that says no type", "", "just text", "just text"],
    ["an empty page", "text/html", "", "[no text]"],
  ])("%s is text", async (name, type, body, expected) => {
    serve(`/${encodeURI(name)}`, type, body);
    expect((await page(`/${encodeURI(name)}`)).output).toContain(expected);
  });

  test.each<readonly [string, Uint8Array]>([
    ["application/pdf", Buffer.from("%PDF-1.7")],
    ["image/png", Uint8Array.of(1, 2, 3)],
    ["application/octet-stream", Uint8Array.of(0, 1)],
    ["", Uint8Array.of(0, 1, 2)],
  ])("%s is refused by name", async (type, body) => {
    serve("/binary", type, body);
    expect(await page("/binary")).toMatchObject({ ending: "failed", output: expect.stringMatching(/no text to read/) });
  });

  test("a status of failure is one, with what the server said", async () => {
    expect(await page("/nowhere")).toMatchObject({
      ending: "failed",
      output: expect.stringMatching(/404[\s\S]*no such page/),
    });
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const)(
    "a body packed with %s is unpacked, and cut where it unpacks to more than the limit",
    async (name, pack) => {
      serve("/packed", "text/plain", pack("small"), { "content-encoding": name });
      expect((await page("/packed")).output).toContain("small");
      serve("/bomb", "text/plain", pack(Buffer.alloc(bounds.webBytesMax * 4, 97)), { "content-encoding": name });
      const { output } = await page("/bomb");
      expect(output).toContain(`more than ${bounds.webBytesMax} bytes`);
      expect(output.length).toBeLessThan(bounds.webBytesMax + 1_000);
    },
  );

  test("law 10 · a body that never ends is cut", async () => {
    answers.set("/endless", (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
    expect((await page("/endless")).output).toContain("only the first");
  });

  test("a broken packing, a broken connection and an interrupt are outcomes", async () => {
    serve("/broken", "text/plain", "not gzip", { "content-encoding": "gzip" });
    expect((await page("/broken")).ending).toBe("failed");
    answers.set("/cut", (_request, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "100" });
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    expect((await page("/cut")).ending).toBe("failed");
    answers.set("/silent", () => {});
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 30);
    expect((await page("/silent", abort.signal)).ending).toBe("interrupted");
  });

  test("C-125 · redirects are followed on the same host only, a private one is never reached, a loop ends", async () => {
    serve("/target", "text/plain", "arrived");
    serve("/same", "", "", { location: "/target" }, 302);
    expect((await page("/same")).output).toContain("arrived");
    for (const [name, location] of [
      ["other", "https://example.org/x"],
      ["port", "http://127.0.0.1:1/x"],
      ["user", `http://u:p@${host}/target`],
      ["scheme", "file:///etc/passwd"],
      ["meta", "http://169.254.169.254/"],
    ] as const) {
      serve(`/${name}`, "", "", { location }, 301);
      const before = seen.length;
      const outcome = await page(`/${name}`);
      expect(outcome.output, name).toContain("another host");
      expect(seen.length, name).toBe(before + 1);
    }
    serve("/loop", "", "", { location: "/loop" }, 307);
    expect(await page("/loop")).toMatchObject({
      ending: "failed",
      output: expect.stringContaining(`more than ${bounds.webHopsMax}`),
    });
  });

  test("law 10 · every request has its limits of size and time", async () => {
    const asked: unknown[] = [];
    const http: Http = {
      request: async ({ bytesMax, timeoutMs }) => {
        asked.push({ bytesMax, timeoutMs });
        return { type: "failed", why: "enough" };
      },
    };
    const web = { http, readable: readablePage, privateHosts: [] };
    await run(webFetchTool(web), { url: "https://example.org/" });
    await run(webSearchTool({ http, search: { endpoint: "https://example.org/", key: null } }), { query: "x" });
    const limits = { bytesMax: bounds.webBytesMax, timeoutMs: bounds.webMsMax };
    expect(asked).toEqual([limits, limits]);
  });

  test("a page made to hold us up is text without its tags", async () => {
    serve("/deep", "text/html", `${"<div>".repeat(50_000)}deep words<script>var x = "<b>"; bad()</script>`);
    const { output } = await page("/deep");
    expect(output).toContain("deep words");
    expect(output).not.toContain("bad()");
  });
});

describe("names are resolved once, and only checked addresses are connected to", () => {
  const request = { method: "GET", headers: {}, bytesMax: 1_000, timeoutMs: 2_000, privateHosts: [] } as const;
  const { signal } = new AbortController();

  test.each([
    ["127.0.0.1", 4],
    ["10.0.0.1", 4],
    ["::1", 6],
    ["::ffff:169.254.169.254", 6],
  ])("C-125 · a public name that means %s is refused, also among public ones", async (address, family) => {
    for (const others of [[], [{ address: "93.184.215.14", family: 4 }]]) {
      const http = nodeHttp({ resolve: async () => [...others, { address, family }] });
      const answer = await http.request({ ...request, url: "http://example.org/" }, signal);
      expect(answer).toMatchObject({ type: "failed", why: expect.stringContaining("not a public address") });
    }
  });

  test("C-125 · a name that means something else when asked again is asked once: the connection goes where it was checked", async () => {
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? "127.0.0.1" : "192.0.2.1", family: 4 }];
    };
    const port = host.split(":")[1];
    serve("/pinned", "text/plain", "here");
    const answer = await nodeHttp({ resolve }).request(
      { ...request, url: `http://pinned.example:${port}/pinned`, privateHosts: [`pinned.example:${port}`] },
      signal,
    );
    expect(answer).toMatchObject({ type: "answered", status: 200 });
    expect(asked).toBe(1);
    expect(seen.at(-1)?.headers.host).toBe(`pinned.example:${port}`);
  });

  test("a resolver that never answers is not waited for", async () => {
    const http = nodeHttp({ resolve: () => new Promise(() => {}) });
    const answer = await http.request({ ...request, url: "http://example.org/", timeoutMs: 30 }, signal);
    expect(answer).toMatchObject({ type: "failed", why: expect.stringContaining("30 ms") });
  });
});

describe("WebSearch", () => {
  const search = (key: string | null = null) =>
    webSearchTool({ http: nodeHttp(), search: { endpoint: `http://${host}/search?lang=en`, key } });

  test("asks the configured server and lists what it found, bounded", async () => {
    const results = Array.from({ length: 30 }, (_, at) => ({
      title: `T${at}\n`,
      url: `https://e.org/${at}`,
      content: "word ".repeat(300),
    }));
    serve("/search", "application/json", JSON.stringify({ results: [{ bad: 1 }, ...results] }));
    const { output } = await run(search("TESTKEY-5"), { query: " a & b " });
    expect(output.split("\n").slice(0, 2)).toEqual(["1. T0", "   https://e.org/0"]);
    expect(output.match(/^\d+\. /gm)).toHaveLength(bounds.searchResultsMax);
    // Three spaces in front, the sign of the cut behind.
    const longest = Math.max(...output.split("\n").map(({ length }) => length));
    expect(longest).toBe(bounds.searchTextCharsMax + 4);
    expect(output).not.toContain("TESTKEY-5");
    expect(seen.at(-1)?.url).toBe("/search?lang=en&q=a+%26+b&format=json");
    expect(seen.at(-1)?.headers.authorization).toBe("Bearer TESTKEY-5");
  });

  test.each<readonly [string, string, string]>([
    ["no JSON", "<html>", "not JSON"],
    ["no list", '{"results": 3}', "not JSON with a list"],
    ["nothing found", '{"results": []}', "No results"],
  ])("%s is said", async (_name, body, said) => {
    serve("/search", "application/json", body);
    expect((await run(search(), { query: "x" })).output).toContain(said);
    expect(seen.at(-1)?.headers.authorization).toBeUndefined();
  });

  test("an empty query is refused", () => {
    expect(search().parse({ query: "  " }).type).toBe("bad");
  });
});
