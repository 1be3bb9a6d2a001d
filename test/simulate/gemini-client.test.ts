import { type Content, FunctionCallingConfigMode, GoogleGenAI, type Part, ThinkingLevel, Type } from "@google/genai";
import { describe, expect, test } from "vitest";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { tokens } from "./builders.ts";
import { brain, start } from "./clients.ts";
import { geminiHeaders, says } from "./gemini-builders.ts";

const hello: Content[] = [{ role: "user", parts: [{ text: "hello" }] }];
const config = {
  tools: [{ functionDeclarations: [{ name: "Read", description: "reads", parametersJsonSchema: { type: "object" } }] }],
  thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW },
};

async function client(options: Parameters<typeof start>[0] = {}) {
  const { url, control } = await start({ brain, ...options });
  const ai = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: url, timeout: 2_000 } });
  const stream = async (model: string, contents: Content[]) => {
    const parts: Part[] = [];
    const reasons: unknown[] = [];
    let usage: unknown;
    for await (const chunk of await ai.models.generateContentStream({ model, contents, config })) {
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
      reasons.push(chunk.candidates?.[0]?.finishReason);
      usage = chunk.usageMetadata;
    }
    return { parts, reasons, usage };
  };
  const whole = async (model: string, contents: Content[]) => {
    const { candidates, usageMetadata } = await ai.models.generateContent({ model, contents, config });
    return {
      parts: candidates?.[0]?.content?.parts ?? [],
      reasons: [candidates?.[0]?.finishReason],
      usage: usageMetadata,
    };
  };
  return { url, control, ai, stream, whole };
}

const answersTo = (parts: readonly Part[]): Content => ({
  role: "user",
  parts: parts.flatMap(({ functionCall: call }) =>
    call === undefined
      ? []
      : [
          {
            functionResponse: {
              name: call.name ?? "",
              response: { output: "x" },
              ...(call.id === undefined ? {} : { id: call.id }),
            },
          },
        ],
  ),
});
const said = (parts: readonly Part[]) => ({
  thoughts: parts.flatMap(({ text, thought }) => (thought === true ? [text] : [])).join(""),
  text: parts.flatMap(({ text, thought }) => (thought === true ? [] : [text])).join(""),
  calls: parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [[call.name, call.args]])),
});

describe("Google's own SDK runs a tool loop against it (STACK 5, C.2)", () => {
  test.each(["gemini-4-argon", "gemini-3.8-flash", "gemini-3.1-pro-preview", "sim-gemini", "sim-gemini-small"])(
    "%s, streamed and whole",
    async (model) => {
      const { stream, whole } = await client();
      const [one, two] = [await whole(model, hello), await stream(model, hello)];
      expect(said(two.parts)).toEqual(said(one.parts));
      expect(said(one.parts)).toEqual({
        thoughts: "I should read the file. 🤔",
        text: "Ich öffne die Datei. 😀",
        calls: [
          ["Read", { path: "a😀.txt", note: "zeile\nзвук" }],
          ["Read", {}],
        ],
      });
      expect(two.usage).toEqual(one.usage);
      expect([one.reasons, two.reasons.filter(Boolean)]).toEqual([["STOP"], ["STOP"]]);
      for (const [run, { parts }] of [
        [whole, one],
        [stream, two],
      ] as const) {
        const signatures = parts.flatMap((part) => (part.functionCall === undefined ? [] : [part.thoughtSignature]));
        expect(signatures.map((signature) => signature !== undefined)).toEqual([true, false]);
        expect(parts.some(({ functionCall }) => functionCall?.id !== undefined)).toBe(
          model.startsWith("gemini-4") || model === "sim-gemini",
        );
        const contents: Content[] = [...hello, { role: "model", parts }, answersTo(parts)];
        const done = await run(model, contents);
        expect(said(done.parts).text).toBe("完了 😀 done");
        expect(done.parts.at(-1)?.thoughtSignature).toBeDefined();
        const next = await run(model, [...contents, { role: "model", parts: done.parts }, ...hello]);
        expect(said(next.parts).calls).toHaveLength(2);
      }
    },
  );

  test("2.5 signs nothing and names no call", async () => {
    const { ai } = await client();
    const { tools } = config;
    const response = await ai.models.generateContent({
      model: "gemini-2.5-flash",
      contents: "hello",
      config: { tools, thinkingConfig: { thinkingBudget: 0 } },
    });
    const parts = response.candidates?.[0]?.content?.parts ?? [];
    expect(parts.map((part) => Object.keys(part))).toEqual([["text"], ["functionCall"], ["functionCall"]]);
    expect(Object.keys(parts[1]?.functionCall ?? {})).toEqual(["name", "args"]);
    expect(response.usageMetadata?.thoughtsTokenCount).toBeUndefined();
  });

  test("the SDK's own chat keeps the history of a stream in a form that is accepted", async () => {
    const { ai } = await client();
    const chat = ai.chats.create({ model: "gemini-4-argon", config });
    const parts: Part[] = [];
    for await (const chunk of await chat.sendMessageStream({ message: "hello" }))
      parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    const done = await chat.sendMessage({ message: answersTo(parts).parts ?? [] });
    expect(done.text).toBe("完了 😀 done");
  });

  test("a signature lost, altered or another model's is refused in the words of the service", async () => {
    const { ai, whole } = await client();
    const { parts } = await whole("gemini-4-argon", hello);
    const send = (model: string, changed: Part[]) =>
      ai.models.generateContent({
        model,
        contents: [...hello, { role: "model", parts: changed }, answersTo(parts)],
        config,
      });
    const lost = parts.map(({ thoughtSignature: _lost, ...part }) => part);
    await expect(send("gemini-4-argon", lost)).rejects.toThrow(/missing a thought_signature in functionCall parts/);
    await expect(send("gemini-4-neon", parts)).rejects.toThrow(/Corrupted thought signature/);
    const joined = parts.map((part) =>
      part.functionCall === undefined ? part : { ...part, functionCall: { ...part.functionCall, args: { a: 1 } } },
    );
    await expect(send("gemini-4-argon", joined)).rejects.toThrow(/changed, merged, split or moved/);
    await expect(
      send(
        "gemini-4-argon",
        parts.filter(({ text }) => text === undefined),
      ),
    ).rejects.toThrow(/merged, split/);
    const dummy = lost.map((part, at) =>
      at === 2 ? { ...part, thoughtSignature: "skip_thought_signature_validator" } : part,
    );
    await expect(send("gemini-4-argon", dummy)).resolves.toBeDefined();
  });

  test("an account without binding looks only at who signed", async () => {
    const { ai, whole } = await client({ binding: "off" });
    const { parts } = await whole("gemini-4-argon", hello);
    const changed = parts.filter(({ text }) => text === undefined);
    const contents = [...hello, { role: "model", parts: changed }, answersTo(parts)];
    await expect(ai.models.generateContent({ model: "gemini-4-argon", contents, config })).resolves.toBeDefined();
  });
});

describe("what else is asked of the service", () => {
  test("models are listed with their limits and methods, and counting agrees with the prompt", async () => {
    const { ai } = await client();
    const listed = [];
    for await (const model of await ai.models.list()) listed.push(model);
    expect(listed.map(({ name }) => name)).toContain("models/gemini-4-argon");
    expect(
      listed.every(({ name }) => name?.startsWith("models/gemini-") || name?.startsWith("models/sim-gemini")),
    ).toBe(true);
    expect(await ai.models.get({ model: "gemini-4-argon" })).toMatchObject({
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedActions: ["generateContent", "countTokens"],
    });
    await expect(ai.models.get({ model: "nope" })).rejects.toMatchObject({ status: 404 });
    const contents = says("x", tokens(50)) as Content;
    const counted = await ai.models.countTokens({ model: "sim-gemini", contents });
    const answer = await ai.models.generateContent({ model: "sim-gemini", contents });
    expect(counted.totalTokens).toBe(answer.usageMetadata?.promptTokenCount);
  });

  test("counting takes a whole request as well, and an unfinished one", async () => {
    const { url } = await client();
    const count = async (body: unknown) => {
      const init = { method: "POST", headers: geminiHeaders, body: JSON.stringify(body) };
      return (await fetch(`${url}/v1beta/models/sim-gemini:countTokens`, init)).json();
    };
    const contents = [says("x"), { role: "model", parts: [{ text: "y" }] }];
    const { totalTokens } = await count({ contents });
    const systemInstruction = { parts: [{ text: tokens(10) }] };
    const whole = await count({ generateContentRequest: { model: "models/sim-gemini", contents, systemInstruction } });
    expect(whole.totalTokens).toBe(totalTokens + 14);
    expect(await count({ messages: [] })).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
  });

  test("a key in the address is a key, none is refused, and unknown paths are answered in Google's shape", async () => {
    const { url } = await start({ brain });
    const send = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${url}${path}`, init);
      return [response.status, (await response.json()).error?.status];
    };
    const post = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ contents: hello }),
    };
    expect(await send("/v1beta/models/sim-gemini:generateContent?key=k", post)).toEqual([200, undefined]);
    expect(await send("/v1/models/sim-gemini:generateContent?key=k", post)).toEqual([200, undefined]);
    expect(await send("/v1/models?key=k")).toEqual([200, undefined]);
    expect(await send("/v1beta/models/sim-gemini:generateContent", post)).toEqual([403, "PERMISSION_DENIED"]);
    expect(await send("/v1beta/models/nope:generateContent?key=k", post)).toEqual([404, "NOT_FOUND"]);
    for (const path of ["/v1beta/files", "/v1beta/corpora/x", "/v1beta/models/sim-gemini:embedContent", "/nothing"])
      expect(await send(`${path}?key=k`), path).toEqual([404, "NOT_FOUND"]);
  });

  test("without alt=sse a stream is one JSON list", async () => {
    const { url } = await client();
    const response = await fetch(`${url}/v1beta/models/sim-gemini:streamGenerateContent`, {
      method: "POST",
      headers: geminiHeaders,
      body: JSON.stringify({ contents: hello }),
    });
    const chunks = await response.json();
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.at(-1).candidates[0].finishReason).toBe("STOP");
  });
});

describe("limits and shapes of an answer", () => {
  const long: Brain = () => ({ text: tokens(400), reasoning: tokens(100) });

  test("thoughts count for themselves, the output limit ends an answer, and shared windows are shared", async () => {
    const { ai } = await client({ brain: long, windowTokens: 300 });
    const ask = (model: string, maxOutputTokens: number) =>
      ai.models.generateContent({ model, contents: "x", config: { maxOutputTokens } });
    const one = await ask("gemini-3.8-flash", 1_000);
    expect(one.usageMetadata).toMatchObject({ thoughtsTokenCount: 100, candidatesTokenCount: 400 });
    expect(one.usageMetadata?.totalTokenCount).toBe((one.usageMetadata?.promptTokenCount ?? 0) + 500);
    const two = await ask("gemini-3.8-flash", 150);
    expect([two.candidates?.[0]?.finishReason, two.usageMetadata?.candidatesTokenCount]).toEqual(["MAX_TOKENS", 50]);
    const shared = await ask("gemini-4-argon", 1_000);
    expect([shared.candidates?.[0]?.finishReason, shared.usageMetadata?.totalTokenCount]).toEqual(["MAX_TOKENS", 300]);
    const nothing = await ask("gemini-4-argon", 50);
    expect(nothing.candidates?.[0]?.content?.parts).toBeUndefined();
  });

  test("an answer that has to be JSON is, whatever the brain says; a refusal has its own reason", async () => {
    const { ai } = await client({
      brain: ({ served }) => (served === 0 ? { text: "no" } : { text: "no", stop: "refusal" }),
    });
    const responseSchema = { type: "OBJECT", properties: { ok: { type: "BOOLEAN" } }, required: ["ok"] };
    const asked = { responseMimeType: "application/json", responseSchema };
    const json = await ai.models.generateContent({ model: "sim-gemini", contents: "x", config: asked });
    expect(JSON.parse(json.text ?? "")).toEqual({ ok: false });
    const refused = await ai.models.generateContent({ model: "sim-gemini", contents: "x" });
    expect(refused.candidates?.[0]?.finishReason).toBe("SAFETY");
  });

  test("the brain sees calls and responses by id though the wire has none, and errors as errors", async () => {
    const seen: unknown[] = [];
    const { ai } = await client({
      brain: ({ messages, tools, system, model }) => {
        seen.push({ messages, tools, system, model });
        return { text: "ok" };
      },
    });
    const call = { functionCall: { name: "f", args: { a: 1 } } };
    const responses = [{ output: "plain" }, { result: { n: 1 } }, { error: "no" }, { other: true }];
    await ai.models.generateContent({
      model: "gemini-2.5-pro",
      contents: [
        { role: "user", parts: [{ text: "a" }] },
        { role: "model", parts: responses.map(() => call) },
        { role: "user", parts: responses.map((response) => ({ functionResponse: { name: "f", response } })) },
      ],
      config: {
        systemInstruction: "s",
        tools: [
          {
            functionDeclarations: [
              {
                name: "f",
                description: "d",
                parameters: { type: Type.OBJECT, properties: { a: { type: Type.INTEGER } } },
              },
            ],
          },
        ],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
      },
    });
    const ids = ["call-1-0", "call-1-1", "call-1-2", "call-1-3"];
    expect(seen[0]).toEqual({
      model: "gemini-2.5-pro",
      system: ["s"],
      tools: [{ name: "f", description: "d", schema: { type: "object", properties: { a: { type: "integer" } } } }],
      messages: [
        { role: "user", parts: [{ type: "text", text: "a" }] },
        { role: "assistant", parts: ids.map((id) => ({ type: "call", id, tool: "f", input: { a: 1 } })) },
        {
          role: "user",
          parts: ["plain", '{"n":1}', "no", '{"other":true}'].map((text, at) => ({
            type: "result",
            id: ids[at],
            text,
            isError: at === 2,
          })),
        },
      ],
    });
  });
});
