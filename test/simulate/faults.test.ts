import { describe, expect, test } from "vitest";
import { anthropicHeaders, chatHeaders } from "./builders.ts";
import { ask, brain, functions, hello, start } from "./clients.ts";

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
