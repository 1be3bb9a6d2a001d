import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Fragment, ProjectFound } from "../../src/ports/project-index.ts";
import { searchText } from "../../src/tools/search-text.ts";
import { createWorld, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.remove());

const fragment = (n: number, text: string, more: Partial<Fragment> = {}): Fragment => ({
  source: "code",
  place: { type: "file", path: `/w/src/f${n}.ts` },
  startLine: 10,
  endLine: 9 + text.split("\n").length,
  title: `name${n}`,
  text,
  wholeTokens: 5_000,
  held: 1,
  lacks: [],
  ...more,
});
const found = (fragments: readonly Fragment[], more: Partial<ProjectFound> = {}): ProjectFound => ({
  fragments,
  near: [],
  searched: { files: 3, pieces: 40, sessions: 1 },
  left: 0,
  notes: [],
  ...more,
});
const shown = (one: ProjectFound, tokensMax: number | null = bounds.outputTokensMax, words = "needle") =>
  searchText(one, { words, cwd: "/w", tokensMax });

describe("what a search shows", () => {
  test("each fragment under its place, with its lines' numbers; at the end its own cost beside the whole's", () => {
    const own = {
      type: "session",
      session: brand<"SessionId">("s1"),
      isOwn: true,
      seq: 42,
      handle: brand<"Handle">("abc123abc123"),
      tool: "user",
    } as const;
    const other = {
      ...own,
      session: brand<"SessionId">("s2"),
      isOwn: false,
      tool: "Bash",
      handle: brand<"Handle">("def456def456"),
    };
    const result = found([
      fragment(1, "the needle\nand more"),
      fragment(2, "a needle", { place: own, source: "sessions", title: "message", startLine: 1, endLine: 1 }),
      fragment(3, "no needle", { place: other, source: "sessions", title: "npm test", startLine: 7, endLine: 7 }),
    ]);
    expect(shown(result).split("\n")).toEqual([
      "src/f1.ts:10-11  name1",
      "10\tthe needle",
      "11\tand more",
      "[abc123abc123] this session, entry 42, lines 1-1: user message",
      "1\ta needle",
      "[def456def456] session s2, entry 42, lines 7-7: Bash npm test",
      "7\tno needle",
      "[~80 tokens here; ~15,000 for all of 3 sources. For more: Read a path with startLine and endLine, recall a handle]",
      "[searched 3 files and 1 session, 40 pieces]",
    ]);
  });

  test("law 10 · at most 2,000 tokens, however much was found; a fragment that does not fit is shown around its best line", () => {
    const long = Array.from({ length: 60 }, (_, n) =>
      n === 40 ? "here is the needle" : `line ${n} of some length, as code has it`,
    ).join("\n");
    const text = shown(found(Array.from({ length: 20 }, (_, n) => fragment(n, long))));
    expect(estimate(text)).toBeLessThanOrEqual(bounds.outputTokensMax);
    expect(text).toContain("(part of 10-69)");
    expect(text.match(/here is the needle/g)?.length).toBeGreaterThan(5);
    expect(shown(found(Array.from({ length: 20 }, (_, n) => fragment(n, long))), 1_000)).toMatch(
      /^\[\d+ more fragments? would not fit: narrow the query, or lower limit\]$/m,
    );
    expect(shown(found([fragment(1, long)]), null)).toContain("src/f1.ts:10-69  name1");
  });

  test("a giant line is shown around the word", () => {
    const text = shown(found([fragment(1, `${"x".repeat(50_000)} needle ${"y".repeat(50_000)}`)]));
    expect(estimate(text)).toBeLessThan(400);
    expect(text).toContain(" needle ");
  });

  test("nothing is an answer: what was searched is said, and the nearest with what they lack", () => {
    expect(shown(found([]))).toBe('[nothing holds any of "needle"]\n[searched 3 files and 1 session, 40 pieces]');
    const near = [fragment(1, "x", { lacks: ["needle", "hay"], held: 0.2 })];
    expect(
      shown(found([], { near, notes: ["not indexed yet: 3 files"] }), 2_000, "a needle in hay").split("\n"),
    ).toEqual([
      '[nothing holds enough of "a needle in hay"; nearest:]',
      'src/f1.ts:10-10  name1  [lacks "needle", "hay"]',
      "[searched 3 files and 1 session, 40 pieces]",
      "[not indexed yet: 3 files]",
    ]);
  });
});

describe("the tool", () => {
  test("finds in the workspace and says where", async () => {
    world.put("docs/guide.md", "# Retries\nA payment is retried five times.\n");
    const text = await world.text("Search", { query: "how often is a payment retried?", in: "docs" });
    expect(text.split("\n").slice(0, 3)).toEqual([
      "docs/guide.md:1-2  Retries",
      "1\t# Retries",
      "2\tA payment is retried five times.",
    ]);
  });

  test("reads the workspace, sessions alone touch no file; a call is one line for people", () => {
    const tool = world.tools.find(({ declaration }) => declaration.name === "Search");
    const call = (input: object) => {
      const parsed = tool?.parse(input);
      return parsed?.type === "ok" ? [parsed.call.access, parsed.call.title] : parsed?.why;
    };
    expect(call({ query: " a b " })).toEqual([{ type: "read", path: "." }, 'Search "a b"']);
    expect(call({ query: "a", in: "sessions" })).toEqual([{ type: "none" }, 'Search "a" in sessions']);
    expect(call({ query: "  " })).toBe("Search: query: expected some words, got white space.");
    expect(call({ query: "x".repeat(bounds.patternCharsMax + 1) })).toContain("longer than");
    expect(call({ query: "a", in: "web" })).toContain("docs");
    expect(call({ query: "a", limit: bounds.fragmentsMax + 1 })).toContain("limit");
  });

  test("an interrupted call ends as such", async () => {
    expect((await world.run("Search", { query: "payment" }, AbortSignal.abort())).ending).toBe("interrupted");
  });

  test("regular expressions, quotes, operators of the index and control characters are words like any", async () => {
    for (const query of [
      '"payment" OR NEAR(a b)',
      "a* AND NOT b:c",
      "'; DROP TABLE words; --",
      "((((",
      "\0\u0007 payment",
      "-",
      "😀".repeat(300),
      "a ".repeat(450),
    ])
      expect((await world.run("Search", { query })).ending).toBe("done");
  });
});
