import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { automaticOf, codecFor, limitMarks, type Mark, marksOf } from "../../src/engine.ts";
import { checkRequest } from "../../src/testing/simulate/check.ts";

const bytes = (body: unknown) => new TextEncoder().encode(JSON.stringify(body));
const headers = { "content-type": "application/json", "x-api-key": "k", "anthropic-version": "2026-10-21" };
const anthropic = codecFor("anthropic");

type Block = Record<string, unknown>;
const foreign = {
  model: "sim-plain",
  max_tokens: 100,
  thinking: { type: "disabled" },
  tools: ["a", "b", "c"].map((name) => ({ name, input_schema: { type: "object" } })),
  system: ["s0", "s1", "s2"].map((text) => ({ type: "text", text })),
  messages: [
    { role: "user", content: [{ type: "text", text: "go" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "yes" },
        { type: "tool_use", id: "x", name: "a", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "x", content: "r" },
        { type: "text", text: "more" },
      ],
    },
  ],
};

/** The body with exactly these markers, put on its blocks in rendering order. */
function withMarks(marks: readonly Mark[], automatic: Mark["ttl"] | null): unknown {
  const body = structuredClone(foreign);
  const blocks: Block[] = [
    ...body.tools,
    ...body.system,
    ...body.messages.flatMap(({ content }) => content as Block[]),
  ];
  for (const { segment, ttl } of marks)
    Object.assign(blocks[segment] ?? {}, { cache_control: { type: "ephemeral", ttl } });
  return automatic === null ? body : { ...body, cache_control: { type: "ephemeral", ttl: automatic } };
}

const ttl = fc.constantFrom("5m" as const, "1h" as const);
const someMarks = fc.uniqueArray(fc.record({ segment: fc.nat(10), ttl }), { maxLength: 6, selector: (m) => m.segment });

describe("C-033 · a foreign body's markers and ours", () => {
  test("one to six markers of mixed lifetimes, with or without the automatic one: what is sent is never refused", () => {
    fc.assert(
      fc.property(someMarks, someMarks, fc.option(ttl), (existing, ours, automatic) => {
        const segments = anthropic.segments(bytes(foreign));
        const body = JSON.stringify(withMarks(limitMarks(segments, existing, ours, automatic), automatic));
        const found = checkRequest("anthropic", headers, body, undefined, { only: ({ id }) => id.startsWith("mark-") });
        expect(found).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  test("one in front of a longer-lived one lives as long; the client's last marker keeps its own lifetime", () => {
    const segments = anthropic.segments(bytes(foreign));
    expect(limitMarks(segments, [{ segment: 10, ttl: "1h" }], [{ segment: 5, ttl: "5m" }])).toEqual([
      { segment: 5, ttl: "1h" },
      { segment: 10, ttl: "1h" },
    ]);
  });

  test("the automatic marker at the top is the last block's and takes a slot", () => {
    const marked = withMarks(
      [2, 5, 7, 9].map((segment) => ({ segment, ttl: "5m" })),
      "1h",
    );
    expect(automaticOf(bytes(marked))).toBe("1h");
    expect(automaticOf(bytes(foreign))).toBeNull();
    const { marks, taken } = marksOf(bytes(marked));
    expect(taken).toBe(5);
    const kept = limitMarks(anthropic.segments(bytes(marked)), marks, [], "1h");
    expect(kept).toEqual([2, 5, 9].map((segment) => ({ segment, ttl: "1h" })));
  });

  test("a marker on a result and one on the text inside it are two of the four", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const content = [{ type: "text", text: "r", ...mark }];
    const body = {
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "x", content, ...mark }] }],
    };
    expect(marksOf(bytes(body))).toEqual({ marks: [{ segment: 0, ttl: "5m" }], taken: 2 });
  });
});

test("C-035 · a foreign marker on an empty text or on thinking moves to the nearest earlier block that may carry one", () => {
  const mark = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const thinking = { type: "thinking", thinking: "t", signature: "s" };
  for (const illegal of [
    { type: "text", text: "" },
    { type: "text", text: " " },
    thinking,
    { type: "redacted_thinking", data: "d" },
  ]) {
    const body = {
      messages: [{ role: "user", content: [{ type: "text", text: "go" }, thinking, { ...illegal, ...mark }] }],
    };
    const { marks } = marksOf(bytes(body));
    expect(limitMarks(anthropic.segments(bytes(body)), marks, [])).toEqual([{ segment: 0, ttl: "1h" }]);
  }
});

test("C-027 · a foreign history with texts and images between results is said legally on either wire", () => {
  const call = (id: string) => ({ id, type: "function", function: { name: "a", arguments: "{}" } });
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: [call("x"), call("y")] },
    { role: "tool", tool_call_id: "x", content: "r" },
    { role: "user", content: "hurry" },
    { role: "tool", tool_call_id: "y", content: "r" },
  ];
  const split = [
    { role: "user", content: "go" },
    { role: "assistant", content: ["x", "y"].map((id) => ({ type: "tool_use", id, name: "a", input: {} })) },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "x", content: "r" },
        { type: "text", text: "hurry" },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "y", content: "r" }] },
  ];
  const docs = [
    codecFor("chat").decodeForeign(bytes({ model: "m", messages })),
    anthropic.decodeForeign(bytes({ model: "m", max_tokens: 9, messages: split })),
  ];
  for (const { pieces } of docs) {
    for (const [wire, model] of [
      ["anthropic", "sim-plain"],
      ["chat", "sim-chat"],
    ] as const) {
      const choice = { wire, model, effort: null, thinking: "off", outputTokensMax: 100 } as const;
      const { body } = codecFor(wire).encode({ model: choice, tools: [], system: [], pieces, cacheKey: "k" }, []);
      expect(checkRequest(wire, { ...headers, authorization: "Bearer k" }, body)).toBeNull();
    }
  }
});
