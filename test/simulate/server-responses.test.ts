import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { echoToolsBrain } from "../../src/testing/simulate/brains.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type Body, chatHeaders, post, responses, tokens } from "./builders.ts";
import { brain, start } from "./clients.ts";

type Input = OpenAI.Responses.ResponseInputItem;
type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;

const tools = [{ type: "function" as const, name: "Read", parameters: { type: "object" }, strict: false }];
const ask = {
  model: "sim-responses",
  tools,
  store: false,
  include: ["reasoning.encrypted_content" as const],
  reasoning: { summary: "auto" as const },
  input: [{ role: "user" as const, content: "hello" }],
} satisfies Params;
const outputs = (response: OpenAI.Responses.Response): readonly Input[] =>
  response.output.flatMap((item) =>
    item.type === "function_call"
      ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "x" }]
      : [],
  );

/** The output without what differs from answer to answer. */
const said = (response: OpenAI.Responses.Response) =>
  response.output.map((item) => ({
    ...item,
    id: 0,
    call_id: 0,
    encrypted_content: 0,
    parsed_arguments: 0,
    content: "content" in item ? item.content?.map((part) => ({ ...part, parsed: null })) : 0,
  }));

describe("the vendor's own SDK runs a tool loop on the Responses wire", () => {
  test("streamed and whole say the same, and what was said goes back", async () => {
    const { openai } = await start({ brain });
    const whole = await openai.responses.create(ask);
    const streamed = await openai.responses.stream(ask).finalResponse();
    expect(said(streamed)).toEqual(said(whole));
    expect(streamed.usage?.input_tokens).toBe(whole.usage?.input_tokens);
    expect([whole.status, whole.output.map(({ type }) => type)]).toEqual([
      "completed",
      ["reasoning", "message", "function_call", "function_call"],
    ]);
    const hello: readonly Input[] = [{ role: "user", content: "hello" }];
    // Parsed members are the SDK's own.
    const back = whole.output as readonly Input[];
    const next = await openai.responses.create({ ...ask, input: [...hello, ...back, ...outputs(whole)] });
    expect(next.output_text).toBe("完了 \u{1f600} done");
    expect(next.usage?.input_tokens_details.cached_tokens).toBe(0);
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain("sim-responses");
    const counted = await openai.responses.inputTokens.count({ model: "sim-responses", tools, input: [...hello] });
    expect(counted).toMatchObject({ object: "response.input_tokens", input_tokens: whole.usage?.input_tokens });
  });

  test("a conversation on a model with stored answers, without a word about encrypted content", async () => {
    const { openai } = await start({ brain });
    const input: Input[] = [{ role: "user", content: "hello" }];
    const params = { model: "gpt-5.5", tools };
    const one = await openai.responses.create({ ...params, input });
    input.push(...(one.output as readonly Input[]), ...outputs(one));
    expect((await openai.responses.create({ ...params, input })).output_text).toContain("done");
  });

  test("errors arrive as the SDK's own kinds, and what is not played says so", async () => {
    const { openai } = await start({ brain, windowTokens: 500 });
    const refused = async (more: Body) =>
      openai.responses.create({ ...ask, ...more } as Params).then(
        () => null,
        (error: { readonly status: unknown; readonly code: unknown; readonly param: unknown }) => [
          error.status,
          error.code,
          error.param,
        ],
      );
    expect(await refused({ input: tokens(1_000) })).toEqual([400, "context_length_exceeded", "input"]);
    expect(await refused({ model: "nope" })).toEqual([400, "model_not_found", "model"]);
    expect(await refused({ previous_response_id: "resp_1" })).toEqual([400, "not_played", "previous_response_id"]);
  });
});

describe("the stream's grammar (B.6)", () => {
  async function eventsOf(body: Body, answer = brain) {
    const simulation = createSimulation({ brain: answer });
    const outcome = await simulation.handle(post("responses", responses({ ...body, stream: true })), 0);
    return outcome.frames.map((frame) => {
      const [, name, json] = /^event: (.*)\ndata: (.*)\n\n$/s.exec(frame) ?? [];
      const data = JSON.parse(json ?? "null");
      expect(data.type).toBe(name);
      return data;
    });
  }

  test("numbers run on, each item opens and closes, deltas add up to what is done", async () => {
    const events = await eventsOf({ tools, reasoning: { summary: "auto" } });
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const types = events.map((event) => event.type.replace("response.", ""));
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      ...Array.from({ length: 2 }, () => [
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
      ]).flat(),
      "completed",
    ]);
    const done = events.find((event) => event.type === "response.output_text.done");
    const deltas = events.filter((event) => event.type === "response.output_text.delta");
    expect(deltas.map((event) => event.delta).join("")).toBe(done.text);
  });

  test("only a finished reasoning item has all of its encrypted content", async () => {
    const [added, done] = (await eventsOf({ tools }))
      .filter((event) => event.item?.type === "reasoning")
      .map((event) => event.item.encrypted_content);
    expect(done.startsWith(added)).toBe(true);
    expect(added.length).toBeLessThan(done.length);
  });

  test("custom tools get text, those in a namespace say which", async () => {
    const exec = { type: "namespace", name: "functions", description: "", tools: [{ type: "custom", name: "exec" }] };
    const input = [
      { type: "additional_tools", role: "developer", tools: [exec] },
      { role: "user", content: "x" },
    ];
    const events = await eventsOf({ model: "gpt-6-sol", input }, (request) => ({
      calls: [{ tool: request.tools[0]?.name ?? "none", input: request.tools[0]?.schema === null ? "text(1)" : {} }],
    }));
    expect(events.at(-1).response.output).toMatchObject([
      { type: "custom_tool_call", name: "exec", namespace: "functions", input: "text(1)" },
    ]);
    expect(events.some((event) => event.type === "response.custom_tool_call_input.done")).toBe(true);
  });

  test("the echo brain drives a client whose only tool takes code, added by an item, as codex does", async () => {
    const exec = { type: "custom", name: "exec", description: "Run JavaScript code" };
    const added = { type: "additional_tools", role: "developer", tools: [exec] };
    const input: unknown[] = [added, { role: "developer", content: "d" }, { role: "user", content: "x" }];
    for (const round of [1, 2]) {
      const { output } = (await eventsOf({ model: "gpt-6-sol", input }, echoToolsBrain())).at(-1).response;
      const call = output.at(-1);
      expect(call, `${round}`).toMatchObject({
        type: "custom_tool_call",
        input: expect.stringContaining("cat hello.txt"),
      });
      input.push(...output, {
        type: "custom_tool_call_output",
        call_id: call.call_id,
        output: [{ type: "input_text", text: "hi" }],
      });
    }
    const last = (await eventsOf({ model: "gpt-6-sol", input }, echoToolsBrain())).at(-1).response.output;
    expect(last).toMatchObject([{ type: "message", content: [{ text: "Done after 2 tool results: hi" }] }]);
  });

  test("a limit ends it as incomplete, a refusal is a part of its own, raw items come as they are", async () => {
    const cut = await eventsOf({ max_output_tokens: 16 }, () => ({ text: tokens(50) }));
    expect(cut.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { incomplete_details: { reason: "max_output_tokens" }, usage: { output_tokens: 16 } },
    });
    const refused = await eventsOf({}, () => ({ stop: "refusal" }));
    expect(refused.at(-1).response.output[0].content[0].type).toBe("refusal");
    expect(refused.some((event) => event.type === "response.refusal.done")).toBe(true);
    const raw = await eventsOf({}, () => ({ raw: [{ type: "simulated", payload: 1 }], text: "x" }));
    expect(raw.at(-1).response.output[0]).toMatchObject({ type: "simulated", payload: 1 });
  });
});

describe("faults on the Responses wire", () => {
  const streamed = async (url: string, more: Body = {}) =>
    (
      await fetch(`${url}/v1/responses`, {
        method: "POST",
        headers: chatHeaders,
        body: JSON.stringify(responses({ tools, stream: true, ...more })),
      })
    ).text();

  test.each([
    ["too-long", 400, { type: "invalid_request_error", code: "context_length_exceeded", param: "input" }],
    ["bad-request", 400, { type: "invalid_request_error", code: null }],
    ["server-error", 500, { type: "server_error" }],
    ["unavailable", 503, { type: "server_error" }],
    ["rate-limit", 429, { message: expect.stringContaining("rate limit") }],
    ["not-found", 404, { code: null }],
  ])("%s has the service's own shape, and strikes once", async (kind, status, error) => {
    const { openai, control } = await start({ brain });
    await control("faults", { faults: [{ kind, wire: "responses" }] });
    await expect(openai.responses.create(ask)).rejects.toMatchObject({ status, error });
    expect((await openai.responses.create(ask)).status).toBe("completed");
  });

  test.each([
    ["stream-error", /event: error\ndata: \{"type":"error","code":"server_error","message":"Overloaded"/],
    ["stream-failed", /"type":"response.failed".*"error":\{"code":"server_error".*"status":"failed"/],
    ["stream-overflow", /"type":"response.failed".*"error":\{"code":"context_length_exceeded"/],
  ])("%s is the last event, numbered on", async (kind, last) => {
    const { url, control, openai } = await start({ brain });
    await control("faults", { kind, value: 5, times: 2 });
    const frames = (await streamed(url)).trim().split("\n\n");
    expect(frames).toHaveLength(6);
    expect(frames.at(-1)).toMatch(last);
    expect(frames.at(-1)).toContain('"sequence_number":5');
    const events: string[] = [];
    const read = async () => {
      for await (const event of await openai.responses.create({ ...ask, stream: true })) events.push(event.type);
    };
    if (kind === "stream-error") await expect(read()).rejects.toThrow("Overloaded");
    else await read().then(() => expect(events.at(-1)).toBe("response.failed"));
  });

  test("torn, stalled and early ends leave no last event", async () => {
    const { url, control } = await start({ brain });
    await control("faults", {
      faults: [{ kind: "early-end", value: 6 }, { kind: "cut", value: 3_000 }, { kind: "reset" }],
    });
    expect((await streamed(url)).trim().split("\n\n")).toHaveLength(6);
    await expect(streamed(url)).rejects.toThrow();
    await expect(streamed(url)).rejects.toThrow();
    expect(await streamed(url)).toContain("response.completed");
  });

  test("bytes one by one, noise between all frames, and lateness change nothing that a client reads", async () => {
    const { openai, control } = await start({ brain });
    // The SDK's own collecting helper refuses unknown events; its plain iterator passes them on.
    const read = async () => {
      const ends: OpenAI.Responses.Response[] = [];
      for await (const event of await openai.responses.create({ ...ask, stream: true }))
        if (event.type === "response.completed") ends.push(event.response);
      return ends.map(said);
    };
    const plain = await read();
    for (const kind of ["split", "noise", "late"]) {
      await control("faults", { kind });
      expect(await read(), kind).toEqual(plain);
    }
  });

  test("calls without ids, and odd items that come back as they were sent", async () => {
    const { openai, control } = await start({ brain });
    const ids = async () =>
      (await openai.responses.create(ask)).output.flatMap((item) =>
        item.type === "function_call" ? [item.call_id] : [],
      );
    await control("faults", { faults: [{ kind: "call-without-id" }, { kind: "call-with-empty-id" }] });
    expect([await ids(), await ids()]).toEqual([
      [undefined, undefined],
      ["", ""],
    ]);
    await control("faults", { faults: [{ kind: "empty-text" }, { kind: "unknown-block" }] });
    const [empty, odd] = [await openai.responses.create(ask), await openai.responses.create(ask)];
    expect([empty.output[1], odd.output[1]]).toMatchObject([
      { type: "message", content: [{ text: "" }] },
      { type: "simulated_novelty" },
    ]);
    for (const response of [empty, odd]) {
      const input = [
        { role: "user" as const, content: "hello" },
        ...(response.output as readonly Input[]),
        ...outputs(response),
      ];
      expect((await openai.responses.create({ ...ask, input })).output_text).toContain("done");
    }
  });
});
