import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { memoryPolicy, roundsPerSummary, windowSize, windowWarning } from "../../src/memory/window.ts";

const none = { fixedTokens: 0, toolTokens: 0, sessionTokens: 0, reserveTokens: 0 };

describe("M-61 · the size of a window in rounds is what the budget leaves, with 20 % slack, divided by a round", () => {
  test.each([
    // window, fixed, tool returns, session data, output reserve, a round -> rounds, left after a slide
    [8_000, 2_300, 1_000, 600, 1_600, 250, 8, 4],
    [16_000, 3_000, 2_500, 1_200, 3_200, 600, 8, 4],
    [32_000, 4_000, 5_000, 2_000, 6_400, 700, 16, 8],
    [64_000, 8_000, 12_000, 8_000, 8_000, 1_400, 16, 8],
    [80_000, 12_000, 20_000, 20_000, 0, 1_400, 16, 8],
    [80_000, 12_000, 20_000, 20_000, 8_000, 1_400, 11, 5],
    [128_000, 12_000, 30_000, 20_000, 16_000, 1_800, 22, 11],
    [200_000, 12_000, 45_000, 20_000, 9_000, 3_200, 28, 14],
    [1_000_000, 20_000, 250_000, 40_000, 129_000, 4_000, 30, 15],
  ])("%i: %i fixed, %i tools, %i session, %i reserve, %i a round: %i rounds, %i after a slide", (...row) => {
    const [windowTokens, fixedTokens, toolTokens, sessionTokens, reserveTokens, roundTokens, rounds, lowRounds] = row;
    const size = windowSize({ windowTokens, fixedTokens, toolTokens, sessionTokens, reserveTokens, roundTokens });
    expect(size).toMatchObject({ rounds, lowRounds });
  });

  test("slack comes off what is left, not off the window", () => {
    expect(windowSize({ ...none, windowTokens: 10_000, roundTokens: 1_000 })).toMatchObject({
      roomTokens: 8_000,
      rounds: 8,
    });
  });

  test("never less than bounds.windowRoundsMin, however little is left", () => {
    const size = windowSize({ ...none, windowTokens: 8_000, fixedTokens: 9_000, roundTokens: 1_400 });
    expect(size).toMatchObject({ rounds: bounds.windowRoundsMin, lowRounds: 1, by: "floor", roomTokens: 0 });
  });

  test("never more than bounds.windowRoundsMax, however much is left", () => {
    const at = (rounds: number) => windowSize({ ...none, windowTokens: (rounds * 1_000) / 0.8, roundTokens: 1_000 });
    expect(at(30)).toMatchObject({ rounds: bounds.windowRoundsMax, by: "budget" });
    expect(at(31)).toMatchObject({ rounds: bounds.windowRoundsMax, by: "ceiling" });
  });

  test("never more than context-budget.md allows, even below the floor", () => {
    const size = (roundsMax: number) => windowSize({ ...none, windowTokens: 100_000, roundTokens: 1_000, roundsMax });
    expect(size(14)).toMatchObject({ rounds: 14, lowRounds: 7, by: "project" });
    expect(size(1)).toMatchObject({ rounds: 1, lowRounds: 1, by: "project" });
    expect(size(bounds.windowRoundsMax)).toMatchObject({ rounds: bounds.windowRoundsMax, by: "ceiling" });
  });

  test("below bounds.windowRoundsWarned rounds the user is warned of work on several files, and told what would help", () => {
    const size = (rounds: number, by: "budget" | "project") =>
      windowWarning({ rounds, lowRounds: 1, roomTokens: 0, by });
    expect(size(bounds.windowRoundsWarned, "budget")).toBeNull();
    expect(size(bounds.windowRoundsWarned - 1, "budget")).toContain("holds 11 rounds");
    expect(size(5, "project")).toContain("context-budget.md");
  });
});

describe("how a window is kept", () => {
  const grounds = { setting: null, prefixReuse: "yes", epochTokens: 40_000 } as const;

  test("by epochs, where what was sent is read again for less and there is room between two compactions", () => {
    expect(memoryPolicy(grounds)).toBe("epochs");
  });

  test("by sliding, where nothing is read again for less", () => {
    expect(memoryPolicy({ ...grounds, prefixReuse: "no" })).toBe("window");
  });

  test("by sliding, where an epoch would have less room than bounds.epochTokensMin", () => {
    expect(memoryPolicy({ ...grounds, epochTokens: bounds.epochTokensMin })).toBe("epochs");
    expect(memoryPolicy({ ...grounds, epochTokens: bounds.epochTokensMin - 1 })).toBe("window");
  });

  test("as the user says of the model, whatever it is", () => {
    expect(memoryPolicy({ ...grounds, setting: "window" })).toBe("window");
    expect(memoryPolicy({ setting: "epochs", prefixReuse: "no", epochTokens: 0 })).toBe("epochs");
  });
});

test("a rolling summary is due every bounds.rollingRounds rounds, in a small window bounds.rollingLines after as many as stay", () => {
  const size = (rounds: number, lowRounds: number) =>
    roundsPerSummary({ rounds, lowRounds, roomTokens: 0, by: "budget" });
  expect(size(30, 15)).toBe(bounds.rollingRounds);
  expect(size(14, 7)).toBe(bounds.rollingRounds);
  expect(size(8, 4)).toBe(4 + bounds.rollingLines);
  expect(size(2, 1)).toBe(1 + bounds.rollingLines);
});
