import { describe, expect, test } from "vitest";
import { runSearch } from "../../src/cli/search.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { call, inScene, tell } from "../support/varve-process.ts";

describe("Search in a session, and varve search", () => {
  test("an old turn is answered from the index with its entry and handle; the command line finds the same", () =>
    inScene("anthropic", async ({ ask, run, entries, place }) => {
      place.write("docs/decisions.md", "# Canary\nThe canary weight is decided in the release meeting.\n");
      await ask(tell({ text: "Noted: the canary weight stays at twenty percent until the release." }), []);
      const later = tell(call("Search", { query: "canary weight" }), { text: "twenty percent" });
      expect((await ask(later, ["--continue"])).code).toBe(0);
      const [returned] = await entries("tool-returned");
      const [text, shown] = [String(returned?.output), await run(["search", "canary", "weight", "--json"])];
      expect(text).toMatch(/^docs\/decisions\.md:1-2 {2}Canary$/m);
      expect(text).toMatch(/^\[[0-9a-f]{12,}\] this session, entry \d+, lines 1-1: assistant answer$/m);
      // The answer to the call at hand is no source of itself.
      expect(text).not.toContain('"query":"canary weight"');
      const found: unknown = JSON.parse(shown.stdout);
      expect([shown.code, shown.stderr]).toEqual([0, ""]);
      expect(found).toMatchObject({
        query: "canary weight",
        fragments: expect.arrayContaining([
          expect.objectContaining({ path: "docs/decisions.md", startLine: 1, endLine: 2, source: "docs" }),
          expect.objectContaining({
            source: "sessions",
            tool: "assistant",
            seq: expect.any(Number),
            handle: expect.any(String),
          }),
        ]),
        left: 0,
      });
    }));

  test.each([
    [[], {}, "search for what?"],
    [["x".repeat(bounds.patternCharsMax + 1)], {}, "at most 1000 characters"],
    [["a"], { limit: "0" }, "--limit"],
    [["a"], { limit: "21" }, "at most 20"],
    [["a"], { in: "web" }, "docs, code, sessions"],
  ] as const)("wrong usage (%j %j) is said before anything is looked at", async (words, flags, says) => {
    await expect(runSearch(words, flags)).rejects.toThrow(says);
  });
});
