import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "../../src/testing/simulate/server.ts";
import { spawnSimulator } from "../../src/testing/simulate/spawn.ts";
import { anthropicHeaders, chatHeaders, mark, text, tokens } from "./builders.ts";

const running: Simulator[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

async function start(options: SimulatorOptions = {}) {
  const simulator = await startSimulator(options);
  running.push(simulator);
  const { url } = simulator;
  const control = async (path: string, body?: unknown) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${url}/_sim/${path}`, sent)).json();
  };
  return {
    url,
    control,
    anthropic: new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0, timeout: 2_000 }),
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0, timeout: 2_000 }),
  };
}

/** One call with everything in it that a decoder can get wrong, then a text. */
const brain: Brain = (request) =>
  request.messages.at(-1)?.parts.some((part) => part.type === "result")
    ? { text: "完了 \u{1f600} done" }
    : {
        reasoning: "I should read the file. \u{1f914}",
        text: "Ich öffne die Datei. \u{1f600}",
        calls: [
          { tool: "Read", input: { path: "a\u{1f600}.txt", note: "zeile\nзвук" } },
          { tool: "Read", input: {} },
        ],
      };

const tools = [{ name: "Read", description: "reads", input_schema: { type: "object" as const } }];
const functions = [{ type: "function" as const, function: { name: "Read", parameters: { type: "object" } } }];
const ask = {
  model: "sim-bound",
  max_tokens: 1_000,
  tools,
  thinking: { type: "adaptive" as const, display: "summarized" as const },
};
const hello = [{ role: "user" as const, content: "hello" }];

describe("the vendors' own SDKs run a tool loop against it", () => {
  test("Anthropic, streamed and whole, say the same", async () => {
    const { anthropic } = await start({ brain });
    const whole = await anthropic.messages.create({ ...ask, messages: hello });
    const streamed = await anthropic.messages.stream({ ...ask, messages: hello }).finalMessage();
    const bare = (message: typeof whole) => message.content.map((block) => ({ ...block, id: 0 }));
    expect(bare(streamed)).toEqual(bare(whole));
    expect(streamed.usage.input_tokens).toBe(whole.usage.input_tokens);
    expect([streamed.stop_reason, whole.stop_reason]).toEqual(["tool_use", "tool_use"]);
    const results = streamed.content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "x" }] : [],
    );
    const next = await anthropic.messages
      .stream({
        ...ask,
        messages: [...hello, { role: "assistant", content: streamed.content }, { role: "user", content: results }],
      })
      .finalMessage();
    expect(next.content.at(-1)).toMatchObject({ type: "text", text: "完了 \u{1f600} done" });
  });

  test("Anthropic's beta route, counting and listing", async () => {
    const { anthropic } = await start({ brain });
    const beta = await anthropic.beta.messages.create({
      ...ask,
      messages: hello,
      betas: ["thinking-binding-controls-2026-08-01"],
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    });
    const counted = await anthropic.messages.countTokens({ model: "sim-bound", tools, messages: hello });
    expect(counted.input_tokens).toBe(beta.usage.input_tokens);
    const models = await anthropic.models.list();
    expect(models.data.find(({ id }) => id === "sim-bound")?.max_input_tokens).toBe(200_000);
  });

  test("OpenAI, streamed and whole, say the same", async () => {
    const { openai } = await start({ brain });
    const params = { model: "sim-reasoner", messages: hello, tools: functions };
    const whole = await openai.chat.completions.create(params);
    const streamed = await openai.chat.completions
      .stream({ ...params, stream_options: { include_usage: true } })
      .finalChatCompletion();
    const said = (completion: typeof whole) => {
      const message = completion.choices[0]?.message;
      const calls = message?.tool_calls?.map((call) => (call.type === "function" ? call.function : null));
      return [
        message?.content,
        calls?.map((call) => [call?.name, call?.arguments]),
        completion.choices[0]?.finish_reason,
      ];
    };
    expect(said(streamed)).toEqual(said(whole));
    expect(streamed.usage?.prompt_tokens).toBe(whole.usage?.prompt_tokens);
    const message = whole.choices[0]?.message;
    const results = (message?.tool_calls ?? []).map(({ id }) => ({
      role: "tool" as const,
      tool_call_id: id,
      content: "x",
    }));
    if (message === undefined) throw new Error("no message");
    const { refusal: _refusal, ...assistant } = message;
    const next = await openai.chat.completions.create({ ...params, messages: [...hello, assistant, ...results] });
    expect(next.choices[0]?.message.content).toBe("完了 \u{1f600} done");
    expect((await openai.models.list()).data.map(({ id }) => id)).toContain("sim-reasoner");
  });

  test("errors arrive as the SDKs' own kinds", async () => {
    const { anthropic, openai, url } = await start({ brain, windowTokens: 500 });
    const long = [{ role: "user" as const, content: tokens(1_000) }];
    await expect(anthropic.messages.create({ model: "sim-plain", max_tokens: 10, messages: long })).rejects.toThrow(
      /prompt is too long: \d+ tokens > 500 maximum/,
    );
    await expect(openai.chat.completions.create({ model: "sim-chat", messages: long })).rejects.toMatchObject({
      status: 400,
      code: "context_length_exceeded",
    });
    await expect(openai.chat.completions.create({ model: "nope", messages: hello })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    const noKey = await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" });
    expect([noKey.status, await noKey.json()]).toMatchObject([
      401,
      { type: "error", error: { type: "authentication_error" } },
    ]);
  });
});

describe("limits of an answer (A.10)", () => {
  const long: Brain = () => ({ text: tokens(400) });

  test("the output limit ends it with max_tokens, and the window with its own reason", async () => {
    const { anthropic } = await start({ brain: long, windowTokens: 300 });
    const one = await anthropic.messages.create({ model: "sim-plain", max_tokens: 50, messages: hello });
    expect([one.stop_reason, one.usage.output_tokens]).toEqual(["max_tokens", 50]);
    const two = await anthropic.messages.create({ model: "sim-plain", max_tokens: 1_000, messages: hello });
    expect(two.stop_reason).toBe("model_context_window_exceeded");
    expect(two.usage.output_tokens + two.usage.input_tokens).toBe(300);
  });

  test("a call that does not fit is not sent in part", async () => {
    const { anthropic } = await start({
      brain: () => ({ text: "go", calls: [{ tool: "Read", input: { path: tokens(100) } }] }),
    });
    const message = await anthropic.messages.create({ model: "sim-plain", max_tokens: 50, tools, messages: hello });
    expect([message.stop_reason, message.content.map(({ type }) => type)]).toEqual(["max_tokens", ["text"]]);
  });

  test("pre-warming writes the cache and says nothing", async () => {
    const { anthropic } = await start({ brain });
    const body = {
      model: "sim-plain",
      messages: [{ role: "user" as const, content: [text(tokens(2_000), mark()) as Anthropic.TextBlockParam] }],
    };
    const warm = await anthropic.messages.create({ ...body, max_tokens: 0 });
    expect([warm.content, warm.usage.cache_creation_input_tokens]).toEqual([[], 2_004]);
    expect((await anthropic.messages.create({ ...body, max_tokens: 10 })).usage.cache_read_input_tokens).toBe(2_004);
  });
});

describe("faults strike the next matching request, once", () => {
  test.each([
    [{ kind: "rate-limit", value: 7 }, 429, /"rate_limit_error"/, "7"],
    [{ kind: "rate-limit" }, 429, /"rate_limit_error"/, null],
    [{ kind: "overloaded" }, 529, /"overloaded_error"/, null],
    [{ kind: "server-error" }, 500, /"api_error"/, null],
    [{ kind: "too-large" }, 413, /^<html>/, null],
    [{ kind: "too-long", value: 210_000 }, 400, /prompt is too long: 210000 tokens > 209790 maximum/, null],
    [{ kind: "bad-request" }, 400, /context/, null],
    [{ kind: "billing" }, 402, /"billing_error"/, null],
    [{ kind: "not-found" }, 404, /"not_found_error"/, null],
  ])("%o", async (fault, status, body, retryAfter) => {
    const { url, control } = await start({ brain });
    await control("faults", fault);
    const send = () =>
      fetch(`${url}/v1/messages`, {
        method: "POST",
        headers: anthropicHeaders,
        body: JSON.stringify({ ...ask, messages: hello }),
      });
    const response = await send();
    expect([response.status, response.headers.get("retry-after")]).toEqual([status, retryAfter]);
    expect(await response.text()).toMatch(body);
    expect((await send()).status).toBe(200);
    expect((await control("report")).faults).toBe(1);
  });

  test("a queue with skip, times and wire", async () => {
    const { url, control } = await start({ brain });
    await control("faults", { faults: [{ kind: "overloaded", skip: 1, times: 2, wire: "chat" }] });
    const send = async (path: string, headers: Record<string, string>, body: unknown) =>
      (await fetch(`${url}/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })).status;
    const chat = () => send("chat/completions", chatHeaders, { model: "sim-chat", messages: hello });
    const other = () => send("messages", anthropicHeaders, { ...ask, messages: hello });
    expect([await chat(), await other(), await chat(), await other(), await chat(), await chat()]).toEqual([
      200, 200, 529, 200, 529, 200,
    ]);
    expect(await control("faults", { kind: "nonsense" })).toMatchObject({
      error: expect.stringContaining("unknown kind"),
    });
  });

  test("a torn connection, a stream torn in mid-event, an error event and an early end all fail the SDK", async () => {
    const { anthropic, control } = await start({ brain });
    const stream = () => anthropic.messages.stream({ ...ask, messages: hello }).finalMessage();
    for (const fault of [
      { kind: "reset" },
      { kind: "cut", value: 1_000 },
      { kind: "stream-error", value: 5 },
      { kind: "early-end", value: 5 },
    ]) {
      await control("faults", fault);
      await expect(stream(), fault.kind).rejects.toThrow();
    }
    expect((await stream()).stop_reason).toBe("tool_use");
  });

  test("a stalled stream sends its part and then nothing", async () => {
    const { url, control } = await start({ brain });
    await control("faults", { kind: "stall", value: 700 });
    const aborted = new AbortController();
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: anthropicHeaders,
      body: JSON.stringify({ ...ask, stream: true, messages: hello }),
      signal: aborted.signal,
    });
    let bytes = 0;
    const read = (async () => {
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (bytes >= 700) aborted.abort();
      }
    })();
    await expect(read).rejects.toThrow();
    expect(bytes).toBe(700);
  });

  test("bytes one by one, and noise between all frames, change nothing that a client reads", async () => {
    const { anthropic, openai, control } = await start({ brain });
    const claude = async () =>
      (await anthropic.messages.stream({ ...ask, messages: hello }).finalMessage()).content.map((block) => ({
        ...block,
        id: 0,
      }));
    const gpt = async () => {
      const stream = openai.chat.completions.stream({ model: "sim-chat", messages: hello, tools: functions });
      return (await stream.finalChatCompletion()).choices[0]?.message.content;
    };
    const plain = [await claude(), await gpt()];
    for (const kind of ["split", "noise"]) {
      await control("faults", { kind, times: 2 });
      expect([await claude(), await gpt()], kind).toEqual(plain);
    }
  });

  test("late, without ids, with odd blocks", async () => {
    const { anthropic, openai, control } = await start({ brain });
    await control("faults", { kind: "late", value: 30 });
    expect((await anthropic.messages.create({ ...ask, messages: hello })).stop_reason).toBe("tool_use");
    const ids = async () =>
      (
        await openai.chat.completions.create({ model: "sim-chat", messages: hello, tools: functions })
      ).choices[0]?.message.tool_calls?.map(({ id }) => id);
    await control("faults", { faults: [{ kind: "call-without-id" }, { kind: "call-with-empty-id" }] });
    expect([await ids(), await ids()]).toEqual([
      [undefined, undefined],
      ["", ""],
    ]);
    await control("faults", { faults: [{ kind: "empty-text" }, { kind: "unknown-block" }] });
    const [empty, odd] = [
      await anthropic.messages.create({ ...ask, messages: hello }),
      await anthropic.messages.create({ ...ask, messages: hello }),
    ];
    expect([empty.content[1], odd.content[1]]).toMatchObject([
      { type: "text", text: "" },
      { type: "simulated_novelty" },
    ]);
    const results = odd.content.flatMap((block) =>
      block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "x" }] : [],
    );
    const back = await anthropic.messages.create({
      ...ask,
      messages: [...hello, { role: "assistant", content: odd.content }, { role: "user", content: results }],
    });
    expect(back.stop_reason).toBe("end_turn");
  });
});

describe("control", () => {
  test("the manual clock moves by request only, and ages the cache", async () => {
    const { anthropic, control } = await start({ brain, clock: "manual" });
    const body = {
      model: "sim-plain",
      max_tokens: 10,
      messages: [{ role: "user" as const, content: [text(tokens(2_000), mark()) as Anthropic.TextBlockParam] }],
    };
    const read = async () => (await anthropic.messages.create(body)).usage.cache_read_input_tokens;
    await read();
    await control("clock", { advanceMs: 299_999 });
    expect(await read()).toBe(2_004);
    await control("clock", { advanceMs: 300_000 });
    expect(await read()).toBe(0);
    const { requests } = await control("requests");
    expect(requests.map((record: { missCause: string | null }) => record.missCause)).toEqual([
      "cold-start",
      null,
      "expired",
    ]);
    expect(JSON.parse(requests[0].body).model).toBe("sim-plain");
    await control("reset", {});
    expect((await control("requests")).requests).toEqual([]);
  });

  test("a body over 32 MB is refused at the edge, and one that is not UTF-8 is no JSON", async () => {
    const { url } = await start();
    const send = (body: Uint8Array<ArrayBuffer>) =>
      fetch(`${url}/v1/messages`, { method: "POST", headers: anthropicHeaders, body });
    const large = await send(new Uint8Array(32 * 1024 * 1024 + 1));
    expect([large.status, large.headers.get("content-type")]).toEqual([413, "text/html"]);
    const bad = await send(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    expect([bad.status, await bad.text()]).toEqual([400, expect.stringContaining("not valid JSON")]);
  });

  test("records stay within their bound and count what was given up", async () => {
    const { url, control } = await start({ brain, recordsMax: 3 });
    for (let n = 0; n < 5; n += 1)
      await fetch(`${url}/v1/messages`, {
        method: "POST",
        headers: anthropicHeaders,
        body: JSON.stringify({ ...ask, messages: hello }),
      });
    const { requests, dropped } = await control("requests");
    expect([requests.map((record: { n: number }) => record.n), dropped]).toEqual([[3, 4, 5], 2]);
    expect((await control("report")).requests).toBe(5);
  });
});

test("as its own process it prints its address, drives a client's own tool, and ends on a signal", async () => {
  const simulator = await spawnSimulator(["--rounds", "1", "--clock", "manual", "--window", "5000"]);
  const anthropic = new Anthropic({ baseURL: simulator.url, apiKey: "k", maxRetries: 0 });
  const read = {
    name: "read",
    description: "reads",
    input_schema: { type: "object" as const, properties: { filePath: { type: "string" } }, required: ["filePath"] },
  };
  const message = await anthropic.messages.create({
    model: "sim-plain",
    max_tokens: 100,
    tools: [read],
    messages: hello,
  });
  expect(message.content.at(-1)).toMatchObject({ type: "tool_use", name: "read", input: { filePath: "hello.txt" } });
  await simulator.stop();
  await expect(fetch(simulator.url)).rejects.toThrow();
  await expect(spawnSimulator(["--nonsense", "1"])).rejects.toThrow(/did not start/);
});
