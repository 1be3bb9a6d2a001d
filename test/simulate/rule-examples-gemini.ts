import type { StoredPrompt } from "../../src/testing/simulate/gemini-cached.ts";
import { dummySignature, signPart } from "../../src/testing/simulate/gemini-signature.ts";
import { type Body, type Example, remembers, type Sent } from "./builders.ts";
import { answers, callPart, declared, gemini, model, responsePart, says, signed } from "./gemini-builders.ts";
import { geminiContentExamples } from "./rule-examples-gemini-contents.ts";

const bodies = (...list: readonly Body[]): readonly Sent[] => list.map((body) => ({ body }));
const config = (generationConfig: Body, more: Body = {}) => gemini({ generationConfig, ...more });
const thinking = (id: string, thinkingConfig: Body) => config({ thinkingConfig }, { model: id });
const stored: StoredPrompt = {
  name: "cachedContents/a",
  model: "sim-gemini",
  displayName: "",
  bodyText: "{}",
  body: { contents: [says("long")] },
  tokens: 5_000,
  createdAt: 0,
  updatedAt: 0,
  expireAt: 1,
};
const named = gemini({ cachedContent: stored.name });
const schema = (parameters: Body) => gemini({ tools: [declared("f", { parameters })] });
const property = (one: Body) => schema({ type: "OBJECT", properties: { a: one } });
const choice = (functionCallingConfig: Body, more: Body = {}) =>
  gemini({ tools: [declared("f")], toolConfig: { functionCallingConfig }, ...more });

const asked = says("do");
const answered = answers(responsePart("f"));
const loop = (...parts: readonly Body[]) => gemini({ contents: [asked, model(...parts), answered] });
const ours = signed(callPart("f"));
const namedCall = signed(callPart("f", { id: "1" }));
const pair = [signed(callPart("f")), callPart("g")];
const pairAnswers = answers(responsePart("f"), responsePart("g"));
const older = signPart(callPart("f"), "gemini-3.8-flash", "a");
const ofSim =
  '["{\\"functionCall\\":{\\"args\\":{},\\"name\\":\\"f\\"},\\"signature\\":\\"S\\"}","{\\"functionCall\\":{\\"args\\":{},\\"name\\":\\"g\\"},\\"signature\\":\\"\\"}"]';
const sentPair = remembers({
  turnOf: (id) => (id === "a" ? ofSim.replace("S", String(pair[0]?.thoughtSignature)) : undefined),
});

export const geminiExamples: Readonly<Record<string, Example>> = {
  key: {
    bad: [
      { body: gemini(), headers: { "x-goog-api-key": null } },
      { body: gemini(), headers: { "x-goog-api-key": null, "x-api-key": "k" } },
    ],
    good: [...bodies(gemini()), { body: gemini(), headers: { "x-goog-api-key": null, authorization: "Bearer k" } }],
  },
  "content-type": { bad: [{ body: gemini(), headers: { "content-type": "text/plain" } }], good: bodies(gemini()) },
  size: { bad: [{ text: " ".repeat(32 * 1024 * 1024 + 1) }], good: bodies(gemini()) },
  json: { bad: [{ text: "{" }, { text: "[]" }], good: bodies(gemini()) },
  surrogates: { bad: bodies(gemini({ contents: [says("\ud800")] })), good: bodies(gemini({ contents: [says("😀")] })) },
  model: {
    bad: bodies(gemini({ model: "nope" }), gemini({ model: "gpt-5.5" }), gemini({ model: "models/sim-gemini" })),
    good: bodies(gemini({ model: "gemini-4-argon" }), gemini({ model: "gemini-2.5-flash-lite" })),
  },
  "unknown-field": {
    bad: bodies(
      gemini({ foo: 1 }),
      gemini({ messages: [] }),
      gemini({ system_instruction: { parts: [{ text: "s" }] } }),
      config({ max_output_tokens: 9 }),
      config({ thinkingConfig: { effort: "low" } }),
      gemini({ contents: [{ ...says("x"), name: "n" }] }),
      gemini({ contents: [{ role: "user", parts: [{ text: "x", cache_control: {} }] }] }),
      gemini({ contents: {} }),
      gemini({ contents: ["x"] }),
      gemini({ tools: [{ name: "f" }] }),
      gemini({ tools: [declared("f", { input_schema: {} })] }),
      gemini({ contents: [asked, model({ type: "tool_use" }), says("x")] }),
    ),
    good: [
      ...bodies(
        gemini({ safetySettings: [], labels: {}, serviceTier: "standard" }),
        config({ seed: 1, responseLogprobs: false }),
        gemini({ tools: [{ googleSearch: {} }] }),
      ),
      {
        body: gemini({ contents: [asked, model({ odd: {} }, { text: "y" }), says("x")] }),
        memory: remembers({ sent: (part) => JSON.stringify(part) === '{"odd":{}}' }),
      },
    ],
  },
  "cached-content": {
    bad: [
      { body: named },
      { body: named, stored: { ...stored, model: "gemini-2.5-pro" } },
      { body: { ...named, tools: [declared("f")] }, stored },
      { body: { ...named, systemInstruction: { parts: [{ text: "s" }] } }, stored },
      { body: { ...named, toolConfig: {} }, stored },
    ],
    good: [{ body: { ...named, generationConfig: { temperature: 0 } }, stored }, { body: gemini() }],
  },
  "output-limit": {
    bad: bodies(
      config({ maxOutputTokens: 0 }),
      config({ maxOutputTokens: 1.5 }),
      config({ maxOutputTokens: "9" }),
      config({ maxOutputTokens: 32_001 }),
      config({ maxOutputTokens: 65_537 }, { model: "gemini-4-argon" }),
    ),
    good: bodies(config({ maxOutputTokens: 32_000 }), config({ maxOutputTokens: 65_536 }, { model: "gemini-4-argon" })),
  },
  thinking: {
    bad: bodies(
      thinking("gemini-4-argon", { thinkingBudget: 1_024 }),
      thinking("gemini-4-argon", { thinkingBudget: -1 }),
      thinking("gemini-4-argon", { thinkingLevel: "minimal" }),
      thinking("gemini-4-argon", { thinkingLevel: "xhigh" }),
      thinking("gemini-3.1-pro-preview", { thinkingLevel: "low", thinkingBudget: 1_024 }),
      thinking("gemini-2.5-pro", { thinkingLevel: "low" }),
      thinking("gemini-2.5-pro", { thinkingBudget: 0 }),
      thinking("gemini-2.5-flash", { thinkingBudget: 24_577 }),
      thinking("gemini-2.5-flash-lite", { thinkingBudget: 100 }),
      thinking("gemini-4-argon", { includeThoughts: "yes" }),
    ),
    good: bodies(
      thinking("gemini-4-argon", { thinkingLevel: "low", includeThoughts: true }),
      thinking("gemini-3.8-flash", { thinkingLevel: "MINIMAL" }),
      thinking("gemini-3.1-pro-preview", { thinkingBudget: 1_024 }),
      thinking("gemini-2.5-pro", { thinkingBudget: 32_768 }),
      thinking("gemini-2.5-flash", { thinkingBudget: 0 }),
      thinking("gemini-2.5-flash-lite", { thinkingBudget: -1 }),
    ),
  },
  sampling: {
    bad: bodies(
      config({ temperature: 2.1 }),
      config({ topP: "1" }),
      config({ candidateCount: 2 }),
      config({ stopSequences: ["a", "b", "c", "d", "e", "f"] }),
      config({ stopSequences: [""] }),
    ),
    good: bodies(config({ temperature: 2, topP: 0, topK: 40, candidateCount: 1, stopSequences: ["a"] })),
  },
  "response-format": {
    bad: bodies(
      config({ responseMimeType: "text/html" }),
      config({ responseSchema: { type: "OBJECT" } }),
      config({ responseMimeType: "application/json", responseSchema: {}, responseJsonSchema: {} }),
    ),
    good: bodies(config({ responseMimeType: "application/json", responseJsonSchema: { type: "object" } })),
  },
  tools: {
    bad: bodies(gemini({ tools: [{}] }), gemini({ tools: [{ functionDeclarations: [] }] })),
    good: bodies(gemini({ tools: [] }), gemini({ tools: [declared("f"), { codeExecution: {} }] })),
  },
  declaration: {
    bad: bodies(
      gemini({ tools: [declared("1f")] }),
      gemini({ tools: [declared("a b")] }),
      gemini({ tools: [declared("a".repeat(65))] }),
      gemini({ tools: [declared("f", { description: undefined })] }),
      gemini({ tools: [declared("f", { parametersJsonSchema: { type: "object" } })] }),
      gemini({ tools: [declared("f", { parameters: undefined, parametersJsonSchema: { type: "string" } })] }),
      schema({ type: "STRING" }),
      schema({ properties: {} }),
      schema({ type: "OBJECT", additionalProperties: false }),
      schema({ type: "OBJECT", $ref: "#" }),
      schema({ type: "OBJECT", properties: {}, required: ["a"] }),
      property({}),
      property({ type: ["STRING", "NULL"] }),
      property({ type: "DATE" }),
      property({ type: "ARRAY" }),
      property({ type: "STRING", const: "x" }),
      property({ type: "STRING", enum: ["a", ""] }),
      property({ type: "INTEGER", enum: [1] }),
      property({ type: "STRING", format: "uri" }),
      property({ type: "OBJECT", properties: { b: { type: "STRING", exclusiveMinimum: 1 } } }),
      property({ anyOf: [{ type: "STRING" }, { oneOf: [] }] }),
    ),
    good: bodies(
      gemini({ tools: [declared("f.g:h-i", { parameters: undefined })] }),
      gemini({
        tools: [
          declared("f", { parameters: undefined, parametersJsonSchema: { type: "object", $ref: "#", const: 1 } }),
        ],
      }),
      property({ type: "ARRAY", items: { type: "STRING", enum: ["a"], format: "enum" }, minItems: 1 }),
      property({ anyOf: [{ type: "STRING" }, { type: "NULL" }], nullable: true }),
      schema({ type: "object", properties: { a: { type: "string" } }, required: ["a"], propertyOrdering: ["a"] }),
    ),
  },
  "declaration-unique": {
    bad: bodies(gemini({ tools: [declared("f"), declared("f")] })),
    good: bodies(gemini({ tools: [declared("f"), declared("g")] })),
  },
  "tool-config": {
    bad: bodies(
      gemini({ toolConfig: { functionCallingConfig: { mode: "AUTO" } } }),
      choice({ mode: "auto" }),
      choice({ mode: "AUTO", allowedFunctionNames: ["f"] }),
      choice({ mode: "ANY", allowedFunctionNames: ["g"] }),
    ),
    good: bodies(choice({ mode: "ANY", allowedFunctionNames: ["f"] }), choice({ mode: "NONE" }), choice({})),
  },
  ...geminiContentExamples,
  "signature-missing": {
    bad: bodies(
      loop(callPart("f")),
      loop(callPart("f"), { text: "x" }),
      gemini({ contents: [asked, model(callPart("f"), signed(callPart("g"))), pairAnswers] }),
      gemini({ contents: [asked, model(ours), answered, model(callPart("f")), answered] }),
      gemini({ contents: [asked, model(callPart("f")), answers(responsePart("f"), { text: "a reminder" })] }),
      gemini({ model: "gemini-3.5-flash-lite", contents: [asked, model(callPart("f")), answered] }),
    ),
    good: bodies(
      loop(ours),
      loop({ ...callPart("f"), thoughtSignature: dummySignature }),
      gemini({ contents: [asked, model(...pair), pairAnswers] }),
      gemini({ contents: [asked, model({ text: "thought", thought: true }, { text: "x" }, ours), answered] }),
      gemini({ contents: [asked, model(callPart("f")), answered, says("next")] }),
      gemini({ model: "gemini-2.5-flash", contents: [asked, model(callPart("f")), answered] }),
    ),
  },
  "signature-corrupted": {
    bad: bodies(
      loop({ ...callPart("f"), thoughtSignature: "c2lnbmF0dXJl" }),
      loop({ ...callPart("f"), thoughtSignature: `${String(ours.thoughtSignature).slice(0, -4)}AAAA` }),
      loop({ ...callPart("f"), thoughtSignature: "" }),
      loop(older),
      gemini({ contents: [asked, model(older), answered, says("next")] }),
      gemini({ contents: [asked, model({ text: "x", thoughtSignature: "x" }), says("next")] }),
    ),
    good: bodies(
      loop(ours),
      gemini({ model: "gemini-3.8-flash", contents: [asked, model(older), answered] }),
      gemini({ contents: [asked, model(signed({ text: "x" })), says("next")] }),
    ),
  },
  "signature-parts": {
    bad: [
      ...bodies(
        loop({ ...ours, functionCall: { name: "f", args: { a: 1 } } }),
        gemini({
          contents: [asked, model({ ...namedCall, functionCall: { name: "f", args: {} } }), answered],
        }),
        gemini({ contents: [asked, model({ text: "y", thoughtSignature: ours.thoughtSignature }), says("next")] }),
      ),
      ...[
        [pair.toReversed(), [responsePart("g"), responsePart("f")]],
        [[pair[0] ?? {}], [responsePart("f")]],
        [
          [...pair, { text: "added" }],
          [responsePart("f"), responsePart("g")],
        ],
      ].map(([parts = [], results = []]) => ({
        // In an earlier turn no call has to be signed, so that only its place can be wrong.
        body: gemini({ contents: [asked, model(...parts), answers(...results), says("next")] }),
        memory: sentPair,
      })),
    ],
    good: [
      { body: gemini({ contents: [asked, model(...pair), pairAnswers] }), memory: sentPair },
      {
        body: gemini({ contents: [asked, model({ text: "t", thought: true }), model(...pair), pairAnswers] }),
        memory: sentPair,
      },
      ...bodies(
        loop({ ...ours, functionCall: { args: {}, name: "f" } }),
        loop({ ...ours, functionCall: { name: "f" } }),
        // A client may name a call that came without a name.
        gemini({
          contents: [
            asked,
            model({ ...ours, functionCall: { name: "f", id: "own" } }),
            answers(responsePart("f", { id: "own" })),
          ],
        }),
        gemini({ contents: [asked, model(namedCall), answers(responsePart("f", { id: "1" }))] }),
      ),
    ],
  },
};
