import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitsOf } from "../../src/budget/window.ts";
import { usualModel } from "../../src/provider/usual-model.ts";

describe("a model from its name", () => {
  test.each([
    { name: "claude-sonnet-5-5", wire: "anthropic", thinking: "adaptive", outputTokensMax: 32_000 },
    { name: "qwen3-coder", wire: "chat", thinking: "off", outputTokensMax: 8_000 },
  ])("$name: $wire, thinking $thinking, answers of $outputTokensMax tokens", ({ name, ...want }) => {
    expect(usualModel(name)).toEqual({ model: name, effort: null, ...want });
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
});
