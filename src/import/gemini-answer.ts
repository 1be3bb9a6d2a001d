import { noUsage, type Usage } from "../kernel/usage.ts";
import { countAt, listAt, recordAt, recordOf, stringAt } from "../provider/lenient.ts";
import { geminiContent } from "./gemini-content.ts";
import type { Raw } from "./record.ts";
import { spacedJson } from "./spaced-json.ts";
import type { ItemBody } from "./transcript.ts";

/** What of one answer was given out already. */
export type Given = {
  request: string | null;
  thoughts: number;
  text: string;
  usage: string;
  readonly calls: Set<string>;
  readonly results: Set<string>;
};

export function newGiven(): Given {
  return { request: null, thoughts: 0, text: "", usage: "", calls: new Set(), results: new Set() };
}

/** What is new in this version of an answer. A copy of history without a report of tokens is no call of its own. */
export function answerBodies(record: Raw, id: string, given: Given, isCopy: boolean): readonly ItemBody[] {
  const usage = usageOf(recordAt(record, "tokens"));
  const isNew = given.request === null && (usage !== null || !isCopy);
  if (isNew) given.request = id;
  const request = given.request;
  const calls = listAt(record, "toolCalls").map(recordOf);
  return [
    ...(isNew ? [{ type: "request", request: id, model: stringAt(record, "model") || null } as const] : []),
    ...thoughtBodies(record, request, given),
    ...textBodies(record, request, given),
    ...calls.flatMap((call) => callBodies(call, request, given)),
    ...usageBodies(usage, request, id, given),
    ...calls.flatMap((call) => resultBodies(call, given)),
  ];
}

function usageBodies(usage: Usage | null, request: string | null, id: string, given: Given): readonly ItemBody[] {
  const report = JSON.stringify(usage);
  if (usage === null || request === null || given.usage === report) return [];
  given.usage = report;
  return [{ type: "usage", request, usage, known: "all", key: `gemini-cli:${id}` }];
}

function thoughtBodies(record: Raw, request: string | null, given: Given): readonly ItemBody[] {
  const thoughts = listAt(record, "thoughts").map(recordOf);
  const news = thoughts.slice(given.thoughts);
  given.thoughts = Math.max(given.thoughts, thoughts.length);
  return news.map((thought) => ({
    type: "reasoning",
    request,
    text: [stringAt(thought, "subject"), stringAt(thought, "description")].filter((part) => part !== "").join("\n"),
    opaqueChars: 0,
  }));
}

function textBodies(record: Raw, request: string | null, given: Given): readonly ItemBody[] {
  const { text } = geminiContent(record.content);
  if (text === given.text) return [];
  const news = text.startsWith(given.text) ? text.slice(given.text.length) : text;
  given.text = text;
  return news === "" ? [] : [{ type: "text", request, text: news }];
}

function callBodies(call: Raw, request: string | null, given: Given): readonly ItemBody[] {
  const callId = stringAt(call, "id");
  if (given.calls.has(callId)) return [];
  given.calls.add(callId);
  return [{ type: "call", request, callId, tool: stringAt(call, "name"), input: spacedJson(call.args ?? {}) }];
}

function resultBodies(call: Raw, given: Given): readonly ItemBody[] {
  const callId = stringAt(call, "id");
  const result = call.result;
  if (result === undefined || result === null || given.results.has(callId)) return [];
  given.results.add(callId);
  const failed = ["error", "cancelled"].includes(stringAt(call, "status"));
  return [{ type: "result", callId, tool: stringAt(call, "name") || null, ...geminiContent(result), failed }];
}

/**
 * `input` holds what was cached; `thoughts` stand beside `output`; `tool` (prompts of tools that the service itself ran)
 * beside `input`.
 */
function usageOf(tokens: Raw): Usage | null {
  const of = (key: string) => countAt(tokens, key) ?? 0;
  if (of("input") + of("output") + of("thoughts") === 0) return null;
  const cacheRead = Math.min(of("cached"), of("input"));
  return {
    ...noUsage,
    uncached: of("input") - cacheRead + of("tool"),
    cacheRead,
    output: of("output") + of("thoughts"),
    reasoning: of("thoughts"),
  };
}
