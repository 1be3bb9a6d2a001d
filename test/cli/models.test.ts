import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseModelFile } from "../../src/budget/model-file.ts";
import { modelRows } from "../../src/cli/models-rows.ts";
import { modelDetail, modelsTable } from "../../src/cli/models-text.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { KeptListing } from "../../src/provider/kept-listings.ts";
import type { ListedModel } from "../../src/provider/listed-model.ts";
import { newPlace, type Place, startProvider, varve } from "../support/varve-process.ts";

const at = Date.parse("2026-11-29T12:00:00Z");
const unsaid: ListedModel = {
  id: "",
  inputTokensMax: null,
  outputTokensMax: null,
  lifecycle: null,
  retiresOn: null,
  thinking: null,
  efforts: null,
};
const listing = (...models: readonly ListedModel[]): KeptListing => ({
  wire: "chat",
  address: "http://127.0.0.1:8000/v1",
  at,
  models,
});
const settingsOf = (...models: readonly unknown[]) => {
  const parsed = parseModelFile(JSON.stringify({ models }));
  if (parsed.type !== "ok") throw new Error(parsed.why);
  return parsed.settings;
};
const rows = (more: Partial<Parameters<typeof modelRows>[0]> = {}) =>
  modelRows({ settings: settingsOf(), listings: [], at, ...more });
const lineOf = (text: string, id: string) => text.split("\n").find((line) => line.startsWith(`${id} `)) ?? "";
const table = (more: Partial<Parameters<typeof modelRows>[0]> = {}) =>
  modelsTable(rows(more), { at: more.at ?? at, idsToo: false });

describe("the table of models", () => {
  test("fits 100 columns, has one order, and every number of a source stands below", () => {
    const text = table();
    expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
    const order = rows().map(({ wire, id }) => `${["anthropic", "responses", "gemini", "chat"].indexOf(wire)} ${id}`);
    expect(order).toEqual([...order].sort());
    for (const [, source] of text.matchAll(/^(?! )\S.* (\d+)$/gm))
      expect(text).toMatch(new RegExp(`^ +${source}  `, "m"));
  });
  test("has no colour and no control character", () => expect(table()).not.toMatch(/(?!\n)\p{Cc}/u));
  test("a price is one of its day", () => {
    expect(lineOf(table(), "gemini-4-argon")).toMatch(/ 2 +2 +0\.1 +10 +\d+$/);
    const later = Date.parse("2026-12-01T00:00:00Z");
    expect(lineOf(table({ at: later }), "gemini-4-argon")).toMatch(/ 4 +4 +0\.2 +20 +\d+$/);
  });
  test("tiers stand below their model", () => {
    expect(table()).toMatch(
      /claude-haiku-5-5 .* 0\.1 +0\.125 +0\.01 +0\.5 +\d+\n {2}from 100,001 +0\.5 +0\.625 +0\.05 +2\.5\n/,
    );
  });
  test("an unknown price is called unknown", () =>
    expect(lineOf(table(), "gemini-4-carbon")).toMatch(/ unknown +\d+$/));
  test("the user's own are marked", () => {
    const settings = settingsOf({
      id: "claude-opus-5-5",
      windowTokens: 64_000,
      price: { input: 1, read: 0, output: 2 },
    });
    expect(lineOf(table({ settings }), "claude-opus-5-5")).toMatch(/^claude-opus-5-5 \* .* 64k .* 1 +1 +0 +2 +\d+$/);
    expect(table({ settings })).toContain("by your models.json");
  });
  test("a listing's window is marked, a model on its way out too; ids without a word are counted only", () => {
    const models = [
      { ...unsaid, id: "house-model", inputTokensMax: 32_768, lifecycle: "deprecated" as const },
      { ...unsaid, id: "whisper-9" },
    ];
    const text = table({ listings: [listing(...models)] });
    expect(lineOf(text, "house-model")).toMatch(/^house-model \+! .*chat.* 33k .*unknown/);
    expect(text).toContain("and 1 more ids");
    expect(text).not.toContain("whisper");
  });
  test("a long id has a line of its own", () => {
    const id = `house/${"x".repeat(40)}`;
    const text = table({ listings: [listing({ ...unsaid, id, inputTokensMax: 1_000 })] });
    expect(text).toMatch(new RegExp(`^${id} \\+\n {26}chat`, "m"));
  });
});

describe("one model", () => {
  const detail = (id: string, more: Partial<Parameters<typeof modelRows>[0]> = {}) => {
    const row = rows(more).find((one) => one.id === id);
    if (row === undefined) throw new Error(`no row ${id}`);
    return modelDetail(row, more.at ?? at);
  };
  test("shows the rows of other days, each with its source and date", () => {
    const text = detail("gemini-4-argon");
    expect(text).toContain("before 2026-12-01 in 2,");
    expect(text).toContain("from 2026-12-01 in 4,");
    expect(text.match(/read\s+2026-11-29/g)).toHaveLength(2);
  });
  test("writes have a price per lifetime, and a peak is in the numbers of its hour", () => {
    expect(detail("claude-opus-5-5")).toContain("write 5 for 5 m, 8 for 1 h, read 0.2");
    expect(detail("deepseek-flash", { at: Date.parse("2026-11-30T02:00:00Z") })).toContain(
      "in 0.3, write 0.3, read 0.006",
    );
    expect(detail("deepseek-flash")).toContain("x 2 at peak hours (UTC) 1-4, 6-10");
  });
  test("what serves another id says which", () =>
    expect(detail("deepseek-v4-flash")).toContain("billed as deepseek-flash"));
  test("shows what the provider lists", () => {
    const model: ListedModel = {
      ...unsaid,
      id: "m",
      inputTokensMax: 32_768,
      thinking: ["adaptive"],
      efforts: ["low", "max"],
    };
    const text = detail("m", { listings: [listing(model)] });
    expect(text).toContain("32,768 tokens, of these 32,768 as input (listed:");
    expect(text.replaceAll(/\s+/g, " ")).toContain("thinking: adaptive; effort: low, max");
  });
});

describe("varve models", () => {
  let place: Place;
  beforeEach(() => {
    place = newPlace();
    mkdirSync(place.home);
  });
  afterEach(() => place.remove());
  const jsonOf = (stdout: string): readonly Readonly<Record<string, unknown>>[] => {
    const parsed = parseJson(stdout);
    const models = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.models : null;
    if (!Array.isArray(models)) throw new Error(`no models: ${stdout}`);
    return models.filter(isRecord);
  };

  test("names, days and mistakes", async () => {
    const argon = await varve(["models", "argon", "--at", "2026-12-01"], place);
    expect(argon).toMatchObject({ code: 0, stderr: "" });
    expect(argon.stdout).toMatch(/^gemini-4-argon\n(.*\n)* +in 4, write 4, read 0\.2, out 20\n/);
    const none = await varve(["models", "no-such-model"], place);
    expect(none).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining('nothing is known of "no-such-model"'),
    });
    const alone = await varve(["models", "--base-url", "http://127.0.0.1:9"], place);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining("add --refresh") });
    for (const day of ["tomorrow", "2026-02-30", "2026-13-01T00:00:00Z"])
      expect(await varve(["models", "--at", day], place)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--at:"),
      });
    writeFileSync(join(place.home, "models.json"), '{"models":[{"id":"m","price":{"input":"1"}}]}');
    expect(await varve(["models"], place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("models[0].price"),
    });
  });

  test("--refresh asks the provider, keeps its answer, and a session goes by it", async () => {
    const provider = await startProvider();
    try {
      const env = { ...provider.env(), ANTHROPIC_API_KEY: "sk-secret-0123456789" };
      const refreshed = await varve(["models", "sim-small", "--refresh", "--json"], place, { env });
      expect(refreshed).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/127\.0\.0\.1:\d+ lists \d+ models\n$/),
      });
      expect(jsonOf(refreshed.stdout)).toMatchObject([
        { id: "sim-small", window: { from: "listed", windowTokens: 32_000 }, listed: { lifecycle: "active" } },
      ]);
      expect(refreshed.stdout + refreshed.stderr).not.toContain("secret");
      const args = ["-p", '[{"text":"hello"}]', "--model", "sim-small", "--wire", "anthropic"];
      expect(await varve(args, place, { env })).toMatchObject({ code: 0 });
      const context = await varve(["context", "--json"], place);
      expect(parseJson(context.stdout)).toMatchObject({
        value: { window: { from: "listed", windowTokens: 32_000, outputTokensMax: 4_000 } },
      });
      const log = await varve(["log"], place);
      expect(log.stdout).toMatch(/model-described +sim-small: 32000 tokens(.*\n)+.*model-chosen/);
    } finally {
      await provider.stop();
    }
  });

  test("--refresh without a provider, or with one that refuses, says so and shows no key", async () => {
    expect(await varve(["models", "--refresh"], place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nobody to ask"),
    });
    const refuse: RequestListener = (request, response) =>
      response.writeHead(401).end(JSON.stringify({ error: { message: `bad key ${request.headers.authorization}` } }));
    const server = createServer(refuse);
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    try {
      const address = server.address();
      const port = address === null || typeof address === "string" ? 0 : address.port;
      const env = { OPENAI_API_KEY: "sk-secret-0123456789", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
      const refused = await varve(["models", "--refresh"], place, { env });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("gave no listing: status 401: bad key Bearer [key]");
      expect(refused.stdout).toContain("claude-opus-5-5");
    } finally {
      server.close();
    }
  });
});
