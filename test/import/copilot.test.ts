import { expect, test } from "vitest";
import { itemsOfLines, ofType, outline, usageIn } from "./items.ts";

type Fields = Readonly<Record<string, unknown>>;

let count = 0;
function event(type: string, data: unknown, more: Fields = {}): Fields {
  count += 1;
  return { type, data, id: `e${count}`, parentId: null, timestamp: "2026-01-01T00:00:00.000Z", ...more };
}

const start = event("session.start", { sessionId: "s-1", copilotVersion: "1.0.64", context: { cwd: "/work" } });
const asked = event("user.message", { content: "go", transformedContent: "<now/> go", attachments: [] });
const answered = (id: string, more: Fields = {}) =>
  event("assistant.message", {
    messageId: id,
    apiCallId: `api-${id}`,
    content: "",
    outputTokens: 10,
    toolRequests: [],
    ...more,
  });
const ran = (id: string, more: Fields = {}) =>
  event("tool.execution_complete", { toolCallId: id, success: true, result: { content: "one" }, ...more });
const toolRequests = [{ toolCallId: "c1", name: "bash", arguments: { command: "ls", timeout: 5 }, type: "function" }];

const session = [
  start,
  event("session.model_change", { newModel: "claude-sonnet-4.6" }),
  event("system.message", { role: "system", content: "You are Copilot." }),
  asked,
  event("assistant.turn_start", { turnId: "0" }),
  answered("m1", { reasoningText: "Hm.", reasoningOpaque: "abcd", toolRequests }),
  event("tool.execution_start", { toolCallId: "c1", toolName: "bash", arguments: { command: "ls" } }),
  ran("c1"),
  event("system.message", { role: "system", content: "You are Copilot." }),
  answered("m2", { content: "Done." }),
];

test("an answer's parts, its calls and their results are read; only its own tokens are known", async () => {
  const items = await itemsOfLines(session);
  expect(outline(items.filter(({ type }) => type !== "unknown"))).toEqual([
    "session",
    "head",
    "typed: <now/> go",
    "request",
    "reasoning",
    "call c1",
    "usage",
    "result c1",
    "request",
    "text: Done.",
    "usage",
  ]);
  expect(ofType(items, "session")[0]).toMatchObject({ session: "s-1", cwd: "/work", version: "1.0.64" });
  expect(ofType(items, "request")[0]?.model).toBe("claude-sonnet-4.6");
  expect(ofType(items, "call")[0]).toMatchObject({ tool: "bash", input: '{"command": "ls", "timeout": 5}' });
  expect(ofType(items, "usage").map(({ known }) => known)).toEqual(["output", "output"]);
  expect(usageIn(items)).toMatchObject({ uncached: 0, cacheRead: 0, output: 20 });
});

test("pieces of one answer are one request", async () => {
  const items = await itemsOfLines([
    start,
    asked,
    answered("m1", { content: "a" }),
    answered("m1", { content: "b", outputTokens: 12 }),
  ]);
  expect(ofType(items, "request")).toHaveLength(1);
  expect(usageIn(items).output).toBe(12);
});

test("a failed tool gives its error, a tool that nobody asked for is a call of no request", async () => {
  const failed = ran("c2", { success: false, result: undefined, error: { message: "no such file" } });
  const begun = event("tool.execution_start", { toolCallId: "c2", toolName: "view", arguments: {} });
  const items = await itemsOfLines([start, begun, failed]);
  expect(ofType(items, "call")[0]).toMatchObject({ request: null, tool: "view" });
  expect(ofType(items, "result")[0]).toMatchObject({ text: "no such file", failed: true });
});

test("notices, skills and messages of the program are not typed", async () => {
  const items = await itemsOfLines([
    start,
    event("user.message", { content: "do the next", source: "skill-review" }),
    event("user.message", { content: "continue", isAutopilotContinuation: true }),
    event("system.notification", { content: "a command ended" }),
    event("skill.invoked", { name: "review", content: "# Review" }),
    event("user.message", { content: "see", attachments: [{ type: "blob", mimeType: "image/png" }] }),
  ]);
  expect(ofType(items, "message").map(({ from, images }) => [from, images])).toEqual([
    ["injected", 0],
    ["injected", 0],
    ["injected", 0],
    ["injected", 0],
    ["typed", 1],
  ]);
});

test("sub-agents stand in lanes of their own, by the agent or by the call that started them", async () => {
  const items = await itemsOfLines([
    start,
    event("user.message", { content: "find it" }, { agentId: "agent-1" }),
    answered("m1", { content: "found", parentToolCallId: "c1" }),
  ]);
  expect(items.slice(1).map(({ lane }) => lane)).toEqual(["agent-1", "c1", "c1", "c1"]);
  expect(ofType(items, "message")[0]?.from).toBe("injected");
});

test("a compaction works beside the session: what came since its start stays", async () => {
  const items = await itemsOfLines([
    ...session,
    event("session.compaction_start", {}),
    event("user.message", { content: "meanwhile" }),
    event("session.compaction_complete", { success: true, trigger: "threshold", summaryContent: "so far" }),
    event("session.compaction_complete", { success: false }),
  ]);
  const [restart] = ofType(items, "restarted");
  expect(restart).toMatchObject({ why: "compacted", by: "auto" });
  const kept = restart?.keeps.flatMap(([from, to]) => items.slice(from, to + 1)) ?? [];
  expect(outline(ofType(kept, "message"))).toEqual(["typed: meanwhile"]);
  expect(outline(items)).toContain("summary: so far");
  expect(ofType(items, "restarted")).toHaveLength(1);
});

test("a rewind takes its event and all after it away; a cleared context keeps nothing", async () => {
  const wrong = event("user.message", { content: "wrong" });
  const items = await itemsOfLines([
    ...session,
    wrong,
    answered("m3", { content: "Wrong." }),
    event("session.snapshot_rewind", { upToEventId: wrong.id, eventsRemoved: 2 }),
    event("session.snapshot_rewind", { upToEventId: "gone", eventsRemoved: 2 }),
    event("session.context_cleared", { messagesCleared: 3 }),
  ]);
  const [rewound, cleared, ...others] = ofType(items, "restarted");
  const kept = outline(rewound?.keeps.flatMap(([from, to]) => items.slice(from, to + 1)) ?? []);
  expect(kept).toContain("text: Done.");
  expect(kept).not.toContain("typed: wrong");
  expect(cleared).toMatchObject({ why: "cleared", keeps: [] });
  expect(others).toEqual([]);
});

test("odd values are no reason to stop", async () => {
  const odd = [null, 7, "x", [], {}, [null], true];
  const types = [
    "session.start",
    "user.message",
    "assistant.message",
    "tool.execution_start",
    "tool.execution_complete",
    "session.compaction_complete",
    "new.kind",
  ];
  const lines = odd.flatMap((value) => [
    ...types.map((type) => event(type, value)),
    event("assistant.message", { content: value, toolRequests: [value], outputTokens: value, apiCallId: value }),
    event("tool.execution_complete", { toolCallId: value, result: { content: value }, success: value }),
  ]);
  expect(outline(await itemsOfLines([...session, ...lines, event("user.message", { content: "on" })])).at(-1)).toBe(
    "typed: on",
  );
});
