import { describe, expect, test } from "vitest";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { parseFault } from "../../src/testing/simulate/fault-text.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type SummaryBehaviour, withSummaries } from "../../src/testing/simulate/summaries.ts";
import { anthropicHeaders, assistant, type Body, post, text, tokens, tool, user } from "./builders.ts";
import { start } from "./clients.ts";

const askBeta = { "anthropic-beta": "compact-2026-09-04" };
const thresholdBeta = { "anthropic-beta": "compact-2026-01-12" };
const thinker: Brain = (request) => ({ reasoning: `thought ${request.served}`, text: `answer ${request.served}` });
const headed = (more: Body) => ({
  model: "sim-bound",
  max_tokens: 2_000,
  system: [text(tokens(2_000), { cache_control: { type: "ephemeral" } })],
  ...more,
});

/** One service; each request a second after the one before. */
function service(behaviours: readonly SummaryBehaviour[] = [], brain: Brain = thinker) {
  const simulation = createSimulation({ brain: withSummaries(brain, { behaviours }) });
  let now = 0;
  const send = async (body: Body, headers: Readonly<Record<string, string>> = {}, path = "/v1/messages") => {
    now += 1_000;
    const request = { ...post("anthropic", headed(body)), path };
    const outcome = await simulation.handle({ ...request, headers: { ...anthropicHeaders, ...headers } }, now);
    const parsed = parseJson(outcome.frames.join(""));
    const answer = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    return { status: outcome.status, answer, record: simulation.requests().at(-1) };
  };
  return { simulation, send };
}

/** A conversation of so many turns as the service answered them, thinking and all. */
async function talk(send: ReturnType<typeof service>["send"], turns: number): Promise<readonly Body[]> {
  let messages: readonly Body[] = [user("start")];
  for (let turn = 0; turn < turns; turn += 1) {
    const { answer } = await send({ messages });
    messages = [...messages, assistant(answer.content), user(`go on ${turn}`)];
  }
  return messages;
}

const summarize = { compaction: { type: "summarize" } };
const codeOf = ({ error }: Body) => (isRecord(error) && isRecord(error.details) ? error.details.error_code : null);
const blocksIn = ({ content }: Body): readonly Body[] => (Array.isArray(content) ? content : []);

describe("PROTOCOLS A.5: a summary on demand", () => {
  test("the answer is one compaction block alone, billed as an iteration; the prefix is read from the cache", async () => {
    const { send } = service();
    const messages = await talk(send, 1);
    const { answer, record } = await send({ messages, ...summarize }, askBeta);
    expect(answer).toMatchObject({ stop_reason: "compaction", usage: { input_tokens: 0, output_tokens: 0 } });
    expect(answer.content).toEqual([
      {
        type: "compaction",
        content: expect.stringContaining("The user asked: start"),
        encrypted_content: null,
        signature: expect.any(String),
        tool_changes: [],
      },
    ]);
    const { usage } = answer;
    const iterations = isRecord(usage) && Array.isArray(usage.iterations) ? usage.iterations : [];
    expect(iterations).toHaveLength(1);
    expect(iterations[0]).toMatchObject({ type: "compaction", cache_read_input_tokens: record?.readTokens });
    expect(iterations[0].output_tokens).toBe(record?.outputTokens);
    expect(iterations[0].input_tokens + iterations[0].cache_read_input_tokens).toBe(record?.promptTokens);
    expect(record?.readTokens).toBeGreaterThan(2_000);
    expect(record?.missCause).toBeNull();
  });

  test("instructions take the place of the service's own", async () => {
    const simulation = createSimulation({ brain: ({ messages }) => ({ text: JSON.stringify(messages.at(-1)) }) });
    const asked = async (instructions: string) => {
      const body = headed({ messages: [user("x")], compaction: { type: "summarize", instructions } });
      const request = post("anthropic", body);
      return (await simulation.handle({ ...request, headers: { ...request.headers, ...askBeta } }, 0)).frames.join("");
    };
    expect(await asked("Only the files.")).toContain("Only the files.");
    expect(await asked("Only the files.")).not.toContain("Sum up all");
    expect(await asked(" ")).toContain("Sum up all");
  });

  test("the block stands for what it sums up: the model reads it, the prompt is short, and kept thinking stays valid", async () => {
    const { send } = service();
    const all = await talk(send, 3);
    const [older, kept] = [all.slice(0, 4), all.slice(4)];
    const block = blocksIn((await send({ messages: older, ...summarize }, askBeta)).answer)[0];
    const next = await send({ messages: [assistant([block]), ...kept] }, askBeta);
    expect([next.status, next.answer.input_transformations]).toEqual([200, []]);
    expect(next.record?.segments.filter(({ kind }) => kind === "summary")).toHaveLength(1);
    expect(next.record?.segments.some(({ kind }) => kind === "reasoning")).toBe(true);
    // What was thought behind the block is bound to it, too.
    const more = [assistant([block]), ...kept, assistant(next.answer.content), user("more")];
    expect((await send({ messages: more }, askBeta)).status).toBe(200);
    // A second summary takes the first one in, and turns kept over both stay valid.
    const again = blocksIn((await send({ messages: more.slice(0, 2), ...summarize }, askBeta)).answer)[0];
    expect(again?.content).not.toBe(block?.content);
    expect((await send({ messages: [assistant([again]), ...more.slice(2)] }, askBeta)).status).toBe(200);
  });

  test.each<[string, (older: readonly Body[], kept: readonly Body[], block: Body) => Body]>([
    ["the system text changed", (_o, kept, block) => ({ messages: [assistant([block]), ...kept], system: "other" })],
    [
      "a tool was added",
      (_o, kept, block) => ({
        messages: [assistant([block]), ...kept],
        tools: [{ name: "Read", input_schema: { type: "object" } }],
      }),
    ],
    ["a kept turn changed", (_o, kept, block) => ({ messages: [assistant([block]), user("other"), ...kept.slice(1)] })],
    ["a turn is missing between", (_o, kept, block) => ({ messages: [assistant([block]), ...kept.slice(2)] })],
  ])("kept thinking is refused where %s", async (_name, make) => {
    const { send } = service();
    const all = await talk(send, 4);
    const [older, kept] = [all.slice(0, 4), all.slice(4)];
    const block = blocksIn((await send({ messages: older, ...summarize }, askBeta)).answer)[0] ?? {};
    const { status, record } = await send(make(older, kept, block), askBeta);
    expect([status, record?.violation?.rule]).toEqual([400, "thinking-bound"]);
  });

  test("kept thinking is refused where the kept turns begin with the role that the older part ended with", async () => {
    const { send } = service();
    const all = await talk(send, 3);
    // The cut goes through a user's turn that is written as two messages.
    const split = [...all.slice(0, 3), user("a"), user("b"), ...all.slice(3)];
    const first = await send({ messages: split.slice(0, 5) });
    const whole = [...split.slice(0, 5), assistant(first.answer.content), user("c")];
    const block = blocksIn((await send({ messages: whole.slice(0, 4), ...summarize }, askBeta)).answer)[0];
    const { status, record } = await send({ messages: [assistant([block]), ...whole.slice(4)] }, askBeta);
    expect([status, record?.violation?.rule]).toEqual([400, "thinking-bound"]);
    const dropped = await send(
      {
        messages: [assistant([block]), ...whole.slice(4)],
        thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
      },
      { "anthropic-beta": "compact-2026-09-04,thinking-binding-controls-2026-08-01" },
    );
    expect(dropped.answer.input_transformations).toMatchObject([{ type: "thinking_dropped" }]);
  });

  test.each<[SummaryBehaviour, number, string | null]>([
    ["empty", 529, "compaction_unavailable"],
    ["tool-call", 529, "compaction_unavailable"],
  ])("a summary that fails (%s) is a %i", async (behaviour, status, code) => {
    const { send } = service([behaviour]);
    const tools = [tool("Read")];
    const sent = await send({ messages: [user("x")], tools, ...summarize }, askBeta);
    expect([sent.status, codeOf(sent.answer)]).toEqual([status, code]);
  });

  test("a summary that meets the output limit is none: another stop reason, no block", async () => {
    const { send } = service(["truncated"]);
    const { answer } = await send({ messages: [user("x")], ...summarize }, askBeta);
    expect([answer.stop_reason, answer.content]).toEqual(["max_tokens", []]);
  });

  test("a fault may say that it is unavailable, and those for summaries strike it", async () => {
    const { simulation, send } = service();
    const fault = parseFault("compaction-unavailable/summary");
    if (typeof fault !== "string") simulation.addFaults([fault]);
    expect((await send({ messages: [user("x")] })).status).toBe(200);
    const { status, answer } = await send({ messages: [user("x")], ...summarize }, askBeta);
    expect([status, codeOf(answer)]).toEqual([529, "compaction_unavailable"]);
    expect((await send({ messages: [user("x")], ...summarize }, askBeta)).status).toBe(200);
  });

  test("tool changes of the summed-up part come back with the block, the newest of each tool", async () => {
    const { send } = service();
    const change = (type: string, tool_name: string) => ({ type, tool_name });
    const messages = [
      user([text("x"), change("tool_addition", "a"), change("tool_addition", "b")]),
      assistant("y"),
      user([text("z"), change("tool_removal", "a")]),
    ];
    const block = blocksIn((await send({ messages, ...summarize }, askBeta)).answer)[0];
    expect(block?.tool_changes).toEqual([change("tool_removal", "a"), change("tool_addition", "b")]);
    expect((await send({ messages: [assistant([block]), user("x")] }, askBeta)).status).toBe(200);
    const altered = { ...block, tool_changes: [] };
    const refused = await send({ messages: [assistant([altered]), user("x")] }, askBeta);
    expect(codeOf(refused.answer)).toBe("compaction_tool_changes_mismatch");
  });

  test("counting takes the parameter and counts the conversation as sent", async () => {
    const { send } = service();
    const count = async (more: Body) =>
      (await send({ messages: [user("x")], ...more }, askBeta, "/v1/messages/count_tokens")).answer.input_tokens;
    expect(await count(summarize)).toBe(await count({}));
  });

  test("the official SDK reads it streamed and whole", async () => {
    const { anthropic } = await start({ brain: withSummaries(thinker) });
    const params = {
      model: "sim-bound",
      max_tokens: 2_000,
      messages: [{ role: "user" as const, content: "start" }],
      compaction: { type: "summarize" as const },
      betas: ["compact-2026-09-04" as const],
    };
    const whole = await anthropic.beta.messages.create(params);
    const said: string[] = [];
    const streamed = await anthropic.beta.messages
      .stream(params)
      .on("compaction", (content) => said.push(String(content)))
      .finalMessage();
    expect(streamed.stop_reason).toBe("compaction");
    expect(streamed.content[0]?.type).toBe("compaction");
    const content = (message: typeof whole) => (message.content[0]?.type === "compaction" ? message.content[0] : null);
    expect(content(streamed)?.content).toBe(content(whole)?.content);
    expect(said.length).toBeGreaterThan(0);
    const messages = [
      { role: "assistant" as const, content: streamed.content },
      { role: "user" as const, content: "on" },
    ];
    expect((await anthropic.beta.messages.create({ ...params, compaction: null, messages })).stop_reason).toBe(
      "end_turn",
    );
  });
});

const edit = (more: Body = {}) => ({
  context_management: {
    edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 }, ...more }],
  },
});
const long = user(tokens(45_000));

describe("PROTOCOLS A.5: a summary at a threshold", () => {
  test("below it nothing happens; from it on the answer begins with the block, and both passes are iterations", async () => {
    const { send } = service();
    const short = await send({ messages: [user("x")], ...edit() }, thresholdBeta);
    expect(blocksIn(short.answer).map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(short.answer.usage).not.toHaveProperty("iterations");
    const { answer, record } = await send({ messages: [long], ...edit() }, thresholdBeta);
    expect(blocksIn(answer).map(({ type }) => type)).toEqual(["compaction", "thinking", "text"]);
    expect(answer.stop_reason).toBe("end_turn");
    const { usage } = answer;
    const [first, second] = isRecord(usage) && Array.isArray(usage.iterations) ? usage.iterations : [];
    expect([first.type, second.type]).toEqual(["compaction", "message"]);
    const sizeOf = (one: Record<string, number>) =>
      Number(one.input_tokens) + Number(one.cache_read_input_tokens) + Number(one.cache_creation_input_tokens);
    expect(sizeOf(first)).toBeGreaterThan(50_000);
    expect(sizeOf(second)).toBeLessThan(10_000);
    // The window of the next request is that of the message; what the summary took is only in the iterations.
    expect(usage).toMatchObject({ input_tokens: second.input_tokens, output_tokens: second.output_tokens });
    expect(record?.promptTokens).toBe(sizeOf(first) + sizeOf(second));
    expect(record?.outputTokens).toBe(first.output_tokens + second.output_tokens);
    expect(second.cache_read_input_tokens).toBeGreaterThan(2_000);
  });

  test("what stands before the block is ignored from then on, sent or not, and later thinking is valid either way", async () => {
    const { send } = service();
    const { answer } = await send({ messages: [long], ...edit() }, thresholdBeta);
    const tail = [assistant(answer.content), user("go on")];
    for (const messages of [[long, ...tail], tail]) {
      const next = await send({ messages }, thresholdBeta);
      expect([next.status, next.answer.input_transformations]).toEqual([200, []]);
      expect(next.record?.promptTokens).toBeLessThan(10_000);
      expect(next.record?.segments.some(({ kind }) => kind === "reasoning")).toBe(true);
    }
  });

  test("it may pause: the block alone, and the stop reason says so", async () => {
    const { send } = service();
    const { answer } = await send({ messages: [long], ...edit({ pause_after_compaction: true }) }, thresholdBeta);
    expect(blocksIn(answer).map(({ type }) => type)).toEqual(["compaction"]);
    expect(answer.stop_reason).toBe("compaction");
    const next = await send({ messages: [long, assistant(answer.content), user("go on")] }, thresholdBeta);
    expect([next.status, next.answer.stop_reason]).toEqual([200, "end_turn"]);
  });

  test("a summary that failed is a block without content: it counts for nothing, and the model answers the whole", async () => {
    const { send } = service(["empty"]);
    const { answer } = await send({ messages: [long], ...edit() }, thresholdBeta);
    expect(blocksIn(answer)[0]).toEqual({ type: "compaction", content: null, encrypted_content: null });
    expect(blocksIn(answer).map(({ type }) => type)).toEqual(["compaction", "thinking", "text"]);
    const next = await send({ messages: [long, assistant(answer.content), user("go on")] }, thresholdBeta);
    expect([next.status, next.answer.input_transformations]).toEqual([200, []]);
    expect(next.record?.promptTokens).toBeGreaterThan(50_000);
  });

  test("its default is 150,000 tokens", async () => {
    const { send } = service();
    const types = async (count: number) => {
      const sent = await send({ messages: [user(tokens(count))], ...edit({ trigger: null }) }, thresholdBeta);
      return blocksIn(sent.answer)[0]?.type;
    };
    expect(await types(110_000)).toBe("thinking");
    expect(await types(115_000)).toBe("compaction");
  });

  test("the stream carries the block as one delta", async () => {
    const { anthropic } = await start({ brain: withSummaries(thinker) });
    const message = await anthropic.beta.messages
      .stream({
        model: "sim-bound",
        max_tokens: 2_000,
        messages: [{ role: "user", content: tokens(45_000) }],
        context_management: {
          edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }],
        },
        betas: ["compact-2026-01-12"],
      })
      .finalMessage();
    expect(message.content[0]).toMatchObject({ type: "compaction", content: expect.stringContaining("1. Goal") });
    expect(message.usage.iterations?.map(({ type }) => type)).toEqual(["compaction", "message"]);
  });
});
