import { describe, expect, test } from "vitest";
import { openTree } from "../../src/import/claude-code-tree.ts";
import type { Item } from "../../src/import/transcript.ts";
import { itemsOfLines, ofType, outline, usageIn } from "./items.ts";

type Fields = Readonly<Record<string, unknown>>;

const envelope = {
  sessionId: "s-1",
  cwd: "/work",
  version: "2.1.0",
  isSidechain: false,
  timestamp: "2026-01-01T00:00:00.000Z",
};

function line(uuid: string, parentUuid: string | null, more: Fields): Fields {
  return { ...envelope, uuid, parentUuid, ...more };
}

function user(uuid: string, parent: string | null, content: unknown, more: Fields = {}): Fields {
  return line(uuid, parent, { type: "user", message: { role: "user", content }, ...more });
}

function answer(uuid: string, parent: string | null, id: string, block: Fields, usage: Fields = {}): Fields {
  const message = { id, role: "assistant", model: "claude-opus-4-6", content: [block], usage };
  return line(uuid, parent, { type: "assistant", requestId: `req-${id}`, message });
}

const text = (words: string) => ({ type: "text", text: words });
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: { file_path: "a.ts", limit: 5 } });
const result = (id: string, content: unknown, more: Fields = {}) => [
  { type: "tool_result", tool_use_id: id, content, ...more },
];

function keptOf(items: readonly Item[], at = 0): readonly string[] {
  const restart = ofType(items, "restarted")[at];
  const kept = restart?.keeps.flatMap(([from, to]) => items.slice(from, to + 1)) ?? [];
  return outline(kept.filter((item) => item.type !== "session" && item.type !== "request"));
}

describe("one answer over several lines", () => {
  const lines = [
    user("u1", null, "go"),
    answer(
      "a1",
      "u1",
      "m1",
      { type: "thinking", thinking: "Hm.", signature: "abcdef" },
      { input_tokens: 3, output_tokens: 1 },
    ),
    answer("a2", "a1", "m1", text("Reading."), { input_tokens: 3, output_tokens: 1 }),
    answer("a3", "a2", "m1", call("c1"), {
      input_tokens: 3,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 60,
      cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
      output_tokens: 77,
    }),
    user("r1", "a3", result("c1", [text("one"), { type: "image", source: {} }, text("two")])),
  ];

  test("is one request with its parts in order, a call's input spaced, and the result's texts joined", async () => {
    const items = await itemsOfLines(lines);
    const [, ...rest] = items;
    expect(items[0]).toMatchObject({ type: "session", session: "s-1", cwd: "/work", version: "2.1.0" });
    expect(outline(rest.filter(({ type }) => type !== "usage"))).toEqual([
      "typed: go",
      "request",
      "reasoning",
      "text: Reading.",
      "call c1",
      "result c1",
    ]);
    expect(ofType(items, "request")[0]).toMatchObject({ model: "claude-opus-4-6" });
    expect(ofType(items, "reasoning")[0]).toMatchObject({ text: "Hm.", opaqueChars: 6 });
    expect(ofType(items, "call")[0]?.input).toBe('{"file_path": "a.ts", "limit": 5}');
    expect(ofType(items, "result")[0]).toMatchObject({ text: "one\ntwo", images: 1, failed: false });
  });

  test("has the usage of its last line, the writes apart by lifetime", async () => {
    expect(usageIn(await itemsOfLines(lines))).toEqual({
      uncached: 3,
      cacheRead: 100,
      cacheWrite5m: 20,
      cacheWrite1h: 30,
      cacheWriteOther: 10,
      output: 77,
      reasoning: 0,
    });
  });

  test("is counted once in copies: the key is the same in another file", async () => {
    const copied = lines.map((one) => ({ ...one, sessionId: "s-2" }));
    const keys = async (records: readonly Fields[]) =>
      ofType(await itemsOfLines(records), "usage").map(({ key }) => key);
    expect(new Set(await keys(copied))).toEqual(new Set(await keys(lines)));
  });
});

test("a line of the model <synthetic> is no call", async () => {
  const message = {
    id: "x",
    model: "<synthetic>",
    content: [text("API Error")],
    usage: { input_tokens: 9, output_tokens: 9 },
  };
  const items = await itemsOfLines([user("u1", null, "go"), line("a1", "u1", { type: "assistant", message })]);
  expect(ofType(items, "request")).toEqual([]);
  expect(ofType(items, "usage")).toEqual([]);
  expect(ofType(items, "text")).toMatchObject([{ request: null, text: "API Error" }]);
});

test("a line that comes twice is read once", async () => {
  const items = await itemsOfLines([user("u1", null, "go"), user("u1", null, "go"), user("u2", "u1", "on")]);
  expect(outline(ofType(items, "message"))).toEqual(["typed: go", "typed: on"]);
});

test("what a person typed is told from what the program put in", async () => {
  const attachment = (uuid: string, fields: Fields) => line(uuid, "u1", { type: "attachment", attachment: fields });
  const items = await itemsOfLines([
    user("u1", null, [text("look"), { type: "image", source: {} }, { type: "document", source: {} }]),
    user("u2", "u1", "Caveat", { isMeta: true }),
    user("u3", "u2", "<local-command-stdout>ok</local-command-stdout>"),
    user("u4", "u3", [text("[Request interrupted by user]")]),
    attachment("t1", { type: "queued_command", prompt: "and this" }),
    attachment("t2", { type: "nested_memory", content: { type: "text", file: { content: "# Rules" } } }),
    attachment("t3", { type: "hook_success", content: "fine" }),
    attachment("t4", { type: "todo_reminder" }),
    line("s1", "t4", { type: "system", subtype: "microcompact_boundary" }),
    { type: "file-history-snapshot", messageId: "m", snapshot: {} },
  ]);
  expect(ofType(items, "message").map(({ from, text, images }) => [from, text, images])).toEqual([
    ["typed", "look", 0],
    ["typed", "", 1],
    ["injected", "Caveat", 0],
    ["injected", "<local-command-stdout>ok</local-command-stdout>", 0],
    ["injected", "[Request interrupted by user]", 0],
    ["typed", "and this", 0],
    ["injected", "# Rules", 0],
  ]);
  expect(ofType(items, "unknown").map(({ kind }) => kind)).toEqual([
    "user/document",
    "attachment/hook_success",
    "attachment/todo_reminder",
    "system/microcompact_boundary",
    "file-history-snapshot",
  ]);
  expect(ofType(items, "unknown").every(({ raw }) => JSON.parse(raw) !== null)).toBe(true);
});

describe("sub-agents stand in lanes of their own", () => {
  const side = { isSidechain: true };

  test("by their id, and what asks them is not typed by a person", async () => {
    const items = await itemsOfLines([
      user("u1", null, "go"),
      user("x1", null, "find it", { ...side, agentId: "a7" }),
      { ...answer("x2", "x1", "m2", text("found"), { output_tokens: 5 }), ...side, agentId: "a7" },
      answer("a1", "u1", "m1", text("done"), { output_tokens: 5 }),
    ]);
    expect(items.filter(({ lane }) => lane === "a7").map(({ type }) => type)).toEqual([
      "message",
      "request",
      "text",
      "usage",
    ]);
    expect(ofType(items, "message").map(({ from }) => from)).toEqual(["typed", "injected"]);
    expect(ofType(items, "restarted")).toEqual([]);
  });

  test("or, without one, by the tree they hang on", async () => {
    const items = await itemsOfLines([
      user("u1", null, "go"),
      user("x1", null, "one", side),
      user("y1", null, "two", side),
      { ...answer("x2", "x1", "m2", text("1")), ...side },
      { ...answer("y2", "y1", "m3", text("2")), ...side },
      { ...answer("z2", "gone", "m4", text("3")), ...side },
    ]);
    expect(ofType(items, "text").map(({ lane, text }) => [lane, text])).toEqual([
      ["sidechain", "1"],
      ["sidechain-2", "2"],
      ["sidechain-2", "3"],
    ]);
  });
});

describe("branches", () => {
  const parallel = [
    user("u1", null, "go"),
    answer("a1", "u1", "m1", call("c1")),
    answer("a2", "a1", "m1", call("c2")),
    user("r2", "a2", result("c2", "two")),
    user("r1", "a1", result("c1", "one")),
    answer("b1", "r1", "m2", text("both")),
  ];

  test("parallel calls make twigs that are no other way", async () => {
    const items = await itemsOfLines([...parallel, user("u2", "b1", "next"), answer("d1", "u2", "m3", text("yes"))]);
    expect(ofType(items, "restarted")).toEqual([]);
  });

  test("neither are lines whose parent was taken out, nor notices in the model's name", async () => {
    const notice = { id: "n", model: "<synthetic>", content: [text("No response requested.")] };
    const items = await itemsOfLines([
      ...parallel,
      user("u2", "gone", "next"),
      answer("d1", "gone-too", "m3", text("yes")),
      line("n1", "u2", { type: "assistant", message: notice }),
      user("u3", "gone-again", "more"),
    ]);
    expect(ofType(items, "restarted")).toEqual([]);
  });

  test("a person who goes back leaves what came after; both results of the parallel calls stay", async () => {
    const items = await itemsOfLines([
      ...parallel,
      user("u2", "b1", "wrong way"),
      answer("d1", "u2", "m3", text("wrong")),
      user("m1", "b1", "a reminder", { isMeta: true }),
      user("u3", "m1", "right way"),
    ]);
    expect(ofType(items, "restarted")).toMatchObject([{ why: "rewound" }]);
    expect(keptOf(items)).toEqual([
      "typed: go",
      "call c1",
      "call c2",
      "result c2",
      "result c1",
      "text: both",
      "injected: a reminder",
    ]);
    expect(outline(items).at(-1)).toBe("typed: right way");
  });

  test("going back to the start keeps nothing; going back twice drops only what is left behind", async () => {
    const items = await itemsOfLines([
      user("u1", null, "one"),
      answer("a1", "u1", "m1", text("1")),
      user("u2", null, "two"),
      answer("a2", "u2", "m2", text("2")),
      user("u3", "a1", "three"),
      answer("a3", "u3", "m3", text("3")),
      user("u4", "a3", "four"),
    ]);
    expect(ofType(items, "restarted")).toHaveLength(2);
    expect(keptOf(items, 0)).toEqual([]);
    expect(keptOf(items, 1)).toEqual(["typed: one", "text: 1"]);
  });
});

describe("a compaction", () => {
  const before = [
    user("u1", null, "go"),
    answer("a1", "u1", "m1", call("c1")),
    user("r1", "a1", result("c1", "one")),
    answer("a2", "r1", "m2", text("halfway")),
  ];
  const boundary = (metadata: Fields) =>
    line("k", null, {
      type: "system",
      subtype: "compact_boundary",
      logicalParentUuid: "a2",
      compactMetadata: metadata,
    });
  const summary = user("k2", "k", "This session is continued", { isCompactSummary: true });
  const after = [user("u2", "k2", "on"), answer("a3", "u2", "m3", text("done"))];

  test("is a restart with its trigger, and the summary follows", async () => {
    const items = await itemsOfLines([...before, boundary({ trigger: "auto", preTokens: 9 }), summary, ...after]);
    expect(ofType(items, "restarted")).toMatchObject([{ why: "compacted", by: "auto", keeps: [] }]);
    expect(outline(items).slice(-4)).toEqual([
      "summary: This session is continued",
      "typed: on",
      "request",
      "text: done",
    ]);
  });

  test.each([
    ["a stretch by its ends", { preservedSegment: { headUuid: "r1", anchorUuid: "k", tailUuid: "a2" } }],
    ["a stretch, in older words", { preservedSegment: { head: "r1", anchor: "k", tail: "a2" } }],
    ["messages by their ids", { preserved_messages: { anchor_uuid: "k", uuids: ["r1", "a2"] } }],
  ])("may keep %s", async (_name, metadata) => {
    const items = await itemsOfLines([...before, boundary({ trigger: "manual", ...metadata }), summary, ...after]);
    expect(ofType(items, "restarted")).toMatchObject([{ by: "manual" }]);
    expect(keptOf(items)).toEqual(["result c1", "text: halfway"]);
  });

  test("of an older version is its summary alone; where nothing stood before, it is none", async () => {
    const items = await itemsOfLines([...before, { ...summary, parentUuid: null }, ...after]);
    expect(ofType(items, "restarted")).toMatchObject([{ why: "compacted", by: null }]);
    expect(ofType(await itemsOfLines([{ ...summary, parentUuid: null }, ...after]), "restarted")).toEqual([]);
  });

  test("is the root of what follows: whoever goes back behind it keeps what it had kept", async () => {
    const metadata = { trigger: "auto", preserved_messages: { uuids: ["a2"] } };
    const items = await itemsOfLines([...before, boundary(metadata), summary, ...after, user("u3", "k2", "otherwise")]);
    expect(keptOf(items, 1)).toEqual(["text: halfway", "restarted compacted", "summary: This session is continued"]);
  });

  test("does not bind: whoever goes back before it has the old lines again", async () => {
    const items = await itemsOfLines([...before, boundary({}), summary, ...after, user("u3", "a2", "otherwise")]);
    expect(ofType(items, "restarted")[1]).toMatchObject({ why: "rewound" });
    expect(keptOf(items, 1)).toEqual(["typed: go", "call c1", "result c1", "text: halfway"]);
  });
});

test("/clear empties the context where something stood in it", async () => {
  const clear = (uuid: string) => user(uuid, null, "<command-name>/clear</command-name>");
  const items = await itemsOfLines([
    clear("k0"),
    user("u1", "k0", "go"),
    answer("a1", "u1", "m1", text("1")),
    clear("k1"),
    user("u2", "k1", "anew"),
    answer("a2", "u2", "m2", text("2")),
  ]);
  expect(ofType(items, "restarted")).toMatchObject([{ why: "cleared", by: "manual", keeps: [] }]);
});

test("system prompt and tools are read where a version writes them down, each text once", async () => {
  const tool = { name: "Read", description: "Reads.", input_schema: { type: "object" } };
  const snapshot = {
    type: "prompt_snapshot",
    systemPrompt: ["You are.", "Be brief."],
    tools: [{ name: "Read", schema: tool }],
  };
  const shape = { system: [text("You are."), text("Be brief.")], tools: [tool] };
  const items = await itemsOfLines([
    { type: "queue-operation", operation: "enqueue", sessionId: "s-1", timestamp: envelope.timestamp },
    user("u1", null, "go"),
    line("t1", "u1", { type: "attachment", attachment: snapshot }),
    { type: "api-request-shape", timestamp: envelope.timestamp, shape },
    line("t2", "t1", { type: "attachment", attachment: { ...snapshot, systemPrompt: ["Anew."] } }),
    line("t3", "t2", { type: "attachment", attachment: { type: "agent_listing_delta", addedLines: ["- a", "- b"] } }),
  ]);
  expect(ofType(items, "session")).toMatchObject([{ session: "s-1", cwd: "/work" }]);
  expect(ofType(items, "head").map((head) => (head.part === "system" ? head.text : head.tools))).toEqual([
    "You are.\nBe brief.",
    [{ name: "Read", text: '{"name": "Read", "description": "Reads.", "input_schema": {"type": "object"}}' }],
    "Anew.",
  ]);
  expect(outline(items).at(-1)).toBe("injected: - a\n- b");
});

test("a file of metadata alone names its session", async () => {
  const items = await itemsOfLines([{ type: "custom-title", customTitle: "x", sessionId: "s-9" }]);
  expect(ofType(items, "session")).toMatchObject([{ session: "s-9", cwd: null }]);
});

test("odd values are no reason to stop: fields of the wrong type count as absent", async () => {
  const odd = [null, 7, "x", [], {}, [null], [[{}]], true];
  const lines = odd.flatMap((value, at) => [
    line(`o${at}`, null, { type: "user", message: value }),
    line(`p${at}`, null, { type: "assistant", message: { content: value, usage: value, id: value, model: value } }),
    line(`q${at}`, null, { type: "assistant", message: { content: [value, { type: value }] } }),
    line(`r${at}`, null, { type: "attachment", attachment: value }),
    line(`s${at}`, null, { type: "system", subtype: "compact_boundary", compactMetadata: value }),
    line(`t${at}`, null, { type: value }),
    line(`v${at}`, null, {
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: value, content: value }] },
    }),
    { ...envelope, type: "user", uuid: value, parentUuid: value, message: { content: "still here" } },
  ]);
  const items = await itemsOfLines([user("u1", null, "go"), ...lines, user("u2", "u1", "on")]);
  expect(outline(items)).toContain("typed: on");
  expect(ofType(items, "message").filter(({ text }) => text === "still here").length).toBeGreaterThan(5);
});

describe("which lines are one answer", () => {
  const without = (record: Fields, ...keys: readonly string[]): Fields =>
    Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
  const reports = async (lines: readonly Fields[]): Promise<readonly number[]> => {
    const items = await itemsOfLines([user("u1", null, "go"), ...lines]);
    return [ofType(items, "request").length, usageIn(items).output];
  };
  const part = (uuid: string, id: string, output: number) =>
    answer(uuid, "u1", id, text("x"), { input_tokens: 1, output_tokens: output });

  test("a line that does not name the request belongs to the message it names", async () => {
    expect(await reports([part("a1", "m1", 1), without(part("a2", "m1", 9), "requestId")])).toEqual([1, 9]);
    expect(await reports([without(part("a1", "m1", 1), "requestId"), part("a2", "m1", 9)])).toEqual([1, 9]);
  });
  test("lines without any id are answers of their own", async () => {
    const bare = without(
      { ...part("a1", "", 5), message: { role: "assistant", usage: { output_tokens: 5 } } },
      "uuid",
      "requestId",
    );
    expect(await reports([bare, bare, bare])).toEqual([3, 15]);
  });
  test("a count that cannot be one takes none of the others with it", async () => {
    const usage = {
      input_tokens: "7",
      output_tokens: -1,
      cache_read_input_tokens: 500,
      cache_creation_input_tokens: 1e300,
    };
    const items = await itemsOfLines([user("u1", null, "go"), answer("a1", "u1", "m1", text("x"), usage)]);
    expect(usageIn(items)).toMatchObject({ uncached: 0, cacheRead: 500, cacheWriteOther: 0, output: 0 });
  });
  test("a line that comes twice adds nothing, but its figures count, being the last", async () => {
    expect(await reports([part("a1", "m1", 1), part("a1", "m1", 9)])).toEqual([1, 9]);
  });
  test("another message under an id that was used before is another line", async () => {
    expect(await reports([part("a1", "m1", 1), part("a1", "m2", 9)])).toEqual([2, 10]);
  });
});

test("turns that begin at twigs of parallel calls do not each walk through a long session", () => {
  const tree = openTree();
  let restarts = 0;
  let at = 0;
  const add = (parent: string, line: Partial<Parameters<typeof tree.add>[0]>) => {
    tree.add({ uuid: `n${at}`, parent, weight: "aside", request: null, calls: [], answers: [], ...line }, at, at + 1);
    at += 1;
    return `n${at - 1}`;
  };
  let end = "";
  for (let turn = 0; turn < 5_000; turn += 1) {
    restarts += tree.restart(end, "message").length;
    const ask = add(end, { weight: "turn" });
    const first = add(ask, { weight: "answer", request: `r${turn}`, calls: [`a${turn}`] });
    const second = add(first, { weight: "answer", request: `r${turn}`, calls: [`b${turn}`] });
    add(second, { answers: [`b${turn}`] });
    end = add(first, { answers: [`a${turn}`] });
    add(second, {});
  }
  expect(restarts).toBe(0);
});

test("a way back in a session of very many lines is found as in a short one", () => {
  const tree = openTree();
  const count = 200_000;
  const ends = { request: null, calls: [], answers: [] };
  for (let at = 0; at < count; at += 1)
    tree.add({ uuid: `n${at}`, parent: `n${at - 1}`, weight: "aside", ...ends }, at, at + 1);
  tree.add({ uuid: "a1", parent: `n${count - 1}`, weight: "answer", ...ends, request: "m1" }, count, count + 1);
  const keeps = [[0, count - 1]];
  expect(tree.restart(`n${count - 1}`, "message")).toEqual([
    { type: "restarted", why: "rewound", by: "manual", keeps },
  ]);
});
