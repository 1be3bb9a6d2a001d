import { expect, test } from "vitest";
import { memoryIn } from "../../src/cli/settings.ts";

test.each([
  [undefined, undefined],
  ["auto", undefined],
  ["epochs", "epochs"],
  ["window", "window"],
])("--memory %s keeps the window as %s", (memory, kept) => {
  expect(memoryIn(memory === undefined ? {} : { memory })).toBe(kept);
});

test("--memory names no other way", () => {
  expect(() => memoryIn({ memory: "slide" })).toThrow("--memory: expected one of auto, epochs, window");
});
