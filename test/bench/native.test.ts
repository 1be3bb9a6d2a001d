import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { playNative, type Way } from "../../bench/native-play.ts";

test.each<[string, Way]>([
  ["ours", {}],
  ["the provider clears", { clearing: "provider" }],
  ["nothing is taken away", "off"],
])("bench native plays the same tasks to their end, and what is not in view is read again: %s", async (_name, way) => {
  const folder = await mkdtemp(join(tmpdir(), "varve-native-test-"));
  try {
    const run = { tasks: 5, windowTokens: 27_000, wire: "anthropic", folder } as const;
    const { done, refused, overflows, givenUp, reads, again, aboveMargin } = await playNative(run, way);
    expect({ done, refused, overflows, givenUp, aboveMargin }).toEqual({
      done: 5,
      refused: 0,
      overflows: 0,
      givenUp: 0,
      aboveMargin: 0,
    });
    expect(reads - again).toBe(5);
    if (way === "off") expect(again).toBe(0);
    else expect(again).toBeGreaterThan(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
