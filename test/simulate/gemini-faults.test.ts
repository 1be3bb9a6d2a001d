import { GoogleGenAI } from "@google/genai";
import { describe, expect, test } from "vitest";
import { brain, start } from "./clients.ts";
import { declared, geminiHeaders, postGemini, says } from "./gemini-builders.ts";

const body = {
  contents: [says("hello")],
  tools: [declared("Read")],
  generationConfig: { thinkingConfig: { includeThoughts: true } },
};

async function service() {
  const { url, control } = await start({ brain });
  const send = (action = "generateContent", more: RequestInit = {}) => {
    const { path, headers } = postGemini(body, action);
    return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body), ...more });
  };
  const ai = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url, timeout: 10_000 } });
  const stream = async () => {
    const parts = [];
    const reasons = [];
    const tools = [{ functionDeclarations: [{ name: "Read", description: "d" }] }];
    const config = { tools, thinkingConfig: { includeThoughts: true } };
    for await (const chunk of await ai.models.generateContentStream({
      model: "sim-gemini",
      contents: "hello",
      config,
    })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      reasons.push(chunk.candidates?.[0]?.finishReason);
    }
    return { parts, reason: reasons.at(-1) };
  };
  return { url, control, send, stream };
}

describe("faults in the shape of the Gemini service", () => {
  test.each([
    [{ kind: "rate-limit", value: 7 }, 429, "RESOURCE_EXHAUSTED", "7s"],
    [{ kind: "rate-limit" }, 429, "RESOURCE_EXHAUSTED", undefined],
    [{ kind: "overloaded" }, 503, "UNAVAILABLE", undefined],
    [{ kind: "unavailable", value: 3 }, 503, "UNAVAILABLE", "3s"],
    [{ kind: "server-error" }, 500, "INTERNAL", undefined],
    [{ kind: "too-long", value: 210_000 }, 400, "INVALID_ARGUMENT", undefined],
    [{ kind: "bad-request" }, 400, "INVALID_ARGUMENT", undefined],
    [{ kind: "billing" }, 400, "FAILED_PRECONDITION", undefined],
    [{ kind: "forbidden" }, 403, "PERMISSION_DENIED", undefined],
    [{ kind: "not-found" }, 404, "NOT_FOUND", undefined],
  ])("%o", async (fault, code, status, wait) => {
    const { control, send } = await service();
    await control("faults", { ...fault, wire: "gemini" });
    const refused = await send();
    const { error } = await refused.json();
    expect([refused.status, error.code, error.status]).toEqual([code, code, status]);
    expect(error.details?.[0]?.retryDelay).toBe(wait);
    expect(refused.headers.get("retry-after")).toBeNull();
    if (fault.kind === "too-long") expect(error.message).toMatch(/input token count \(210000\) exceeds .* \(209790\)/);
    expect((await send()).status).toBe(200);
  });

  test("a prompt larger than the window is refused in the same words, and too large a body at the edge", async () => {
    const { url, control } = await start({ brain, windowTokens: 100 });
    const { path } = postGemini(body);
    const send = () => fetch(`${url}${path}`, { method: "POST", headers: geminiHeaders, body: JSON.stringify(body) });
    expect((await (await send()).json()).error.message).toMatch(/^The input token count \(\d+\) exceeds the maximum/);
    expect((await control("report")).overflows).toBe(1);
    await control("faults", { kind: "too-large" });
    expect(await (await send()).text()).toMatch(/^<html>/);
  });

  test("a torn connection, a stream torn in mid-event and failures in mid-stream fail the SDK", async () => {
    const { control, stream } = await service();
    for (const kind of ["reset", "cut", "stream-error", "stream-failed", "stream-overflow"]) {
      await control("faults", kind === "cut" ? { kind, value: 500 } : { kind, value: 2 });
      await expect(stream(), kind).rejects.toThrow();
    }
    expect((await stream()).reason).toBe("STOP");
  });

  test("an early end leaves out the reason, however short the stream", async () => {
    const { control, stream } = await service();
    for (const fault of [{ kind: "early-end" }, { kind: "early-end", value: 99 }]) {
      await control("faults", fault);
      expect((await stream()).reason).toBeUndefined();
    }
  });

  test("bytes one by one, late ones, and noise between all chunks change nothing that a client reads", async () => {
    const { control, send, stream } = await service();
    const read = async () =>
      (await stream()).parts.map(({ thoughtSignature: _seal, functionCall, ...rest }) => [rest, functionCall?.args]);
    const plain = await read();
    for (const kind of ["split", "late", "noise"]) {
      await control("faults", kind === "split" ? { kind, value: 3 } : { kind });
      expect(await read(), kind).toEqual(plain);
    }
    await control("faults", { kind: "noise" });
    const text = await (await send("streamGenerateContent?alt=sse")).text();
    expect(text).toMatch(/: keep-alive\r\n\r\ndata: \{"candidates":\[\],"simulatedUnknown"/);
    expect(text).not.toMatch(/finishReason[\s\S]*simulatedUnknown/);
  });

  test("a failure in a list is its last element", async () => {
    const { control, send } = await service();
    await control("faults", { kind: "stream-error", value: 2 });
    const chunks = await (await send("streamGenerateContent")).json();
    expect([chunks.length, chunks.at(-1).error.status]).toEqual([3, "UNAVAILABLE"]);
  });

  test("without ids, with empty ones, with odd parts that come back as they were", async () => {
    const { url, control, send } = await service();
    const parts = async (kind: string) => {
      await control("faults", { kind });
      return (await (await send()).json()).candidates[0].content.parts;
    };
    const ids = (some: readonly { functionCall?: { id?: string } }[]) =>
      some.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.id]));
    expect(ids(await parts("call-without-id"))).toEqual([undefined, undefined]);
    expect(ids(await parts("call-with-empty-id"))).toEqual(["", ""]);
    for (const [kind, odd] of [
      ["empty-text", { text: "" }],
      ["unknown-block", { simulated_novelty: { payload: { b: 1, a: [" é "] } } }],
    ] as const) {
      const sent = await parts(kind);
      expect(sent).toContainEqual(odd);
      const answers = ids(sent).map((id) => ({ functionResponse: { id, name: "Read", response: { output: "x" } } }));
      const contents = [...body.contents, { role: "model", parts: sent }, { role: "user", parts: answers }];
      const next = { method: "POST", headers: geminiHeaders, body: JSON.stringify({ ...body, contents }) };
      const back = await fetch(`${url}${postGemini(body).path}`, next);
      expect(back.status, await back.text()).toBe(200);
    }
  });
});
