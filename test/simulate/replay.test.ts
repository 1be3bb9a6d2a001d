import { describe, expect, test } from "vitest";
import type { BrainRequest } from "../../src/testing/simulate/brain.ts";
import { recordingBrain } from "../../src/testing/simulate/recording.ts";
import { readRecording } from "../../src/testing/simulate/recording-read.ts";
import { replayBrain } from "../../src/testing/simulate/replay.ts";
import { translateCall } from "../../src/testing/simulate/replay-tools.ts";

type Message = BrainRequest["messages"][number];
const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const reply = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });
const tool = (name: string, properties: object | null = {}, required = Object.keys(properties ?? {})) => ({
  name,
  description: properties === null ? "runs JavaScript" : "does",
  schema: properties === null ? null : { type: "object", properties, required },
});
const text = { type: "string" };
function request(messages: readonly Message[], tools: BrainRequest["tools"] = [tool("Read", { file_path: text })]) {
  return { wire: "chat", model: "m", system: [], tools, messages, served: 0 } satisfies BrainRequest;
}

function brainOf(lines: readonly unknown[] | string, blob: (hash: string) => string | null = () => null) {
  const told = typeof lines === "string" ? lines : lines.map((line) => JSON.stringify(line)).join("\n");
  const recording = readRecording(told, blob);
  if (typeof recording === "string") throw new Error(recording);
  return replayBrain(recording);
}

describe("a recording of the simulator", () => {
  test("plays back what was said, by how many replies a request holds, and then ends politely", async () => {
    const lines: string[] = [];
    const spoken = [
      { reasoning: "hm", text: "I look.", calls: [{ tool: "Read", input: { file_path: "a" } }] },
      { text: "done" },
    ];
    const live = recordingBrain(
      ({ messages }) => spoken[messages.length === 1 ? 0 : 1] ?? {},
      (line) => lines.push(line),
    );
    await live(request([user("go")]));
    await live(request([user("go"), reply("I look."), user("result")]));
    const brain = brainOf(lines.join(""));
    const said = [
      await brain(request([user("go"), reply("I look."), user("result")])),
      await brain(request([user("go")])),
      await brain(request([user("go"), reply("1"), user("r"), reply("2"), user("more")])),
    ];
    expect(said).toEqual([
      { text: "done", calls: [] },
      spoken[0],
      { text: "The record ends here: it has no reply 3." },
    ]);
  });

  test("keeps conversations apart by their first words, and those without tools from those with", async () => {
    const line = (opening: string, hasTools: boolean, said: string) => ({
      type: "sim-reply",
      opening,
      hasTools,
      at: 0,
      reply: { text: said },
    });
    const brain = brainOf([line("x", true, "first"), line("y", false, "title")]);
    expect(await brain(request([user("anything")]))).toMatchObject({ text: "first" });
    expect(await brain(request([user("anything")], []))).toMatchObject({ text: "title" });
  });

  test("takes the last of several replies to one request, and passes over lines that cannot be read", async () => {
    const line = (said: string) =>
      JSON.stringify({ type: "sim-reply", opening: "x", hasTools: true, at: 0, reply: { text: said } });
    const brain = brainOf([line("cut off"), "{broken", "7", line("whole")].join("\n"));
    expect(await brain(request([user("go")]))).toMatchObject({ text: "whole" });
  });

  test.each(["", "not json\n", '{"type":"other"}\n'])("with nothing in it is refused: %j", (lines) => {
    expect(readRecording(lines, () => null)).toMatch(/holds no replies/);
  });
});

describe("a transcript of Claude Code", () => {
  const assistant = (uuid: string, parentUuid: string | null, id: string, block: object, more: object = {}) => ({
    type: "assistant",
    uuid,
    parentUuid,
    message: { id, model: "claude-opus-5-5", content: [block], usage: { output_tokens: 1 } },
    ...more,
  });
  const typed = (uuid: string, parentUuid: string | null, content: unknown) => ({
    type: "user",
    uuid,
    parentUuid,
    message: { role: "user", content },
  });
  const call = (name: string) => ({ type: "tool_use", id: `toolu_${name}`, name, input: { file_path: name } });
  const words = (said: string) => ({ type: "text", text: said });
  const said = async (lines: readonly unknown[], at: number) =>
    brainOf(lines)(request([user("go"), ...Array.from({ length: at }, (_, n) => [reply(`${n}`), user("r")]).flat()]));

  test("is one reply for each message id, though each block has a line of its own", async () => {
    const lines = [
      { type: "summary", summary: "x" },
      typed("u1", null, "go"),
      assistant("a1", "u1", "msg_1", { type: "thinking", thinking: "hm", signature: "s" }),
      assistant("a2", "a1", "msg_1", words("I look.")),
      assistant("a3", "a2", "msg_1", { ...call("Read") }),
      assistant("a4", "a3", "msg_1", { ...call("Read") }),
      typed("u2", "a3", [{ type: "tool_result", tool_use_id: "toolu_Read", content: "x" }]),
      typed("u3", "a4", [{ type: "tool_result", tool_use_id: "toolu_Read", content: "x" }]),
      assistant("a5", "u3", "msg_2", words("done")),
    ];
    const read = { tool: "Read", input: { file_path: "Read" } };
    expect(await said(lines, 0)).toEqual({ reasoning: "hm", text: "I look.", calls: [read, read] });
    expect(await said(lines, 1)).toEqual({ text: "done", calls: [] });
    expect(await said(lines, 2)).toEqual({ text: "The record ends here: it has no reply 3." });
  });

  test("follows the branch of its last message, without sub-agents, errors of the client and what was taken back", async () => {
    const lines = [
      typed("u1", null, "go"),
      assistant("a1", "u1", "msg_1", words("taken back")),
      typed("u2", null, "go again"),
      assistant("s1", "u2", "msg_s", words("sub-agent"), { isSidechain: true }),
      assistant("a2", "u2", "msg_2", words("kept")),
      {
        ...assistant("a3", "a2", "msg_3", words("API error")),
        message: { id: "x", model: "<synthetic>", content: [words("API error")] },
      },
      { type: "system", subtype: "compact_boundary", uuid: "b1", parentUuid: null, logicalParentUuid: "a3" },
      typed("u3", "b1", "summary"),
      assistant("a4", "u3", "msg_4", words("last")),
    ];
    expect([await said(lines, 0), await said(lines, 1)]).toEqual([
      { text: "kept", calls: [] },
      { text: "last", calls: [] },
    ]);
  });
});

describe("a session of Varve", () => {
  test("is its responses, long texts from their blobs, side requests left out", async () => {
    const blocks = (...list: readonly object[]) => list;
    const lines = [
      { seq: 1, type: "session-started" },
      { seq: 2, type: "request-sent", request: "r1", purpose: "step" },
      {
        seq: 3,
        type: "response-received",
        request: "r1",
        blocks: blocks(
          { type: "reasoning", text: "hm", wire: "{}" },
          { type: "text", text: { blob: "ab12", chars: 9 } },
          { type: "tool-call", callId: "c", tool: "Read", input: '{"file_path":"a"}' },
          { type: "opaque", wire: "{}" },
        ),
      },
      { seq: 4, type: "request-sent", request: "r2", purpose: "side" },
      { seq: 5, type: "response-received", request: "r2", blocks: blocks({ type: "text", text: "a title" }) },
    ];
    const brain = brainOf(lines, (hash) => (hash === "ab12" ? "long text" : null));
    expect(await brain(request([user("go")]))).toEqual({
      reasoning: "hm",
      text: "long text",
      calls: [{ tool: "Read", input: { file_path: "a" } }],
    });
    expect(await brain(request([user("go"), reply("x"), user("r")]))).toMatchObject({ text: /no reply 2/ });
  });
});

describe("a recorded call in a client that names its tools otherwise", () => {
  test.each([
    [
      "Read",
      { file_path: "a", limit: 5 },
      tool("read_file", { absolute_path: text, limit: text }, ["absolute_path"]),
      { absolute_path: "a", limit: 5 },
    ],
    [
      "Bash",
      { command: "ls", description: "lists" },
      tool("exec_command", { cmd: text, workdir: text }, ["cmd"]),
      { cmd: "ls" },
    ],
    [
      "Bash",
      { command: "ls" },
      tool("bash", { command: text, description: text }),
      { command: "ls", description: "x" },
    ],
    ["Bash", { command: "ls" }, tool("exec", null), 'text(await tools.exec_command({"cmd":"ls"}))'],
    [
      "Write",
      { file_path: "a", content: "b" },
      tool("write", { filePath: text, content: text }),
      { filePath: "a", content: "b" },
    ],
    [
      "Edit",
      { file_path: "a", old_string: "b", new_string: "c" },
      tool("edit", { filePath: text, oldString: text, newString: text }),
      { filePath: "a", oldString: "b", newString: "c" },
    ],
    [
      "Write",
      { file_path: "a", content: "it's\n" },
      tool("exec_command", { cmd: text }),
      { cmd: "printf %s 'it'\\''s\n' > 'a'" },
    ],
    ["Read", { file_path: "a" }, tool("Read", { path: text }), { path: "a" }],
    ["Grep", { pattern: "x" }, tool("search_file_content", { pattern: text }), { pattern: "x" }],
    ["Read", { file_path: "it's" }, tool("shell", { command: text }), { command: "cat 'it'\\''s'" }],
  ])("%s %j", (name, input, here, wanted) => {
    const translated = translateCall({ tool: name, input }, [tool("think"), here]);
    expect(translated?.input).toEqual(wanted);
    expect(translated?.tool).toBe(here.name);
  });

  test("goes out as it is where the client knows the name", () => {
    const call = { tool: "exec", input: { anything: 1 } };
    expect(translateCall(call, [tool("exec"), tool("bash", { command: text })])).toEqual(call);
  });

  test("is said in words where there is nothing of the kind", async () => {
    const line = {
      type: "sim-reply",
      opening: "x",
      hasTools: true,
      at: 0,
      reply: { text: "I plan.", calls: [{ tool: "TodoWrite", input: {} }] },
    };
    expect(await brainOf([line])(request([user("go")]))).toEqual({
      text: "I plan.\n\n(The record calls TodoWrite; no tool here is of that kind.)",
      calls: [],
    });
  });

  test("is left out without a word where the client offers no tools at all", async () => {
    const line = {
      type: "sim-reply",
      opening: "x",
      hasTools: true,
      at: 0,
      reply: { text: "A title", calls: [{ tool: "Read", input: {} }] },
    };
    expect(await brainOf([line])(request([user("go")], []))).toEqual({ text: "A title", calls: [] });
  });
});
