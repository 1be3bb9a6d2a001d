import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { documentFormats, lineFormats } from "../../src/import/formats.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import { itemsOfDocument, ofType } from "./items.ts";

const at = "2026-03-01T10:00:00Z";
const tokens = { input: 9, output: 3, cached: 2, reasoning: 1, cache: { read: 4, write: 1 }, total: 20 };

/** One small document of each kind. */
const documents: Readonly<Record<string, unknown>> = {
  "gemini-cli": {
    sessionId: "s",
    projectHash: "p",
    messages: [
      { id: "u", type: "user", timestamp: at, content: [{ text: "hi" }] },
      {
        id: "g",
        type: "gemini",
        timestamp: at,
        content: "yes",
        thoughts: [{ subject: "a", description: "b" }],
        toolCalls: [
          { id: "c", name: "read", args: { a: 1 }, result: [{ functionResponse: { response: { output: "x" } } }] },
        ],
        tokens,
      },
    ],
  },
  openhands: [
    { id: 0, source: "agent", action: "system", args: { content: "x", tools: [{ function: { name: "a" } }] } },
    { id: 1, source: "user", action: "message", args: { content: "hi" }, timestamp: at },
    {
      id: 2,
      source: "agent",
      action: "run",
      args: { command: "ls", thought: "t" },
      tool_call_metadata: { tool_call_id: "c" },
    },
    { id: 3, source: "environment", observation: "run", cause: 2, content: "x", extras: {} },
    { id: 4, source: "agent", action: "condensation", args: { forgotten_event_ids: [2], summary: "s" } },
    {
      id: "e",
      kind: "ActionEvent",
      source: "agent",
      thought: [{ text: "t" }],
      tool_call_id: "d",
      tool_call: { arguments: "{}" },
    },
    {
      id: "f",
      kind: "ObservationEvent",
      source: "environment",
      tool_call_id: "d",
      observation: { content: [{ text: "x" }] },
    },
  ],
  "swe-agent": {
    trajectory: [{ action: "ls", observation: "x", response: "r", query: [{ role: "user", content: "hi" }] }],
    history: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: "r",
        action: "ls",
        tool_calls: [{ id: "c", function: { name: "b", arguments: "{}" } }],
      },
      { role: "tool", content: "x", tool_call_ids: ["c"] },
    ],
    info: {},
  },
  cline: {
    sessionId: "s",
    system_prompt: "x",
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "c", name: "r", input: {} }],
        metrics: { inputTokens: 4 },
        ts: 1,
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [{ query: "q", result: "x" }] }] },
    ],
  },
  opencode: {
    info: { id: "s", time: { created: 1 } },
    messages: [
      { info: { id: "m", role: "user" }, parts: [{ type: "compaction", auto: true, tail_start_id: "x" }] },
      {
        info: { id: "n", role: "assistant", tokens, summary: true },
        parts: [
          { type: "text", text: "x", time: { start: 1 } },
          { type: "tool", callID: "c", tool: "r", state: { status: "completed", input: {}, output: "x" } },
          { type: "step-finish", tokens },
        ],
      },
    ],
  },
};

describe("documents of other programs", () => {
  test.each(Object.entries(documents))("one of %s is taken by its own format and by no other", (format, document) => {
    expect(documentFormats.filter((one) => one.recognises(document)).map((one) => one.format)).toEqual([format]);
    const records = isRecord(document) ? [document] : [];
    expect(records.length > 0 && lineFormats.some((one) => one.recognises(records))).toBe(false);
  });

  test("whatever stands in the place of a part, nothing is thrown, and every item names its place", () => {
    const changed = fc
      .constantFrom(...Object.values(documents))
      .chain((document) =>
        fc.tuple(fc.constant(document), fc.nat(pathsOf(document).length - 1), fc.jsonValue({ maxDepth: 2 })),
      )
      .map(([document, index, value]) => replaced(document, pathsOf(document)[index] ?? [], value));
    fc.assert(
      fc.property(changed, (document) => {
        for (const format of documentFormats) {
          const items = format.recognises(document) ? format.read(document) : [];
          expect(items.every((item) => item.line >= 1 && item.lane !== "")).toBe(true);
          for (const { keeps } of ofType(items, "restarted"))
            expect(keeps.every(([from, to]) => from <= to && to < items.length)).toBe(true);
        }
      }),
      { numRuns: 1500 },
    );
  });

  test("an object in the place of a word that cannot be made a text is named, not thrown", () => {
    for (const document of Object.values(documents))
      for (const path of pathsOf(document)) {
        const odd = replaced(document, path, { toString: null });
        for (const format of documentFormats)
          if (format.recognises(odd)) expect(format.read(odd)).toBeInstanceOf(Array);
      }
  });

  test("the same of lines", () => {
    const record = fc.oneof(
      fc.constantFrom<unknown>(
        { $rewindTo: "u" },
        { $set: { messages: [{ id: "u", type: "user", content: "hi" }] } },
        { $set: 1 },
      ),
      fc.constantFrom(...Object.values(documents).flatMap((document) => [document, ...membersOf(document)])),
      fc.dictionary(
        fc.constantFrom("id", "type", "content", "tokens", "toolCalls", "source", "action", "kind"),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (records) => {
        for (const format of lineFormats.filter((one) => one.format === "gemini-cli" || one.format === "openhands")) {
          const reader = format.open();
          for (const [index, one] of records.filter(isRecord).entries()) reader.line(one, index + 1, "");
          reader.end();
        }
      }),
      { numRuns: 500 },
    );
  });

  test("of a giant that nobody knows the beginning is kept", async () => {
    const novelty = { type: "novelty", text: "", data: "x".repeat(2 * bounds.unknownCharsMax) };
    const items = await itemsOfDocument({ sessionId: "s", messages: [{ role: "assistant", content: [novelty] }] });
    expect(ofType(items, "unknown")[0]?.raw).toHaveLength(bounds.unknownCharsMax);
  });
});

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const keys: Path = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const members: Readonly<Record<string, unknown>> = { ...value };
  return [path, ...keys.flatMap((key) => pathsOf(members[key], [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? replaced(one, rest, by) : one));
  return isRecord(value) ? { ...value, [key]: replaced(value[key], rest, by) } : value;
}

function membersOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  return isRecord(document) && Array.isArray(document.messages) ? document.messages : [];
}
