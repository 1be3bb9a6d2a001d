import { expect, test } from "vitest";
import { entryLine } from "../../src/cli/entry-line.ts";

test("a line of the log is cut between characters: no half of an emoji is left", () => {
  for (let before = 60; before < 260; before++) {
    const line = entryLine({
      seq: 1,
      at: 0,
      type: "message-added",
      text: `${"x".repeat(before)}${"🚀👩‍👩‍👧".repeat(100)}`,
    });
    expect(line.endsWith("…")).toBe(true);
    expect(line).not.toMatch(/\uFFFD|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|\u200D…$/);
  }
});
