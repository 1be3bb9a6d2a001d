import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { spawnSimulator } from "../../src/testing/simulate/spawn.ts";
import { anthropicHeaders, mark, text, tokens } from "./builders.ts";
import { ask, brain, functions, hello, start, tools } from "./clients.ts";

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

test("a script and a brain from files answer for the model", async () => {
  const folder = mkdtempSync(join(tmpdir(), "simulate-"));
  const script = join(folder, "script.json");
  writeFileSync(script, JSON.stringify([{ text: "one" }, { calls: [{ tool: "Read", input: { n: 2 } }] }]));
  const brainFile = join(folder, "brain.mjs");
  writeFileSync(
    brainFile,
    'export default (request) => ({ text: request.system[0] + " " + request.messages.length });',
  );
  const log = join(folder, "log.jsonl");
  const [scripted, thinking] = await Promise.all([
    spawnSimulator(["--script", script, "--log", log]),
    spawnSimulator(["--brain", brainFile]),
  ]);
  const say = async (url: string) =>
    (
      await new Anthropic({ baseURL: url, apiKey: "k", maxRetries: 0 }).messages.create({
        model: "sim-plain",
        max_tokens: 100,
        system: "s",
        tools,
        messages: hello,
      })
    ).content;
  expect(await say(scripted.url)).toMatchObject([{ text: "one" }]);
  expect(await say(scripted.url)).toMatchObject([{ type: "tool_use", input: { n: 2 } }]);
  expect(await say(scripted.url)).toMatchObject([{ text: "The script is at its end." }]);
  expect(await say(thinking.url)).toMatchObject([{ text: "s 1" }]);
  await Promise.all([scripted.stop(), thinking.stop()]);
  expect(
    readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).n),
  ).toEqual([1, 2, 3]);
  rmSync(folder, { recursive: true });
});
