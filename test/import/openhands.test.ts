import { describe, expect, test } from "vitest";
import type { Item } from "../../src/import/transcript.ts";
import { itemsOfDocument, itemsOfLines, itemsOfText, ofType, outline, usageIn } from "./items.ts";

const at = "2026-04-30T16:45:41.913899";

function response(id: string, callIds: readonly string[], usage: object | null = null) {
  const calls = callIds.map((callId) => ({
    id: callId,
    function: { name: "execute_bash", arguments: '{"command": "ls"}' },
  }));
  const message = { role: "assistant", content: "I look.", tool_calls: calls };
  return { id, model: "some/model", choices: [{ message }], usage };
}

function ran(id: number, callId: string, from: ReturnType<typeof response>) {
  const metadata = { function_name: "execute_bash", tool_call_id: callId, model_response: from };
  return {
    id,
    timestamp: at,
    source: "agent",
    action: "run",
    args: { command: "ls", thought: "I look." },
    tool_call_metadata: metadata,
  };
}

function saw(id: number, cause: number, content: string) {
  return { id, timestamp: at, source: "agent", cause, observation: "run", content, extras: {}, success: true };
}

const tool = { type: "function", function: { name: "execute_bash", description: "Runs." } };
const start = [
  {
    id: 0,
    timestamp: at,
    source: "agent",
    action: "system",
    args: { content: "You are an agent.", tools: [tool], openhands_version: "0.40.0" },
  },
  { id: 1, timestamp: at, source: "user", action: "message", args: { content: "mend it", image_urls: [] } },
];

function report(id: string, prompt: number, output: number, read = 0, write = 0) {
  return {
    model: "m",
    prompt_tokens: prompt,
    completion_tokens: output,
    cache_read_tokens: read,
    cache_write_tokens: write,
    response_id: id,
  };
}

function kept(items: readonly Item[]): readonly string[] {
  const [restart] = ofType(items, "restarted");
  return restart?.keeps.flatMap(([from, to]) => outline(items.slice(from, to + 1))) ?? [];
}

describe("a result of an evaluation", () => {
  const one = response("r1", ["c1", "c2"]);
  const two = response("r2", ["c3"]);
  const history = [
    ...start,
    ran(2, "c1", one),
    saw(3, 2, "a"),
    ran(4, "c2", one),
    saw(5, 4, "b"),
    ran(6, "c3", two),
    saw(7, 6, "c"),
  ];
  const result = {
    instance_id: "repo__1",
    history,
    metrics: { token_usages: [report("r1", 100, 10, 60, 30), report("r2", 200, 20, 150), report("condenser", 50, 5)] },
  };

  test("one response is one request, however many actions it led to", async () => {
    expect(outline(await itemsOfDocument(result))).toEqual([
      "session",
      "head",
      "head",
      "typed: mend it",
      "request",
      "text: I look.",
      "usage",
      "call c1",
      "result c1",
      "call c2",
      "result c2",
      "request",
      "text: I look.",
      "usage",
      "call c3",
      "result c3",
      "request",
      "usage",
    ]);
  });

  test("prompts hold what was read and written; calls that the history does not show are counted too", async () => {
    const items = await itemsOfDocument(result);
    expect(usageIn(items)).toMatchObject({ uncached: 110, cacheRead: 210, cacheWriteOther: 30, output: 35 });
    expect(ofType(items, "usage")[0]?.usage).toMatchObject({ uncached: 10, cacheRead: 60, cacheWriteOther: 30 });
  });

  test("head, version and the arguments as the model wrote them", async () => {
    const items = await itemsOfDocument(result);
    expect(ofType(items, "session")[0]).toMatchObject({ session: "repo__1", version: "0.40.0" });
    expect(ofType(items, "head")[1]).toMatchObject({ part: "tools", tools: [{ name: "execute_bash" }] });
    expect(ofType(items, "call")[0]?.input).toBe('{"command": "ls"}');
    expect(items[0]?.at).toBe(Date.parse(`${at}Z`));
  });

  test("the oldest results have pairs without numbers", async () => {
    const pairs = ["ls", "pwd"].map((command) => [
      { source: "agent", action: "run", args: { command, thought: "" } },
      { source: "environment", observation: "run", content: `of ${command}`, extras: {} },
    ]);
    const items = await itemsOfDocument({ instance_id: "x", history: pairs });
    const calls = ofType(items, "call").map((item) => item.callId);
    expect(new Set(calls).size).toBe(2);
    expect(ofType(items, "result").map((item) => item.callId)).toEqual(calls);
    expect(ofType(items, "request")).toHaveLength(2);
  });

  test("results of several runs, one per line, are lanes apart", async () => {
    const items = await itemsOfLines([result, { ...result, instance_id: "repo__2" }]);
    expect(new Set(items.map((item) => item.lane))).toEqual(new Set(["main", "repo__2"]));
    expect(await itemsOfText(JSON.stringify(result))).toEqual(await itemsOfDocument(result));
  });
});

test("a restart in a later result of a file keeps items of its own result", async () => {
  const forgets = {
    id: 4,
    timestamp: at,
    source: "agent",
    action: "condensation",
    args: { forgotten_event_ids: [2, 3] },
  };
  const history = [...start, ran(2, "c1", response("r1", ["c1"])), saw(3, 2, "a"), forgets];
  const items = await itemsOfLines(["x", "y"].map((name) => ({ instance_id: name, history })));
  for (const { lane, keeps } of ofType(items, "restarted")) {
    const of = keeps.flatMap(([from, to]) => items.slice(from, to + 1));
    expect([outline(of), new Set(of.map((item) => item.lane))]).toEqual([
      ["head", "head", "typed: mend it"],
      new Set([lane]),
    ]);
  }
  expect(ofType(items, "restarted")).toHaveLength(2);
});

describe("a list of events", () => {
  test("without metrics the response's own report counts", async () => {
    const usage = { prompt_tokens: 90, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 40 } };
    const items = await itemsOfDocument([...start, ran(2, "c1", response("r1", ["c1"], usage)), saw(3, 2, "a")]);
    expect(usageIn(items)).toMatchObject({ uncached: 50, cacheRead: 40, output: 9 });
  });

  test("without any report of a call the growth of the running total counts", async () => {
    const total = (prompt: number, output: number) => ({
      llm_metrics: { accumulated_token_usage: report("", prompt, output) },
    });
    const items = await itemsOfDocument([
      ...start,
      { ...ran(2, "c1", response("r1", ["c1"])), ...total(100, 10) },
      saw(3, 2, "a"),
      { id: 4, timestamp: at, source: "agent", action: "message", args: { content: "Done." }, ...total(250, 30) },
    ]);
    expect(ofType(items, "usage").map((item) => item.usage.uncached)).toEqual([100, 150]);
    expect(outline(items).slice(-3)).toEqual(["request", "text: Done.", "usage"]);
  });

  test("an observation finds its call by its cause; an error without one is a message of the program", async () => {
    const items = await itemsOfDocument([
      ...start,
      { id: 2, timestamp: at, source: "agent", action: "run", args: { command: "ls", thought: "hm" } },
      { id: 3, timestamp: at, source: "agent", cause: 2, observation: "error", content: "no", extras: {} },
      { id: 4, timestamp: at, source: "agent", observation: "error", content: "wrong argument", extras: {} },
    ]);
    expect(ofType(items, "call")[0]).toMatchObject({ tool: "run", input: '{"command": "ls"}' });
    expect(ofType(items, "result")[0]).toMatchObject({ callId: ofType(items, "call")[0]?.callId, failed: true });
    expect(outline(items).at(-1)).toBe("injected: wrong argument");
  });

  test.each([
    ["listed", { forgotten_event_ids: [2, 3], summary: "so far" }],
    ["spanned", { forgotten_events_start_id: 2, forgotten_events_end_id: 3, summary: "so far" }],
  ])("a condensation restarts without the events that are %s", async (_name, args) => {
    const items = await itemsOfDocument([
      ...start,
      ran(2, "c1", response("r1", ["c1"])),
      saw(3, 2, "a"),
      ran(4, "c2", response("r2", ["c2"])),
      saw(5, 4, "b"),
      { id: 6, timestamp: at, source: "agent", action: "condensation", args },
    ]);
    expect(kept(items)).toEqual(["head", "head", "typed: mend it", "request", "text: I look.", "call c2", "result c2"]);
    expect(outline(items).slice(-2)).toEqual(["restarted compacted", "summary: so far"]);
  });

  test("one event alone, and events as lines", async () => {
    expect(outline(await itemsOfDocument(start[1]))).toEqual(["session", "typed: mend it"]);
    expect(outline(await itemsOfLines(start))).toEqual(["session", "head", "head", "typed: mend it"]);
  });
});

describe("events of the SDK", () => {
  const base = (id: string, kind: string, source: string) => ({ id, kind, source, timestamp: at });
  const acted = (id: string, callId: string, more: object = {}) => ({
    ...base(id, "ActionEvent", "agent"),
    thought: [{ type: "text", text: "I look." }],
    thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "abcd" }],
    tool_name: "terminal",
    tool_call_id: callId,
    tool_call: { id: callId, name: "terminal", arguments: '{"command":"ls"}' },
    llm_response_id: "r1",
    ...more,
  });
  const events = [
    {
      ...base("e0", "SystemPromptEvent", "agent"),
      system_prompt: { type: "text", text: "You are." },
      tools: [{ title: "terminal" }],
    },
    {
      ...base("e1", "MessageEvent", "user"),
      llm_message: { role: "user", content: [{ type: "text", text: "mend it" }] },
    },
    acted("e2", "c1"),
    acted("e3", "c2"),
    {
      ...base("e4", "ObservationEvent", "environment"),
      tool_call_id: "c1",
      observation: { content: [{ type: "text", text: "a" }] },
    },
    { ...base("e5", "AgentErrorEvent", "agent"), tool_call_id: "c2", error: "no" },
    { ...base("e6", "Condensation", "environment"), forgotten_event_ids: ["e2", "e3", "e4", "e5"], summary: "so far" },
  ];

  test("actions of one response share a request, and a condensation keeps what it did not forget", async () => {
    const items = await itemsOfDocument(events);
    expect(outline(items)).toEqual([
      "session",
      "head",
      "head",
      "typed: mend it",
      "request",
      "reasoning",
      "text: I look.",
      "call c1",
      "call c2",
      "result c1",
      "result c2",
      "restarted compacted",
      "summary: so far",
    ]);
    expect(kept(items)).toEqual(["head", "head", "typed: mend it"]);
    expect(ofType(items, "reasoning")[0]).toMatchObject({ text: "hm", opaqueChars: 4 });
    expect(ofType(items, "result").map((item) => item.failed)).toEqual([false, true]);
  });
});

test("calls of two sessions that name no response are no copies of each other", async () => {
  const event = (day: string) => ({
    id: 7,
    timestamp: `2026-04-${day}T10:00:00`,
    source: "agent",
    action: "run",
    args: { command: "ls" },
    llm_metrics: { accumulated_token_usage: { prompt_tokens: 100, completion_tokens: 5 } },
  });
  const keys = await Promise.all(
    ["01", "02"].map(async (day) => ofType(await itemsOfDocument([event(day)]), "usage").map(({ key }) => key)),
  );
  expect(new Set(keys.flat()).size).toBe(2);
});
