import { describe, expect, test } from "vitest";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type SummaryBehaviour, withSummaries } from "../../src/testing/simulate/summaries.ts";
import { assistant, type Body, fn, fnCall, fnOutput, input, post, responses, tokens, user } from "./builders.ts";
import { start } from "./clients.ts";

const thinker: Brain = (request) => ({ reasoning: `thought ${request.served}`, text: `answer ${request.served}` });

function service(behaviours: readonly SummaryBehaviour[] = [], brain: Brain = thinker) {
  const simulation = createSimulation({ brain: withSummaries(brain, { behaviours }) });
  const send = async (body: Body, path = "/v1/responses") => {
    const outcome = await simulation.handle({ ...post("responses", responses(body)), path }, 0);
    const parsed = parseJson(outcome.frames.join(""));
    const answer = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    return { status: outcome.status, answer, output: outputOf(answer), record: simulation.requests().at(-1) };
  };
  return { simulation, send };
}

function outputOf({ output }: Body): readonly Body[] {
  return Array.isArray(output) ? output : [];
}

const typesOf = (output: readonly Body[]) => output.map(({ type }) => type);
const managed = (compact_threshold: number | null) => ({
  context_management: [{ type: "compaction", compact_threshold }],
});
const long = user(tokens(3_000));

describe("PROTOCOLS B.4: a compaction at a threshold", () => {
  test("below it nothing happens; from it on the answer begins with the item, and usage counts both passes", async () => {
    const { send } = service();
    expect(typesOf((await send({ input: [user("x")], ...managed(3_000) })).output)).toEqual(["reasoning", "message"]);
    const { answer, output, record } = await send({ input: [long], ...managed(3_000) });
    expect(typesOf(output)).toEqual(["compaction", "reasoning", "message"]);
    expect(output[0]).toEqual({
      type: "compaction",
      id: expect.stringMatching(/^cmp_/),
      encrypted_content: expect.any(String),
    });
    expect(answer).toMatchObject({ status: "completed", usage: { input_tokens: record?.promptTokens } });
    expect(record?.promptTokens).toBeGreaterThan(6_000);
  });

  test("without a threshold it is due at four fifths of the window", async () => {
    const { send } = service();
    const first = async (count: number) =>
      (await send({ model: "sim-responses-small", input: [user(tokens(count))], ...managed(null) })).output[0]?.type;
    expect([await first(25_500), await first(25_600)]).toEqual(["reasoning", "compaction"]);
  });

  test("work before the item is not rendered any more, messages of the user and the developer are; the model reads the summary", async () => {
    const seen: string[] = [];
    const { send } = service([], (request) => {
      seen.push(JSON.stringify(request.messages));
      return { text: "ok" };
    });
    const work = [
      { role: "developer", content: "be brief" },
      user("first wish"),
      fnCall("a"),
      fnOutput("a", { output: tokens(3_000) }),
    ];
    const { output } = await send({ input: work, tools: [fn("read")], ...managed(3_000) });
    expect(seen.at(-1)).toContain("The user asked: first wish");
    expect(seen.at(-1)).not.toContain(tokens(100));
    const { record } = await send({ input: [...work, ...output, user("go on")], tools: [fn("read")] });
    expect(record?.promptTokens).toBeLessThan(2_000);
    const kinds = record?.segments.map(({ role, kind }) => `${role} ${kind}`);
    expect(kinds).toEqual([
      "tools tool",
      "system system",
      "user text",
      "assistant summary",
      "assistant text",
      "user text",
    ]);
  });

  test("reasoning behind it stays valid, whether what stood before it is still sent or not; not behind another list of tools", async () => {
    const { send } = service();
    const { output } = await send({ input: [long, assistant("y"), user("z")], ...managed(3_000) });
    const tail = [...output, user("go on")];
    for (const items of [[long, assistant("y"), user("z"), ...tail], [user("z"), ...tail], tail]) {
      const next = await send({ input: items });
      expect([next.status, next.answer.input_transformations]).toEqual([200, []]);
      expect(next.record?.segments.some(({ kind }) => kind === "reasoning")).toBe(true);
    }
    const { record } = await send({ input: tail, tools: [fn("read")] });
    expect(record?.violation?.rule).toBe("reasoning-bound");
  });

  test("the stream says that it compacts before the item is done", async () => {
    const { simulation } = service();
    const body = responses({ input: [long], stream: true, ...managed(3_000) });
    const { frames } = await simulation.handle(post("responses", body), 0);
    const types = frames.map((frame) => /^event: (\S+)/.exec(frame)?.[1]);
    expect(types.slice(2, 6)).toEqual([
      "response.output_item.added",
      "response.compaction.compacting",
      "response.output_item.done",
      "response.output_item.added",
    ]);
    expect(frames[3]).toMatch(/"item_id":"cmp_\w+","output_index":0,"sequence_number":3/);
  });

  test("where no summary could be made the model answers the whole", async () => {
    const { send } = service(["empty"]);
    expect(typesOf((await send({ input: [long], ...managed(3_000) })).output)).toEqual(["reasoning", "message"]);
  });

  test("a diagnosis against an answer before it says that the context was compacted", async () => {
    const { send } = service();
    const before = await send({ input: [long, assistant("y"), user("z")] });
    const { output } = await send({ input: [long, assistant("y"), user("z")], ...managed(3_000) });
    const { answer } = await send({
      input: [...output, user("go on")],
      prompt_cache_options: { comparison_response_id: before.answer.id },
    });
    expect(answer.prompt_cache_diagnostics).toMatchObject({ type: "cache_miss", reason: "context_compacted" });
  });
});

describe("PROTOCOLS B.4: a compaction that is asked for", () => {
  const trigger = { type: "compaction_trigger" };

  test("a trigger gives the item alone", async () => {
    const { send } = service();
    const { output, answer } = await send({ input: [user("x"), assistant("y"), user("z"), trigger] });
    expect([typesOf(output), answer.status]).toEqual([["compaction"], "completed"]);
    expect((await send({ input: [...output, user("go on")] })).status).toBe(200);
  });

  test.each<[SummaryBehaviour, number, string | undefined]>([
    ["empty", 500, undefined],
    ["truncated", 200, "incomplete"],
  ])("a summary that fails (%s) gives no item", async (behaviour, status, said) => {
    const { send } = service([behaviour]);
    const sent = await send({ input: [user("x"), trigger] });
    expect([sent.status, sent.answer.status, typesOf(sent.output)]).toEqual([status, said, []]);
  });

  test("a window is the user's messages and one item; it is the next input as it stands, in the cache from then on", async () => {
    const { simulation, send } = service();
    const made = await send({ input: [user("x")] });
    const items = [
      user([input("one", { prompt_cache_breakpoint: { mode: "explicit" } })]),
      ...made.output,
      user("two"),
    ];
    const { answer, output, record } = await send({ input: items }, "/v1/responses/compact");
    expect(answer).toMatchObject({ object: "response.compaction", usage: { input_tokens: record?.promptTokens } });
    expect(output.slice(0, -1)).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: "one" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "two" }] },
    ]);
    expect(typesOf(output.slice(-1))).toEqual(["compaction"]);
    expect(record?.outputTokens).toBeGreaterThan(10);
    const next = await send({ input: [...output, user("go on")] });
    expect(next.status).toBe(200);
    const more = [...output, user("go on"), ...next.output, user("and on")];
    expect((await send({ input: more })).answer.input_transformations).toEqual([]);
    // A window of a window has one item again.
    const again = await send({ input: more }, "/responses/compact");
    expect(typesOf(again.output)).toEqual(["message", "message", "message", "message", "compaction"]);
    expect(simulation.report().violations).toEqual({});
  });

  test("a window takes no tools, so the cache that was filled with them is not read", async () => {
    const { send } = service();
    const messages = [user(tokens(2_000)), assistant("y"), user("z")];
    await send({ input: messages, tools: [fn("read")] });
    const { record } = await send({ input: messages }, "/v1/responses/compact");
    expect(record?.readTokens).toBe(0);
  });

  test("a window that cannot be made is an error of the service", async () => {
    const { send } = service(["truncated", "tool-call", "empty"]);
    for (const status of [500, 200, 500, 200])
      expect((await send({ input: [user("x")] }, "/v1/responses/compact")).status).toBe(status);
  });

  test("the official SDK compacts and goes on", async () => {
    const { openai } = await start({ brain: withSummaries(thinker) });
    const window = await openai.responses.compact({ model: "gpt-6.2-sol", input: "hello" });
    expect(window.output.map(({ type }) => type)).toEqual(["message", "compaction"]);
    const next = await openai.responses.create({
      model: "gpt-6.2-sol",
      input: [{ role: "user", content: "go on" }],
      context_management: [{ type: "compaction", compact_threshold: 10 }],
    });
    expect(next.output.map(({ type }) => type)).toEqual(["compaction", "reasoning", "message"]);
  });
});
