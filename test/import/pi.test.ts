import { describe, expect, test } from "vitest";
import type { Item } from "../../src/import/transcript.ts";
import { itemsOfLines, ofType, outline, usageIn } from "./items.ts";

type Fields = Readonly<Record<string, unknown>>;

const timestamp = "2026-01-01T00:00:10.000Z";
const header = { type: "session", version: 3, id: "s-1", timestamp, cwd: "/work" };
const usage = { input: 5, output: 20, cacheRead: 100, cacheWrite: 30, totalTokens: 155, cost: { total: 0.1 } };
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const entry = (id: string, parentId: string | null, more: Fields): Fields => ({ timestamp, id, parentId, ...more });
const message = (role: string, content: unknown, more: Fields = {}): Fields => ({
  type: "message",
  message: { role, content, ...more },
});
const user = (id: string, parent: string | null, text: string) =>
  entry(id, parent, message("user", [{ type: "text", text }]));
const answer = (id: string, parent: string | null, content: readonly Fields[], more: Fields = {}) =>
  entry(
    id,
    parent,
    message("assistant", content, { model: "claude-sonnet-4-5", usage, timestamp: 1767225600000, ...more }),
  );
const text = (words: string) => ({ type: "text", text: words });

function keptOf(items: readonly Item[], at = 0): readonly string[] {
  const restart = ofType(items, "restarted")[at];
  return outline(ofType(restart?.keeps.flatMap(([from, to]) => items.slice(from, to + 1)) ?? [], "message"));
}

const session = [
  header,
  user("a", null, "go"),
  answer("b", "a", [
    { type: "thinking", thinking: "Hm.", thinkingSignature: "abc" },
    text("Reading."),
    { type: "toolCall", id: "c1", name: "read", arguments: { path: "a.ts", limit: 5 } },
  ]),
  entry(
    "c",
    "b",
    message("toolResult", [text("one"), { type: "image", data: "" }], {
      toolCallId: "c1",
      toolName: "read",
      isError: true,
    }),
  ),
  answer("d", "c", [text("Done.")]),
];

test("answers, results and usage are read as recorded; a call began when it was asked for", async () => {
  const items = await itemsOfLines(session);
  expect(outline(items)).toEqual([
    "session",
    "typed: go",
    "request",
    "reasoning",
    "text: Reading.",
    "call c1",
    "usage",
    "result c1",
    "request",
    "text: Done.",
    "usage",
  ]);
  expect(ofType(items, "call")[0]).toMatchObject({ tool: "read", input: '{"path": "a.ts", "limit": 5}' });
  expect(ofType(items, "result")[0]).toMatchObject({ tool: "read", text: "one", failed: true, images: 1 });
  expect(usageIn(items)).toMatchObject({ uncached: 10, cacheRead: 200, cacheWriteOther: 60, output: 40 });
  expect(ofType(items, "request")[0]?.at).toBe(1767225600000);
  expect(ofType(items, "text")[0]?.at).toBe(Date.parse(timestamp));
});

test("an aborted call without tokens has no known usage", async () => {
  const items = await itemsOfLines([
    header,
    user("a", null, "go"),
    answer("b", "a", [], { usage: none, stopReason: "aborted" }),
  ]);
  expect(outline(items)).toEqual(["session", "typed: go", "request"]);
});

test("what extensions and commands put in is not typed; what the model never sees is no message", async () => {
  const bash = { command: "ls", output: "a.ts", exitCode: 1 };
  const items = await itemsOfLines([
    header,
    entry("a", null, { type: "custom_message", customType: "x", content: "from an extension" }),
    entry("b", "a", message("bashExecution", undefined, bash)),
    entry("c", "b", message("bashExecution", undefined, { ...bash, excludeFromContext: true })),
    entry("d", "c", { type: "custom", customType: "x", data: 1 }),
    entry("e", "d", { type: "model_change", provider: "p", modelId: "m" }),
  ]);
  expect(outline(items)).toEqual([
    "session",
    "injected: from an extension",
    "injected: Ran `ls`\n```\na.ts\n```\n\nCommand exited with code 1",
    "unknown",
    "unknown",
    "unknown",
  ]);
});

describe("an entry that follows another than the newest", () => {
  test("is another way: what was left is gone, its summary stands in", async () => {
    const items = await itemsOfLines([
      ...session,
      user("e", "d", "wrong"),
      answer("f", "e", [text("Wrong.")]),
      entry("g", "d", { type: "branch_summary", fromId: "f", summary: "tried it" }),
      user("h", "g", "right"),
    ]);
    expect(ofType(items, "restarted")).toMatchObject([{ why: "rewound" }]);
    expect(keptOf(items)).toEqual(["typed: go"]);
    expect(outline(items).slice(-2)).toEqual(["summary: tried it", "typed: right"]);
  });

  test("is none where only labels were left, or its parent is not there", async () => {
    const label = entry("l", "d", { type: "label", targetId: "a", label: "x" });
    const items = await itemsOfLines([...session, label, user("e", "d", "on"), user("f", "gone", "more")]);
    expect(ofType(items, "restarted")).toEqual([]);
  });

  test("older files name none, and follow line by line", async () => {
    const bare = session.map(({ id, parentId, ...rest }: Fields) => (rest.type === "session" ? { ...rest, id } : rest));
    expect(outline(await itemsOfLines(bare))).toEqual(outline(await itemsOfLines(session)));
  });
});

describe("a compaction", () => {
  const compaction = entry("k", "f", { type: "compaction", summary: "so far", firstKeptEntryId: "e", tokensBefore: 9 });
  const long = [...session, user("e", "d", "next"), answer("f", "e", [text("Yes.")]), compaction];

  test("keeps from its first kept entry on", async () => {
    const items = await itemsOfLines([...long, user("g", "k", "on")]);
    expect(ofType(items, "restarted")).toMatchObject([{ why: "compacted", by: null }]);
    expect(keptOf(items)).toEqual(["typed: next"]);
    expect(outline(items).slice(-2)).toEqual(["summary: so far", "typed: on"]);
  });

  test("of the oldest version counts entries, the header as the first", async () => {
    const bare = long.map(({ id, parentId, ...rest }: Fields) => (rest.type === "session" ? { ...rest, id } : rest));
    const { firstKeptEntryId, ...counted } = bare.at(-1) ?? {};
    expect(keptOf(await itemsOfLines([...bare.slice(0, -1), { ...counted, firstKeptEntryIndex: 5 }]))).toEqual([
      "typed: next",
    ]);
  });

  test("lies on the way of who goes back behind it, and not of who goes back before it", async () => {
    const items = await itemsOfLines([
      ...long,
      user("g", "k", "wrong"),
      user("h", "k", "right"),
      user("i", "d", "other"),
    ]);
    expect(keptOf(items, 1)).toEqual(["typed: next", "summary: so far"]);
    expect(keptOf(items, 2)).toEqual(["typed: go"]);
  });
});

test("odd values are no reason to stop", async () => {
  const odd = [null, 7, "x", [], {}, [null], true];
  const lines = odd.flatMap((value) => [
    entry("x", null, { type: "message", message: value }),
    entry("x", "a", message("assistant", value, { usage: value, timestamp: value })),
    entry("x", "a", message("assistant", [value, { type: value }])),
    { ...entry("x", "a", message("toolResult", value)), id: value, parentId: value },
    entry("x", "a", { type: "compaction", summary: value, firstKeptEntryId: value }),
    entry("x", "a", { type: value }),
  ]);
  expect(outline(await itemsOfLines([...session, ...lines, user("z", "a", "on")])).at(-1)).toBe("typed: on");
});
