import { describe, expect, test } from "vitest";
import { keptListings, keptText, withListing } from "../../src/provider/kept-listings.ts";
import { effortFault, type ListedModel, lifecycleWarning, listedAs } from "../../src/provider/listed-model.ts";
import { listingPage } from "../../src/provider/listing.ts";

const unsaid: ListedModel = {
  id: "m",
  inputTokensMax: null,
  outputTokensMax: null,
  lifecycle: null,
  retiresOn: null,
  thinking: null,
  efforts: null,
};
const yes = { supported: true };
const no = { supported: false };
const only = (wire: Parameters<typeof listingPage>[0], item: unknown) =>
  listingPage(wire, wire === "gemini" ? { models: [item] } : { data: [item] })?.models[0];

describe("what a listing says of a model", () => {
  test("Anthropic: limits, lifecycle, kinds of thinking, efforts", () => {
    const item = {
      id: "claude-x",
      max_input_tokens: 500_000,
      max_tokens: 64_000,
      lifecycle: "deprecated",
      retires_at: "2027-01-22T00:00:00Z",
      capabilities: {
        thinking: { supported: true, types: { adaptive: yes, enabled: no, disabled: yes, between_tools: no } },
        effort: { supported: true, low: yes, medium: yes, high: yes, xhigh: null, max: no, someday: yes },
      },
    };
    expect(only("anthropic", item)).toEqual({
      id: "claude-x",
      inputTokensMax: 500_000,
      outputTokensMax: 64_000,
      lifecycle: "deprecated",
      retiresOn: "2027-01-22",
      thinking: ["adaptive", "disabled"],
      efforts: ["low", "medium", "high"],
    });
  });
  test("Anthropic: a model without effort has none, one without capabilities says nothing of it", () => {
    const item = {
      id: "m",
      capabilities: { effort: { ...no, low: no }, thinking: { ...no, types: { disabled: yes } } },
    };
    expect(only("anthropic", item)).toMatchObject({ efforts: [], thinking: ["disabled"] });
    expect(only("anthropic", { id: "m", capabilities: null })).toEqual(unsaid);
  });
  test.each([
    { name: "ids only", item: { id: "m", object: "model" }, want: unsaid },
    { name: "vLLM's window", item: { id: "m", max_model_len: 32_768 }, want: { ...unsaid, inputTokensMax: 32_768 } },
    {
      name: "a gateway's window",
      item: { id: "m", context_length: 131_072, max_completion_tokens: 8_192 },
      want: { ...unsaid, inputTokensMax: 131_072, outputTokensMax: 8_192 },
    },
    { name: "numbers that are none", item: { id: "m", max_model_len: "32k", context_length: -1 }, want: unsaid },
  ])("OpenAI-style: $name", ({ item, want }) => {
    expect(only("chat", item)).toEqual(want);
    expect(only("responses", item)).toEqual(want);
  });
  test("Gemini: both limits, and only models that answer", () => {
    const item = { name: "models/gemini-4-argon", inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 };
    expect(only("gemini", item)).toEqual({
      ...unsaid,
      id: "gemini-4-argon",
      inputTokensMax: 1_048_576,
      outputTokensMax: 65_536,
    });
    expect(only("gemini", { ...item, supportedGenerationMethods: ["embedContent"] })).toBeUndefined();
    expect(only("gemini", { ...item, supportedGenerationMethods: ["generateContent"] })).toBeDefined();
    expect(listingPage("gemini", { models: [], nextPageToken: "t" })?.next).toBe("t");
  });
  test.each([null, "x", [], {}, { data: {} }, { models: 1 }])("%j is no listing", (body) => {
    for (const wire of ["anthropic", "chat", "responses", "gemini"] as const)
      expect(listingPage(wire, body)).toBeNull();
  });
  test("items that are none are left out", () => {
    expect(listingPage("chat", { data: [null, 1, {}, { id: "" }, { id: 5 }, { id: "m" }] })?.models).toEqual([unsaid]);
  });
});

test("a model is known by its exact id, or by the one that its snapshot is listed as", () => {
  const models = ["claude-haiku-4-5-20251001", "claude-haiku-4", "m-fast"].map((id) => ({ ...unsaid, id }));
  expect(listedAs("claude-haiku-4-5", models)?.id).toBe("claude-haiku-4-5-20251001");
  expect(listedAs("claude-haiku-4", models)?.id).toBe("claude-haiku-4");
  expect(listedAs("m", models)).toBeNull();
});

test("an effort that the provider does not list is refused with those it lists", () => {
  const listed: ListedModel = { ...unsaid, efforts: ["low", "high"] };
  expect(effortFault("m", "max", listed)).toBe('m does not take the effort "max": its provider lists low, high');
  expect(effortFault("m", "low", { ...unsaid, efforts: [] })).toContain("takes no effort");
  for (const fine of [effortFault("m", "low", listed), effortFault("m", null, listed)]) expect(fine).toBeNull();
  for (const unknown of [effortFault("m", "max", unsaid), effortFault("m", "max", null)]) expect(unknown).toBeNull();
});

test("a model on its way out is one line", () => {
  expect(lifecycleWarning({ ...unsaid, lifecycle: "deprecated", retiresOn: "2027-01-22" })).toBe(
    "m is deprecated (to be retired on 2027-01-22), says its provider: choose another model in time",
  );
  expect(lifecycleWarning({ ...unsaid, lifecycle: "retired" })).toContain("retired");
  for (const listed of [null, unsaid, { ...unsaid, lifecycle: "active" as const }])
    expect(lifecycleWarning(listed)).toBeNull();
});

describe("a kept listing", () => {
  const kept = (address: string, at = 0) => ({ wire: "chat" as const, address, at, models: [unsaid] });
  test("reads as it was written", () => {
    const model: ListedModel = {
      ...unsaid,
      inputTokensMax: 5,
      lifecycle: "retired",
      thinking: ["a"],
      efforts: ["max"],
    };
    const listings = [{ ...kept("http://a/v1", 1_000), models: [model] }];
    expect(keptListings(keptText(listings))).toEqual(listings);
  });
  test("takes the place of the older one of its service; the newest services are kept", () => {
    const many = Array.from({ length: 30 }, (_, at) => kept(`http://${at}`, at));
    const after = withListing(many, kept("http://29", 99));
    expect(after.map(({ at }) => at)).toEqual([99, ...Array.from({ length: 19 }, (_, at) => 28 - at)]);
  });
  test.each(["", "{", "[]", '{"listings":[{"wire":"fax","address":"a","at":"2026-01-01","models":[]}]}'])(
    "%j is as good as none",
    (text) => expect(keptListings(text)).toEqual([]),
  );
});
