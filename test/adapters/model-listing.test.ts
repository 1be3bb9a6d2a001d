import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describedModel } from "../../src/adapters/described-model.ts";
import { keepListing, readListings } from "../../src/adapters/listing-file.ts";
import { addressOf, listModels } from "../../src/adapters/model-listing.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { startSimulator } from "../../src/testing/simulate/server.ts";

const key = "sk-secret-0123456789";
const servers: Server[] = [];
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "varve-listing-"));
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
  rmSync(home, { recursive: true, force: true });
});

/** A server that answers as told; `seen` are the requests it got. */
async function serve(answer: RequestListener): Promise<{ readonly baseUrl: string; readonly seen: readonly string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { baseUrl: `http://127.0.0.1:${address.port}`, seen };
}

const says = (body: unknown, status = 200): RequestListener => {
  return (_request, response) => response.writeHead(status).end(JSON.stringify(body));
};
const ask = (wire: Wire, baseUrl: string, timeoutMs = 5_000) =>
  listModels({ wire, endpoint: { apiKey: key, baseUrl }, timeoutMs });

describe("the simulator lists its models", () => {
  test("in the Messages shape, with limits, lifecycle and capabilities", async () => {
    const simulator = await startSimulator();
    try {
      const listing = await ask("anthropic", simulator.url);
      if (listing.type !== "listed") throw new Error(listing.why);
      expect(listing.models.find(({ id }) => id === "sim-plain")).toEqual({
        id: "sim-plain",
        inputTokensMax: 200_000,
        outputTokensMax: 32_000,
        lifecycle: "active",
        retiresOn: null,
        thinking: ["adaptive", "disabled", "enabled"],
        efforts: ["low", "medium", "high", "xhigh", "max"],
      });
    } finally {
      await simulator.close();
    }
  });
  test("in the OpenAI shape, by id only", async () => {
    const simulator = await startSimulator();
    try {
      const listing = await ask("chat", `${simulator.url}/v1`);
      expect(listing).toMatchObject({ type: "listed", models: expect.arrayContaining([unsaid("sim-chat")]) });
    } finally {
      await simulator.close();
    }
  });
  test("in Gemini's shape, with both limits", async () => {
    const simulator = await startSimulator();
    try {
      const listing = await ask("gemini", simulator.url);
      if (listing.type !== "listed") throw new Error(listing.why);
      const argon = listing.models.find(({ id }) => id === "gemini-4-argon");
      expect(argon).toMatchObject({ outputTokensMax: 65_536 });
      expect(argon?.inputTokensMax).toBeGreaterThan(900_000);
    } finally {
      await simulator.close();
    }
  });
});

const unsaid = (id: string) => ({
  id,
  inputTokensMax: null,
  outputTokensMax: null,
  lifecycle: null,
  retiresOn: null,
  thinking: null,
  efforts: null,
});

describe("each wire asks at its own address", () => {
  test.each([
    { wire: "anthropic", base: "", path: "GET /v1/models?limit=1000" },
    { wire: "anthropic", base: "/v1/messages", path: "GET /v1/models?limit=1000" },
    { wire: "chat", base: "/v1", path: "GET /v1/models" },
    { wire: "chat", base: "/api/v1/chat/completions", path: "GET /api/v1/models" },
    { wire: "responses", base: "/v1/", path: "GET /v1/models" },
    { wire: "responses", base: "/v1/responses", path: "GET /v1/models" },
    { wire: "gemini", base: "", path: "GET /v1beta/models?pageSize=1000" },
    { wire: "gemini", base: "/v1beta/", path: "GET /v1beta/models?pageSize=1000" },
  ] as const)("$wire at $base", async ({ wire, base, path }) => {
    const { baseUrl, seen } = await serve(says({ data: [], models: [] }));
    expect(await ask(wire, `${baseUrl}${base}`)).toEqual({ type: "listed", models: [], limits: {} });
    expect(seen).toEqual([path]);
  });
  test("pages are followed, as many as the limit allows", async () => {
    const { baseUrl, seen } = await serve((request, response) => {
      const page = Number(/after_id=m(\d+)/.exec(request.url ?? "")?.[1] ?? 0) + 1;
      response.end(JSON.stringify({ data: [{ id: `m${page}` }], has_more: true, last_id: `m${page}` }));
    });
    const listing = await ask("anthropic", baseUrl);
    expect(listing).toMatchObject({ type: "listed", models: { length: bounds.listingPagesMax } });
    expect(seen[1]).toBe("GET /v1/models?limit=1000&after_id=m1");
    expect(seen).toHaveLength(bounds.listingPagesMax);
  });
  test("rate limits of the answer are handed on", async () => {
    const { baseUrl } = await serve((_request, response) => {
      response.setHeader("anthropic-ratelimit-requests-remaining", "49");
      response.setHeader("x-other", "1");
      response.end('{"data":[]}');
    });
    expect(await ask("anthropic", baseUrl)).toMatchObject({
      limits: { "anthropic-ratelimit-requests-remaining": "49" },
    });
  });
});

describe("a listing that cannot be had says why, without the key", () => {
  test("a refused key", async () => {
    const { baseUrl } = await serve(says({ error: { message: `invalid key ${key}` } }, 401));
    expect(await ask("chat", baseUrl)).toEqual({ type: "failed", status: 401, why: "status 401: invalid key [key]" });
  });
  test.each(["http://user:pass@127.0.0.1:9/v1", "no address"])(
    "an address that cannot be asked: %s",
    async (baseUrl) => {
      const listing = await ask("chat", baseUrl);
      expect(listing).toMatchObject({ type: "failed", why: expect.stringMatching(/^an address without/) });
    },
  );
  test("a redirect is not followed", async () => {
    const { baseUrl, seen } = await serve((_request, response) => response.writeHead(302, { location: "/b" }).end());
    expect(await ask("chat", baseUrl)).toEqual({ type: "failed", status: 302, why: "status 302" });
    expect(seen).toHaveLength(1);
  });
  test.each([
    { name: "a page of a web site", body: "<html>" },
    { name: "another object", body: '{"object":"model"}' },
    { name: "a list", body: "[]" },
  ])("$name", async ({ body }) => {
    const { baseUrl } = await serve((_request, response) => response.end(body));
    expect(await ask("anthropic", baseUrl)).toEqual({
      type: "failed",
      status: 200,
      why: "the answer is no listing of models",
    });
  });
  test("nobody there", async () => {
    const { baseUrl } = await serve(() => {});
    servers.pop()?.close();
    const listing = await ask("chat", baseUrl);
    expect(listing).toMatchObject({ type: "failed", why: expect.stringContaining("ECONNREFUSED") });
  });
  test("silence ends in time", async () => {
    const { baseUrl } = await serve(() => {});
    expect(await ask("chat", baseUrl, 50)).toEqual({ type: "failed", status: null, why: "no answer within 0.05 s" });
  });
  test("listingBytesMax · an endless answer is broken off", async () => {
    const { baseUrl } = await serve((_request, response) => {
      response.write('{"data":[');
      const more = () => {
        while (!response.destroyed && response.write(`"${"x".repeat(1024 * 1024)}",`));
      };
      response.on("drain", more);
      more();
    });
    const listing = await ask("chat", baseUrl);
    expect(listing).toMatchObject({ type: "failed", why: expect.stringContaining(String(bounds.listingBytesMax)) });
  });
});

test("an address is kept without what may be secret in it", () => {
  const endpoint = { apiKey: key, baseUrl: "https://user:pass@host:8443/gate/v1/?token=abc" };
  expect(addressOf("chat", endpoint)).toBe("https://host:8443/gate/v1");
  expect(addressOf("anthropic", { apiKey: key })).toBe("https://api.anthropic.com");
  expect(addressOf("chat", { apiKey: key, baseUrl: "no address" })).toBeNull();
});

describe("a session learns of a model from its provider's listing", () => {
  const now = Date.parse("2026-11-29T12:00:00Z");
  const body = { data: [{ id: "house-model", max_input_tokens: 50_000, max_tokens: 4_000, lifecycle: "deprecated" }] };
  const want = { ...unsaid("house-model"), inputTokensMax: 50_000, outputTokensMax: 4_000, lifecycle: "deprecated" };
  const asked = { root: "", wire: "anthropic", settings: undefined } as const;
  const described = (baseUrl: string, model = "house-model", at = now) =>
    describedModel({ ...asked, root: home, endpoint: { apiKey: key, baseUrl }, model, now: at });

  test("asks once and keeps the answer for a day, with the user's rights alone and without the key", async () => {
    const { baseUrl, seen } = await serve(says(body));
    expect(await described(baseUrl)).toEqual(want);
    expect(await described(baseUrl)).toEqual(want);
    expect(await described(baseUrl, "other-model")).toBeNull();
    expect(seen).toHaveLength(1);
    const file = join(home, "models-listed.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(key);
    expect(readFileSync(file, "utf8")).toContain("2026-11-29T12:00:00.000Z");
  });
  test("listingAgeMsMax · at the age of a day it asks again", async () => {
    const { baseUrl, seen } = await serve(says(body));
    await described(baseUrl);
    await described(baseUrl, "house-model", now + bounds.listingAgeMsMax - 1);
    expect(seen).toHaveLength(1);
    await described(baseUrl, "house-model", now + bounds.listingAgeMsMax);
    expect(seen).toHaveLength(2);
  });
  test("a model that the table knows is never asked for, but what is kept of it counts", async () => {
    const { baseUrl, seen } = await serve(says({ data: [{ id: "claude-opus-5-5", max_input_tokens: 400_000 }] }));
    expect(await described(baseUrl, "claude-opus-5-5")).toBeNull();
    expect(seen).toHaveLength(0);
    await described(baseUrl);
    expect(await described(baseUrl, "claude-opus-5-5")).toMatchObject({ inputTokensMax: 400_000 });
  });
  test("nor is a model whose window the user has set", async () => {
    const { baseUrl, seen } = await serve(says(body));
    const settings = { windowTokens: 9_000 };
    const endpoint = { apiKey: key, baseUrl };
    expect(await describedModel({ ...asked, root: home, endpoint, model: "house-model", settings, now })).toBeNull();
    expect(seen).toHaveLength(0);
  });
  test("a server that is silent holds a session up for bounds.listingMsMax and no longer", async () => {
    const { baseUrl, seen } = await serve(() => {});
    expect(await described(baseUrl)).toBeNull();
    expect(seen).toHaveLength(1);
  });
  test("another server's answer is not taken for this one's", async () => {
    const [one, two] = [await serve(says(body)), await serve(says({ data: [] }))];
    await described(one.baseUrl);
    expect(await described(two.baseUrl)).toBeNull();
    expect(await readListings(home)).toHaveLength(2);
  });
  test("a provider without a listing, a broken file and a home that cannot be written change nothing", async () => {
    const { baseUrl } = await serve(says({}, 404));
    writeFileSync(join(home, "models-listed.json"), '{"listings":[{"wire":"anthropic"');
    expect(await described(baseUrl)).toBeNull();
    const answering = await serve(says(body));
    const endpoint = { apiKey: key, baseUrl: answering.baseUrl };
    const root = join(home, "models-listed.json", "below-a-file");
    expect(await describedModel({ ...asked, root, endpoint, model: "house-model", now })).toEqual(want);
  });
  test("an answer that is older than a day is better than none", async () => {
    const { baseUrl } = await serve(says({}, 500));
    const models = [{ ...unsaid("house-model"), inputTokensMax: 9_000 }];
    await keepListing(home, { wire: "anthropic", address: baseUrl, at: now - 10 * bounds.listingAgeMsMax, models });
    expect(await described(baseUrl)).toMatchObject({ inputTokensMax: 9_000 });
  });
});
