import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitsOf } from "../../src/budget/window.ts";
import type { ListedModel } from "../../src/provider/listed-model.ts";
import { usualModel } from "../../src/provider/usual-model.ts";

const unsaid: ListedModel = {
  id: "m",
  inputTokensMax: null,
  outputTokensMax: null,
  lifecycle: null,
  retiresOn: null,
  thinking: null,
  efforts: null,
};

describe("a model from its name", () => {
  test.each([
    { name: "claude-sonnet-5-5", wire: "anthropic", thinking: "adaptive", outputTokensMax: 32_000 },
    { name: "gemini-4-argon", wire: "gemini", thinking: "adaptive", outputTokensMax: 32_000 },
    { name: "google/gemini-2.5-pro", wire: "chat", thinking: "off", outputTokensMax: 32_000 },
    { name: "qwen3-coder", wire: "chat", thinking: "off", outputTokensMax: 8_000 },
  ])("$name: $wire, thinking $thinking, answers of $outputTokensMax tokens", ({ name, ...want }) => {
    expect(usualModel(name)).toEqual({ model: name, effort: null, ...want });
  });

  test.each([
    ["gpt-6.2-sol", "responses"],
    ["openai/gpt-5.6-terra", "responses"],
    ["gpt-5.4", "responses"],
    ["gpt-5.4-2026-03-05", "responses"],
    ["gpt-5.3-codex", "chat"],
    ["gpt-5", "chat"],
    ["gpt-4o", "chat"],
    ["o3", "chat"],
    ["gpt-oss-120b", "chat"],
    ["openrouter/gpt-clone-9", "chat"],
    ["deepseek-flash", "chat"],
  ])("B.1 · %s speaks %s: from 5.4 on OpenAI calls tools on Responses", (name, wire) => {
    expect(usualModel(name).wire).toBe(wire);
  });

  test("the user's own output limit wins over what is assumed of an unknown model", () => {
    const settings = { windowTokens: 131_072, outputTokensMax: 16_384 };
    expect(usualModel("my-model", "chat", settings).outputTokensMax).toBe(16_384);
  });

  test("the largest prompt and the longest answer fit the window the user named, however small", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("my-model", "claude-sonnet-5-5", "gpt-5.5"),
        fc.integer({ min: 10, max: 2_000_000 }),
        fc.option(fc.integer({ min: 1, max: 400_000 }), { nil: undefined }),
        (model, windowTokens, outputTokensMax) => {
          const settings = { windowTokens, outputTokensMax };
          const answer = usualModel(model, undefined, settings).outputTokensMax;
          const { usableTokens } = limitsOf({ model, settings, outputTokensMax: answer });
          expect(answer).toBeGreaterThan(0);
          expect(usableTokens + answer).toBeLessThanOrEqual(windowTokens);
        },
      ),
    );
  });

  test.each([
    {
      name: "adaptive thinking of an unknown model",
      model: "house",
      listed: { thinking: ["adaptive"] },
      want: "adaptive",
    },
    { name: "none of a known one", model: "claude-opus-5-5", listed: { thinking: ["enabled"] }, want: "off" },
    { name: "nothing: the name decides", model: "claude-opus-5-5", listed: { thinking: null }, want: "adaptive" },
  ])("the provider lists $name", ({ model, listed, want }) => {
    expect(usualModel(model, "anthropic", null, { ...unsaid, ...listed }).thinking).toBe(want);
  });

  test.each([
    { name: "a longest answer", listed: { outputTokensMax: 20_000 }, want: 20_000 },
    { name: "a longer one than is usual", listed: { outputTokensMax: 128_000 }, want: 32_000 },
    { name: "a small window: the answer keeps to its reserve", listed: { inputTokensMax: 20_000 }, want: 4_000 },
    { name: "nothing of limits", listed: {}, want: 8_000 },
  ])("the provider lists $name", ({ listed, want }) => {
    expect(usualModel("house", "chat", null, { ...unsaid, ...listed }).outputTokensMax).toBe(want);
  });

  test("the user's own settings win over a listing", () => {
    const listed = { ...unsaid, inputTokensMax: 8_000, outputTokensMax: 1_000 };
    const settings = { windowTokens: 131_072, outputTokensMax: 16_384 };
    expect(usualModel("house", "chat", settings, listed).outputTokensMax).toBe(16_384);
  });
});
