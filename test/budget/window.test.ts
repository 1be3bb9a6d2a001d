import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { totalOf } from "../../src/budget/count.ts";
import { measure } from "../../src/budget/measure.ts";
import { bareId } from "../../src/budget/model-id.ts";
import {
  assumedWindowTokens,
  factsOf,
  limitsOf,
  outputRoomTokens,
  percentOf,
  pressureOf,
  windowOf,
} from "../../src/budget/window.ts";

const named = (tokens: number) => ({ named: tokens, guess: null });

const model = "my-model";

describe("C-007 · the reserve counts for every model, whatever its record lacks", () => {
  const records = [
    { name: "window and output", settings: { windowTokens: 262_144, outputTokensMax: 32_768 } },
    {
      name: "an input limit as well",
      settings: { windowTokens: 262_144, outputTokensMax: 32_768, inputTokensMax: 229_376 },
    },
    { name: "the window only", settings: { windowTokens: 262_144 } },
  ];
  test.each(records)("$name: the trigger is at most the window less the reserve", ({ settings }) => {
    const limits = limitsOf({ model, settings, outputTokensMax: 32_768, reserve: 80_000 });
    expect(limits.lineTokens).toBeLessThanOrEqual(262_144 - 80_000);
    expect(limits.autoTokens).toBeLessThanOrEqual(0.8 * 262_144);
  });

  test("raising the reserve never raises a line", () => {
    const sizes = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(
        sizes,
        fc.option(sizes),
        sizes,
        fc.nat(300_000),
        fc.nat(300_000),
        (windowTokens, input, output, reserve, more) => {
          const settings = { windowTokens, inputTokensMax: input ?? undefined };
          const low = limitsOf({ model, settings, outputTokensMax: output, reserve });
          const high = limitsOf({ model, settings, outputTokensMax: output, reserve: reserve + more });
          return (
            high.usableTokens <= low.usableTokens &&
            high.warnTokens <= low.warnTokens &&
            high.autoTokens <= low.autoTokens &&
            high.lineTokens <= low.lineTokens
          );
        },
      ),
    );
  });
});

test("C-081 · the meter is a percentage of what is usable", () => {
  const settings = { windowTokens: 400_000, inputTokensMax: 272_000 };
  const { usableTokens } = limitsOf({ model, settings, outputTokensMax: 32_000, reserve: 20_000 });
  expect(usableTokens).toBe(252_000);
  expect(percentOf(126_000, usableTokens)).toBe(50);
  expect(percentOf(usableTokens, usableTokens)).toBe(100);
  expect(percentOf(10, 0)).toBe(100);
});

describe("C-079 · an unknown model has a moderate window that says it is assumed", () => {
  test("the default is shown as assumed, with how to set it", () => {
    const window = windowOf({ model });
    expect(window).toMatchObject({ windowTokens: assumedWindowTokens, from: "assumed" });
    expect(assumedWindowTokens).toBeGreaterThanOrEqual(32_000);
    expect(assumedWindowTokens).toBeLessThanOrEqual(131_072);
    expect(window.note).toContain("models.json");
    expect(window.note).toContain('"my-model"');
  });
  test.each([
    { name: "a refusal's number replaces the assumed window", learned: 32_768, want: 32_768 },
    { name: "also when it is larger", learned: 131_072, want: 131_072 },
  ])("$name", ({ learned, want }) => {
    expect(windowOf({ model, learned: named(learned) })).toMatchObject({
      windowTokens: want,
      inputTokensMax: want,
      from: "learned",
    });
  });
  test("a refusal narrows a known window", () => {
    const { usableTokens } = limitsOf({ model: "claude-opus-5-5", learned: named(200_000), outputTokensMax: 8_000 });
    expect(usableTokens).toBe(200_000 - 9_000);
  });
  test("a guess holds below the number that was named, and is called one", () => {
    const guess = { tokens: 50_000 };
    expect(windowOf({ model, learned: { named: null, guess } })).toMatchObject({
      windowTokens: 50_000,
      note: expect.stringContaining("guess"),
    });
    expect(windowOf({ model, learned: { named: 80_000, guess } })).toMatchObject({ inputTokensMax: 50_000 });
    expect(windowOf({ model, learned: { named: 40_000, guess } })).toEqual(windowOf({ model, learned: named(40_000) }));
  });
  test("the user's smaller window stays below a larger learned one", () => {
    expect(windowOf({ model, learned: named(131_072), settings: { windowTokens: 32_000 } })).toMatchObject({
      from: "settings",
      windowTokens: 32_000,
    });
    expect(windowOf({ model, learned: named(16_000), settings: { windowTokens: 32_000 } })).toMatchObject({
      from: "learned",
      inputTokensMax: 16_000,
    });
  });
});

describe("a window is taken from settings, a refusal, the provider's listing, the table, or assumed, in this order", () => {
  const known = "claude-opus-5-5";
  const listed = { inputTokensMax: 400_000, outputTokensMax: 50_000 };
  const settings = { windowTokens: 300_000 };
  test.each([
    { name: "nothing but the table", model: known, sources: {}, want: [1_000_000, null, 128_000, "table"] },
    { name: "a listing", model: known, sources: { listed }, want: [400_000, 400_000, 50_000, "listed"] },
    {
      name: "a listing that names more than the table",
      model: known,
      sources: { listed: { inputTokensMax: 2_000_000, outputTokensMax: 128_000 } },
      want: [2_000_000, 2_000_000, 128_000, "listed"],
    },
    {
      name: "a listed input limit within the table's window",
      model: "gpt-6-sol",
      sources: { listed: { inputTokensMax: 922_000, outputTokensMax: null } },
      want: [1_050_000, 922_000, 128_000, "listed"],
    },
    {
      name: "a listing with a longest answer only",
      model: known,
      sources: { listed: { inputTokensMax: null, outputTokensMax: 64_000 } },
      want: [1_000_000, null, 64_000, "table"],
    },
    {
      name: "a listing of ids only",
      model,
      sources: { listed: { inputTokensMax: null, outputTokensMax: null } },
      want: [assumedWindowTokens, null, 16_000, "assumed"],
    },
    { name: "a listing of an unknown model", model, sources: { listed }, want: [400_000, 400_000, 50_000, "listed"] },
    {
      name: "a refusal beside a listing",
      model,
      sources: { listed, learned: named(350_000) },
      want: [400_000, 350_000, 50_000, "learned"],
    },
    {
      name: "settings beside both",
      model,
      sources: { listed, learned: named(350_000), settings },
      want: [300_000, null, 50_000, "settings"],
    },
  ])("$name", ({ model: id, sources, want }) => {
    const window = windowOf({ model: id, ...sources });
    expect([window.windowTokens, window.inputTokensMax, window.outputTokensMax, window.from]).toEqual(want);
  });
});

describe("C-077 · a change of model acts only through the size of its window", () => {
  const used = 26_910;
  const pressure = (settings: { windowTokens: number } | null) =>
    pressureOf(used, limitsOf({ model, settings, outputTokensMax: 32_000 }));
  test.each([
    { name: "258k: calm", settings: { windowTokens: 258_400 }, want: "calm" },
    { name: "the same window again: calm", settings: { windowTokens: 258_400 }, want: "calm" },
    { name: "unknown: calm within the assumed window", settings: null, want: "calm" },
    { name: "32k: needed", settings: { windowTokens: 32_000 }, want: "over" },
    { name: "40k: at the automatic line", settings: { windowTokens: 40_000 }, want: "auto" },
  ])("$name", ({ settings, want }) => expect(pressure(settings)).toBe(want));
});

describe("C-075 · tool schemas and the output reserve are in the estimate", () => {
  const schema = `{"type":"object","properties":{${"abcdefgh"
    .split("")
    .map((name) => `"${name}":{"type":"string","description":"the value of ${name}"}`)
    .join(",")}}}`;
  test("60 tools of 100 tokens are seen to fill a window of 8,192 before anything is sent", () => {
    const body = schema.slice(0, 400);
    const tools = Array.from({ length: 60 }, () => totalOf(measure({ kind: "tool", text: null, bytes: body.length })));
    const estimate = tools.reduce((sum, tokens) => sum + tokens, 0) + 1_000;
    const limits = limitsOf({ model, settings: { windowTokens: 8_192 }, outputTokensMax: 4_096 });
    expect(estimate).toBeGreaterThanOrEqual(6_900);
    expect(pressureOf(estimate, limits)).toBe("over");
    expect(outputRoomTokens(limits.window, estimate, 4_096)).toBeLessThan(8_192 - 6_900);
  });
  test.each([
    { name: "a schema beside its description", part: { kind: "tool", text: "Reads a file.", bytes: 900 }, min: 200 },
    { name: "an image", part: { kind: "image", text: null, bytes: 90_000 }, min: 1_000 },
    { name: "an unknown block", part: { kind: "other", text: null, bytes: 400 }, min: 100 },
    { name: "reasoning with its signature", part: { kind: "reasoning", text: null, bytes: 600 }, min: 100 },
    { name: "an empty text block", part: { kind: "text", text: "", bytes: 28 }, min: 1 },
  ] as const)("$name is never free", ({ part, min }) => expect(totalOf(measure(part))).toBeGreaterThanOrEqual(min));
});

test("a call counts by the words the model wrote, however its JSON escapes them", () => {
  const lines = 'const a = "b";\n'.repeat(50);
  const json = JSON.stringify({ text: lines });
  const call = totalOf(measure({ kind: "tool-call", text: json, bytes: json.length + 90 }));
  const text = totalOf(measure({ kind: "text", text: `{"text":"${lines}"}`, bytes: 0 }));
  expect(Math.abs(call - text)).toBeLessThan(60);
  expect(totalOf(measure({ kind: "tool-call", text: "{}", bytes: 90 }))).toBeGreaterThan(30);
});

test("C-017 · three pending results of 250 tokens on a reported 600 are over a window of 1,000", () => {
  const limits = limitsOf({ model, settings: { windowTokens: 1_000 }, outputTokensMax: 100 });
  expect(pressureOf(600, limits)).toBe("warn");
  expect(pressureOf(600 + 3 * 250, limits)).toBe("over");
});

test.each([
  { window: 1_000_000, output: 32_000, reserve: 33_000, why: "output and one compaction" },
  { window: 1_000_000, output: 1_000, reserve: 8_000, why: "never less than 8k where there is room" },
  { window: 10_000, output: 8_000, reserve: 2_000, why: "never more than a fifth of the window" },
])("the reserve of a window of $window is $reserve: $why", ({ window, output, reserve }) => {
  expect(limitsOf({ model, settings: { windowTokens: window }, outputTokensMax: output }).reserveTokens).toBe(
    Math.min(reserve, window / 5),
  );
});

test.each([
  [70_000, "calm"],
  [70_001, "warn"],
  [80_000, "warn"],
  [80_001, "auto"],
  [92_000, "auto"],
  [92_001, "hard"],
  [100_000, "hard"],
  [100_001, "over"],
])("of 100,000 usable tokens %i are %s", (tokens, want) => {
  const limits = limitsOf({ model, settings: { windowTokens: 125_000 }, outputTokensMax: 100_000, reserve: 25_000 });
  expect(pressureOf(tokens, limits)).toBe(want);
});

test.each([
  ["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
  ["us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5"],
  ["anthropic/claude-opus-5.5", "claude-opus-5-5"],
  ["Claude-Opus-5-5[1m]", "claude-opus-5-5"],
  ["gpt-6.2-sol-2026-11-17", "gpt-6.2-sol"],
])("%s is known as %s", (given, want) => {
  expect(bareId(given)).toBe(want);
  expect(factsOf(given)?.id).toBe(want);
});
