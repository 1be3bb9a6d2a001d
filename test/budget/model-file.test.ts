import { describe, expect, test } from "vitest";
import { parseModelFile } from "../../src/budget/model-file.ts";
import { costOf, priceOf } from "../../src/budget/prices.ts";
import { windowOf } from "../../src/budget/window.ts";
import { noUsage } from "../../src/kernel/usage.ts";

const parse = (value: unknown) => parseModelFile(JSON.stringify(value));
const price = { input: 1, read: 0.1, output: 4 };

describe("models.json", () => {
  test("windows and prices of the user's own models win over the tables", () => {
    const parsed = parse({ models: [{ id: "claude-opus-5-5", windowTokens: 64_000, price }] });
    if (parsed.type !== "ok") throw new Error(parsed.why);
    const { windows, prices } = parsed.settings;
    expect(windowOf({ model: "claude-opus-5-5", settings: windows["claude-opus-5-5"] ?? null })).toMatchObject({
      windowTokens: 64_000,
      from: "settings",
    });
    const known = priceOf("claude-opus-5-5", 0, 10, { overrides: prices });
    expect(known).toMatchObject({ type: "known", source: "models.json" });
    expect(costOf({ ...noUsage, cacheWrite5m: 1e6 }, known)).toMatchObject({ usd: 1 });
  });
  test("a validity and tiers are kept", () => {
    const tiers = [price, { ...price, input: 2, promptTokensFrom: 1_000 }];
    const parsed = parse({ models: [{ id: "m", price: tiers, from: "2026-01-01", until: "2026-02-01" }] });
    if (parsed.type !== "ok") throw new Error(parsed.why);
    const overrides = parsed.settings.prices;
    expect(priceOf("m", Date.parse("2026-01-31T23:59:59Z"), 1_000, { overrides })).toMatchObject({
      rates: { input: 2 },
    });
    expect(priceOf("m", Date.parse("2026-02-01T00:00:00Z"), 1_000, { overrides })).toMatchObject({ type: "unknown" });
  });
  test("how a model's window is kept, by its name", () => {
    const parsed = parse({
      models: [{ id: "small", memory: "window" }, { id: "large", memory: "epochs" }, { id: "m" }],
    });
    if (parsed.type !== "ok") throw new Error(parsed.why);
    expect(parsed.settings.memory).toEqual({ small: "window", large: "epochs" });
  });
  test("a model named like an object's own member is one like any other", () => {
    const parsed = parseModelFile('{"models":[{"id":"__proto__","windowTokens":5}]}');
    if (parsed.type !== "ok") throw new Error(parsed.why);
    expect(Object.keys(parsed.settings.windows)).toEqual(["__proto__"]);
  });
  test.each([
    { name: "not JSON", text: "{", says: "is not JSON" },
    { name: "not an object", text: "[]", says: "the file should be an object" },
    { name: "no list", text: "{}", says: "models should be a list" },
    { name: "no id", text: '{"models":[{}]}', says: "models[0].id should be a model's name" },
    { name: "a mistyped field", text: '{"models":[{"id":"m","window":1}]}', says: 'unknown field "window"' },
    {
      name: "a window of text",
      text: '{"models":[{"id":"m","windowTokens":"1"}]}',
      says: "models[0].windowTokens should be a whole number above 0",
    },
    {
      name: "a way to keep a window that there is not",
      text: '{"models":[{"id":"m","memory":"slide"}]}',
      says: "models[0].memory should be epochs or window",
    },
    {
      name: "a negative price",
      text: '{"models":[{"id":"m","price":{"input":-1,"read":0,"output":0}}]}',
      says: "models[0].price.input should be a number from 0 up",
    },
    {
      name: "a price without its read rate",
      text: '{"models":[{"id":"m","price":{"input":1,"output":0}}]}',
      says: "models[0].price.read",
    },
    {
      name: "tiers that do not begin at 0",
      text: '{"models":[{"id":"m","price":[{"input":1,"read":0,"output":0,"promptTokensFrom":5}]}]}',
      says: "begins at 0",
    },
    { name: "no tier", text: '{"models":[{"id":"m","price":[]}]}', says: "at least one tier" },
    {
      name: "a day that is none",
      text: '{"models":[{"id":"m","price":{"input":1,"read":0,"output":0},"from":"soon"}]}',
      says: "models[0].from should be a day",
    },
    {
      name: "a day that no calendar has",
      text: '{"models":[{"id":"m","price":{"input":1,"read":0,"output":0},"until":"2026-02-30"}]}',
      says: "models[0].until should be a day",
    },
    {
      name: "days in the wrong order",
      text: '{"models":[{"id":"m","price":"unknown","from":"2026-02-02","until":"2026-02-02"}]}',
      says: "models[0].until should be a day after 2026-02-02",
    },
    {
      name: "a price and another name for it",
      text: '{"models":[{"id":"m","price":"unknown","billedAs":"n"}]}',
      says: "models[0].billedAs should be alone",
    },
    {
      name: "a price in words",
      text: '{"models":[{"id":"m","price":"free"}]}',
      says: "models[0].price should be an object",
    },
    {
      name: "hours that end before they begin",
      text: '{"models":[{"id":"m","price":{"input":1,"read":0,"output":0},"peak":{"factor":2,"days":[1],"hours":[[4,1]]}}]}',
      says: "models[0].peak.hours[0] should be two hours",
    },
    {
      name: "an eighth day",
      text: '{"models":[{"id":"m","price":{"input":1,"read":0,"output":0},"peak":{"factor":2,"days":[7],"hours":[]}}]}',
      says: "models[0].peak.days[0] should be a whole number from 0 to 6",
    },
    {
      name: "a multiplier in percent",
      text: '{"models":[{"id":"m","price":{"input":1,"read":0,"output":0},"batch":"50%"}]}',
      says: "models[0].batch should be a number from 0 up",
    },
  ])("$name is refused and says where", ({ text, says }) => {
    const parsed = parseModelFile(text);
    expect(parsed.type).toBe("bad");
    expect(parsed).toMatchObject({ why: expect.stringContaining(says) });
  });
});
