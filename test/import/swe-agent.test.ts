import { expect, test } from "vitest";
import { itemsOfDocument, ofType, outline } from "./items.ts";

const step = { action: "ls", observation: "a.txt", response: "I look.\n```\nls\n```", thought: "I look.", state: {} };
const info = { exit_status: "submitted", model_stats: { tokens_sent: 900, tokens_received: 90, api_calls: 2 } };

function called(id: string, command: string) {
  const call = { id, type: "function", function: { name: "bash", arguments: `{"command":"${command}"}` } };
  return {
    role: "assistant",
    content: "I look.",
    thought: "I look.",
    action: command,
    agent: "main",
    tool_calls: [call],
  };
}

test("calls and results of a run stand as the model saw them, and no usage is made up from totals", async () => {
  const history = [
    { role: "system", content: "You work in a shell.", message_type: "system_prompt" },
    { role: "user", content: "an example", is_demo: true, message_type: "demonstration" },
    { role: "user", content: [{ type: "text", text: "mend it" }], message_type: "observation" },
    called("c1", "ls"),
    { role: "tool", content: "a.txt", message_type: "observation", tool_call_ids: ["c1"] },
    called("c2", "cat"),
    { role: "tool", content: "hello", message_type: "observation", tool_call_ids: ["c2"] },
  ];
  const items = await itemsOfDocument({ trajectory: [step, step], history, info, environment: "main" });
  expect(outline(items)).toEqual([
    "session",
    "head",
    "injected: an example",
    "typed: mend it",
    "request",
    "text: I look.",
    "call c1",
    "result c1",
    "request",
    "text: I look.",
    "call c2",
    "result c2",
  ]);
  expect(ofType(items, "call")[0]).toMatchObject({ tool: "bash", input: '{"command":"ls"}' });
  expect(ofType(items, "usage")).toEqual([]);
});

test("ids that come twice in a run are told apart", async () => {
  const result = (content: string) => ({ role: "tool", content, message_type: "observation", tool_call_ids: ["c"] });
  const history = [
    { role: "user", content: "mend it" },
    called("c", "ls"),
    result("one"),
    called("c", "ls"),
    result("two"),
  ];
  const items = await itemsOfDocument({ trajectory: [step], history, info });
  expect(ofType(items, "call").map((item) => item.callId)).toEqual(["c", "c#2"]);
  expect(ofType(items, "result").map((item) => [item.callId, item.text])).toEqual([
    ["c", "one"],
    ["c#2", "two"],
  ]);
});

test("a command that stands in the text is a call, and the next message its result", async () => {
  const history = [
    { role: "user", content: "mend it", agent: "main" },
    { role: "assistant", content: step.response, thought: "I look.", action: "ls -F\n", agent: "main" },
    { role: "user", content: "a.txt", agent: "main" },
  ];
  const items = await itemsOfDocument({ trajectory: [step], history, info });
  expect(ofType(items, "call")[0]).toMatchObject({ tool: "ls", input: "ls -F" });
  expect(ofType(items, "result")[0]).toMatchObject({ text: "a.txt", callId: ofType(items, "call")[0]?.callId });
});

test("a run without a history is read from its steps", async () => {
  const query = [
    { role: "system", content: "You work in a shell." },
    { role: "user", content: "mend it" },
  ];
  const items = await itemsOfDocument({ trajectory: [{ ...step, query }, step], info });
  expect(outline(items).slice(0, 5)).toEqual([
    "session",
    "head",
    "typed: mend it",
    "request",
    `text: ${step.response}`,
  ]);
  expect(ofType(items, "result")).toHaveLength(2);
});

test("attempts are lanes apart", async () => {
  const history = [{ role: "user", content: "mend it" }, called("c1", "ls")];
  const attempt = { trajectory: [step], history, info };
  const items = await itemsOfDocument({ attempts: [attempt, attempt], info });
  expect(new Set(ofType(items, "request").map((item) => item.lane))).toEqual(new Set(["attempt-1", "attempt-2"]));
});
