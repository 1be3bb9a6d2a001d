import { describe, expect, test } from "vitest";
import { itemsOfLines, ofType, outline, usageIn } from "./items.ts";

type Fields = Readonly<Record<string, unknown>>;

const timestamp = "2026-01-01T00:00:00.000Z";
const line = (type: string, payload: unknown): Fields => ({ timestamp, type, payload });
const item = (payload: Fields): Fields => line("response_item", payload);
const event = (type: string, more: Fields = {}): Fields => line("event_msg", { type, ...more });

const meta = line("session_meta", {
  id: "t-1",
  cwd: "/work",
  cli_version: "0.142.0",
  source: "cli",
  base_instructions: { text: "You are Codex." },
});
const context = line("turn_context", { model: "gpt-5.5", cwd: "/work" });
const said = (text: string, role = "user") =>
  item({ type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] });
const called = (id: string, more: Fields = {}) =>
  item({ type: "function_call", name: "exec_command", arguments: '{"cmd": "ls"}', call_id: id, ...more });
const returned = (id: string, output: unknown) => item({ type: "function_call_output", call_id: id, output });
const reasoned = item({
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: "abcd",
});

const figures = (input: number, cached: number, output: number, reasoning = 0) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  reasoning_output_tokens: reasoning,
});
const counted = (total: Fields, last: Fields) =>
  event("token_count", { info: { total_token_usage: total, last_token_usage: last } });

const turn = [
  meta,
  said("<permissions instructions>\nNone.", "developer"),
  said("# AGENTS.md instructions for /work\n..."),
  context,
  said("go"),
  reasoned,
  said("Looking.", "assistant"),
  called("c1"),
  called("c2"),
  returned("c1", "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nall good"),
  returned("c2", "Chunk ID: 2\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nbad"),
  counted(figures(100, 40, 30, 10), figures(100, 40, 30, 10)),
  counted(figures(100, 40, 30, 10), figures(100, 40, 30, 10)),
  said("Done.", "assistant"),
  counted(figures(250, 180, 40, 10), figures(150, 140, 10)),
];

test("what stands between two reports is one response, outputs of its calls among it", async () => {
  const items = await itemsOfLines(turn);
  expect(outline(items.filter(({ type }) => type !== "unknown"))).toEqual([
    "session",
    "head",
    "injected: <permissions instructions>\nNone.",
    "injected: # AGENTS.md instructions for /work\n...",
    "typed: go",
    "request",
    "reasoning",
    "text: Looking.",
    "call c1",
    "call c2",
    "result c1",
    "result c2",
    "usage",
    "request",
    "text: Done.",
    "usage",
  ]);
  expect(ofType(items, "request").map(({ model }) => model)).toEqual(["gpt-5.5", "gpt-5.5"]);
  expect(ofType(items, "reasoning")[0]).toMatchObject({ text: "Hm.", opaqueChars: 4 });
  expect(ofType(items, "call")[0]).toMatchObject({ tool: "exec_command", input: '{"cmd": "ls"}' });
  expect(ofType(items, "result").map(({ failed }) => failed)).toEqual([false, true]);
});

test("a repeated report is no call: the sums are the running total; input includes what was cached", async () => {
  expect(usageIn(await itemsOfLines(turn))).toMatchObject({ uncached: 70, cacheRead: 180, output: 40, reasoning: 10 });
});

test("a report without figures, or of zeros, says nothing", async () => {
  const zeros = figures(0, 0, 0);
  const items = await itemsOfLines([...turn, event("token_count", { info: null }), counted(figures(1, 0, 0), zeros)]);
  expect(ofType(items, "usage")).toHaveLength(2);
});

test("a report without an answer is a call all the same", async () => {
  const items = await itemsOfLines([...turn, counted(figures(300, 180, 45), figures(50, 0, 5))]);
  expect(outline(items).slice(-2)).toEqual(["request", "usage"]);
  expect(usageIn(items).output).toBe(45);
});

test("a usage record and a count of the same call are one; the record adds what was written to the cache", async () => {
  const record = line("token_usage_record", {
    response_id: "resp-1",
    usage: { ...figures(100, 40, 30, 10), cache_write_input_tokens: 20 },
  });
  for (const pair of [
    [turn[11], record],
    [record, turn[11]],
  ]) {
    const items = await itemsOfLines([...turn.slice(0, 11), ...pair, record, ...turn.slice(13)] as readonly Fields[]);
    expect(ofType(items, "request")).toHaveLength(2);
    expect(usageIn(items)).toMatchObject({ uncached: 50, cacheRead: 180, cacheWriteOther: 20, output: 40 });
  }
});

test("a forked session repeats the other's lines: keys are equal, the header is its own", async () => {
  const fork = [line("session_meta", { id: "t-2", cwd: "/work", forked_from_id: "t-1" }), ...turn];
  const items = await itemsOfLines(fork);
  const keys = (all: typeof items) => ofType(all, "usage").map(({ key }) => key);
  expect(ofType(items, "session").map(({ session }) => session)).toEqual(["t-2"]);
  expect(keys(items)).toEqual(keys(await itemsOfLines(turn)));
});

test("where nothing is reported, what follows an output is the next response", async () => {
  const lines = turn.filter((one) => (one.payload as Fields).type !== "token_count");
  const items = await itemsOfLines(lines);
  expect(ofType(items, "request")).toHaveLength(2);
  expect(ofType(items, "usage")).toEqual([]);
});

test("a response that was broken off has no usage, and the next one is another", async () => {
  const broken = [called("c3"), event("turn_aborted"), said("again"), said("Yes.", "assistant")];
  const items = await itemsOfLines([...turn, ...broken, counted(figures(400, 300, 50), figures(150, 120, 10))]);
  const requests = ofType(items, "request").map(({ request }) => request);
  expect(requests).toHaveLength(4);
  expect(ofType(items, "usage").map(({ request }) => request)).toEqual([requests[0], requests[1], requests[3]]);
});

test("all kinds of calls and outputs are read", async () => {
  const tools = [{ type: "namespace", name: "mcp__git", tools: [{ type: "function", name: "_log" }] }];
  const items = await itemsOfLines([
    meta,
    said("go"),
    item({ type: "custom_tool_call", name: "apply_patch", call_id: "p", input: "*** Begin Patch" }),
    item({ type: "custom_tool_call_output", call_id: "p", output: "Exit code: 0\nOutput:\nok" }),
    item({ type: "local_shell_call", call_id: "l", action: { type: "exec", command: ["ls"] } }),
    returned("l", { content: '{"output":"","metadata":{"exit_code":1}}', success: true }),
    item({ type: "web_search_call", action: { type: "search", query: "q" } }),
    item({ type: "tool_search_call", call_id: "s", arguments: { query: "log" } }),
    item({ type: "tool_search_output", call_id: "s", tools }),
    called("n", { namespace: "mcp__git", name: "_log" }),
    returned("n", [
      { type: "input_text", text: "one" },
      { type: "input_image", image_url: "x" },
    ]),
    item({ type: "additional_tools", tools }),
    item({ type: "ghost_snapshot" }),
  ]);
  expect(ofType(items, "call").map(({ tool, input }) => [tool, input])).toEqual([
    ["apply_patch", "*** Begin Patch"],
    ["local_shell", '{"type": "exec", "command": ["ls"]}'],
    ["web_search", '{"type": "search", "query": "q"}'],
    ["tool_search", '{"query": "log"}'],
    ["mcp__git__log", '{"cmd": "ls"}'],
  ]);
  expect(ofType(items, "result").map(({ callId, failed, images }) => [callId, failed, images])).toEqual([
    ["p", false, 0],
    ["l", true, 0],
    ["s", false, 0],
    ["n", false, 1],
  ]);
  expect(ofType(items, "head").at(-1)).toMatchObject({ tools: [{ name: "mcp__git__log" }] });
  expect(ofType(items, "unknown").map(({ kind }) => kind)).toEqual(["response_item/ghost_snapshot"]);
});

describe("a compaction", () => {
  test("puts a written-down history in the place of the old one", async () => {
    const history = [
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      {
        type: "message",
        role: "user",
        content: [{ type: "input_text", text: "Another language model started to solve this: X" }],
      },
      { type: "compaction", encrypted_content: "sealed" },
    ];
    const items = await itemsOfLines([...turn, line("compacted", { message: "", replacement_history: history })]);
    expect(outline(items).slice(-4)).toEqual([
      "restarted compacted",
      "typed: go",
      "summary: Another language model started to solve this: X",
      "reasoning",
    ]);
    expect(ofType(items, "restarted")[0]).toMatchObject({ keeps: [], retells: 3 });
    expect(ofType(items, "reasoning").at(-1)).toMatchObject({ request: null, opaqueChars: 6 });
  });

  test("of an older version keeps what was typed and adds the summary", async () => {
    const items = await itemsOfLines([...turn, line("compacted", { message: "So far: X" })]);
    const [restart] = ofType(items, "restarted");
    expect(outline(restart?.keeps.flatMap(([from, to]) => items.slice(from, to + 1)) ?? [])).toEqual(["typed: go"]);
    expect(outline(items).at(-1)).toBe("summary: So far: X");
  });
});

test("turns that are taken back are gone, those before them stay", async () => {
  const more = [
    said("wrong"),
    said("Wrong.", "assistant"),
    event("thread_rolled_back", { num_turns: 1 }),
    said("right"),
  ];
  const items = await itemsOfLines([...turn, ...more]);
  const [restart] = ofType(items, "restarted");
  const kept = outline(restart?.keeps.flatMap(([from, to]) => items.slice(from, to + 1)) ?? []);
  expect(restart).toMatchObject({ why: "rewound" });
  expect(kept).toContain("text: Done.");
  expect(kept).not.toContain("typed: wrong");
});

test("a sub-agent's session is a lane of its own, in which no person types", async () => {
  const source = { subagent: { thread_spawn: { parent_thread_id: "t-1", depth: 1 } } };
  const items = await itemsOfLines([
    line("session_meta", { id: "t-9", source }),
    said("do this"),
    said("Done.", "assistant"),
  ]);
  expect(new Set(items.map(({ lane }) => lane))).toEqual(new Set(["t-9"]));
  expect(ofType(items, "message")[0]?.from).toBe("injected");
});

test("files from before there was an envelope are read", async () => {
  const bare = [said("go"), called("c1"), returned("c1", "ok"), said("Done.", "assistant")].map((one) => one.payload);
  const items = await itemsOfLines([
    { id: "t-0", timestamp, instructions: "Be brief.", git: {} },
    ...bare,
    { record_type: "state" },
  ]);
  expect(outline(items)).toEqual([
    "session",
    "head",
    "typed: go",
    "request",
    "call c1",
    "result c1",
    "request",
    "text: Done.",
    "unknown",
  ]);
});

test("odd values are no reason to stop", async () => {
  const odd = [null, 7, "x", [], {}, [null], true];
  const types = [
    "session_meta",
    "response_item",
    "compacted",
    "event_msg",
    "token_usage_record",
    "turn_context",
    "new",
  ];
  const lines = odd.flatMap((value) => [
    ...types.map((type) => line(type, value)),
    item({ type: "function_call", arguments: value, call_id: value, name: value }),
    returned("c", value),
    item({ type: value, content: value, role: value }),
    counted({ input_tokens: value }, { input_tokens: value, output_tokens: value }),
    line("compacted", { replacement_history: [value, { item: value }], message: value }),
  ]);
  const items = await itemsOfLines([meta, ...lines, said("on")]);
  expect(outline(items).at(-1)).toBe("typed: on");
  for (const { usage } of ofType(items, "usage")) expect(Object.values(usage).every((count) => count >= 0)).toBe(true);
});

describe("token counts that are not of a new call", () => {
  const [one, two] = [figures(100, 10, 5), figures(300, 110, 15)];
  const limits = event("token_count", { info: null, rate_limits: { primary: { used_percent: 3 } } });
  const tokensOf = async (lines: readonly Fields[]) => {
    const items = await itemsOfLines([meta, said("go"), said("yes", "assistant"), ...lines]);
    const { uncached, cacheRead, output } = usageIn(items);
    return [ofType(items, "request").length, uncached + cacheRead, output];
  };
  test("the same total again behind a report of limits alone is a repeat", async () => {
    const lines = [counted(one, one), limits, counted(one, one), limits];
    expect(await tokensOf(lines)).toEqual([1, 100, 5]);
  });
  test("where only totals are reported a call is what they grew by; a total that went back began anew", async () => {
    const total = (of: Fields) => event("token_count", { info: { total_token_usage: of } });
    const lines = [total(one), total(one), said("more", "assistant"), total(two), total(figures(50, 0, 1))];
    expect(await tokensOf(lines)).toEqual([3, 350, 16]);
  });
  test("totals beyond what one call can report are still told apart", async () => {
    const lines = [1, 2, 3].map((n) => counted(figures(n * 1_000_000_000, 0, 0), figures(1_000, 0, 0)));
    expect(await tokensOf(lines)).toEqual([3, 3_000, 0]);
  });
});
