import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { sharedPrefix } from "../../src/testing/simulate/segment.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { countTokens, cutTokens } from "../../src/testing/simulate/tokens.ts";
import { readTree, writeTree } from "../../src/testing/simulate/tree.ts";
import {
  anthropic,
  assistant,
  type Body,
  call,
  chat,
  chatCall,
  mark,
  post,
  responses,
  result,
  text,
  tokens,
  user,
} from "./builders.ts";
import { answers, callPart, declared, gemini, model, postGemini, responsePart, says } from "./gemini-builders.ts";

describe("the simulator's own JSON reader", () => {
  test("reads what JSON.parse reads, to the same value, whatever the spelling", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (json, space) => {
        const value: unknown = JSON.parse(json);
        expect(JSON.parse(writeTree(readTree(JSON.stringify(value, null, space))))).toEqual(value);
      }),
    );
  });

  test("refuses what JSON.parse refuses", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom("", '"', "{", "]", ",", "x", "\\", "1"), (json, at, sign) => {
        const cut = at % (json.length + 1);
        const broken = `${json.slice(0, cut)}${sign}${json.slice(cut + 1)}`;
        expect(accepts(readTree, broken)).toBe(accepts(JSON.parse, broken));
      }),
      { numRuns: 500 },
    );
  });

  test("keeps the order of members and the spelling of numbers, and knows escapes", () => {
    expect(writeTree(readTree('{ "10": 1.0, "2": 1e3, "a": "\\u00e9\\n" }'))).toBe('{"10":1.0,"2":1e3,"a":"é\\n"}');
  });
});

describe("the simulator's own tokenizer", () => {
  test("covers the text without gaps, in order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        let at = 0;
        cutTokens(value, (end) => {
          expect(end).toBeGreaterThanOrEqual(at);
          at = end;
        });
        expect(at).toBe(value.length);
      }),
    );
  });

  test("counts code, prose and Chinese at different rates, none of them chars/4", () => {
    const rate = (value: string) => value.length / countTokens(value);
    expect(rate("the quick brown fox jumps over the lazy dog ".repeat(9))).toBeGreaterThan(4.4);
    expect(rate('{"a":[1,2,{"b":"c"}]}'.repeat(9))).toBeLessThan(2);
    expect(rate("上下文永远不会腐烂".repeat(9))).toBeLessThan(1);
  });
});

describe("what the cut sees and does not see", () => {
  const base = anthropic({
    system: "s",
    messages: [user("a"), assistant([call("c", { input: { cache_control: 1 } })]), user([result("c")])],
  });
  const hashes = (body: Body, wire: "anthropic" | "chat" = "anthropic") =>
    cut(wire, JSON.stringify(body)).map(({ hash }) => hash);

  test.each<[string, Body]>([
    [
      "a string for a text block",
      { messages: [user([text("a")]), assistant([call("c", { input: { cache_control: 1 } })]), user([result("c")])] },
    ],
    [
      "markers, also inside results",
      {
        messages: [
          user([text("a", mark("1h"))]),
          assistant([call("c", { input: { cache_control: 1 }, ...mark() })]),
          user([result("c", mark())]),
        ],
      },
    ],
    [
      "neighbours of one role in one message or two",
      { messages: [user("a"), assistant([call("c", { input: { cache_control: 1 } })]), user([result("c")])] },
    ],
  ])("the same: %s", (_name, change) => {
    expect(hashes({ ...base, ...change })).toEqual(hashes(base));
  });

  test.each<[string, Body]>([
    [
      "a member of a call's input that is named like a marker",
      { messages: [user("a"), assistant([call("c")]), user([result("c")])] },
    ],
    [
      "the id of a call",
      { messages: [user("a"), assistant([call("d", { input: { cache_control: 1 } })]), user([result("d")])] },
    ],
    [
      "an error flag",
      {
        messages: [
          user("a"),
          assistant([call("c", { input: { cache_control: 1 } })]),
          user([result("c", { is_error: true })]),
        ],
      },
    ],
    ["one blank", { system: "s " }],
  ])("another: %s", (_name, change) => {
    expect(hashes({ ...base, ...change })).not.toEqual(hashes(base));
  });

  test("the order of members in a tool's schema is seen", () => {
    const schema = (properties: string) =>
      `{"model":"m","messages":[],"tools":[{"name":"t","input_schema":{"type":"object","properties":${properties}}}]}`;
    const [a, b] = ['{"x":1,"y":2}', '{"y":2,"x":1}'].map(
      (properties) => cut("anthropic", schema(properties))[0]?.hash,
    );
    expect(a).not.toBe(b);
  });

  test("a deferred tool is rendered where it is referenced, not at the front", () => {
    const tools = [
      { name: "a", input_schema: { type: "object" } },
      { name: "z", defer_loading: true, input_schema: { type: "object" } },
    ];
    const plain = cut("anthropic", JSON.stringify({ ...base, tools }));
    expect(plain.filter(({ kind }) => kind === "tool")).toHaveLength(1);
    const reference = result("c", { content: [{ type: "tool_reference", tool_name: "z" }] });
    const found = (z: unknown) => ({
      ...base,
      tools: [tools[0], z],
      messages: [user("a"), assistant([call("c")]), user([reference])],
    });
    expect(hashes(found(tools[1]))).not.toEqual(hashes(found({ ...tools[1], description: "other" })));
  });
});

describe("laws of the cache over random conversations", () => {
  type Act = { readonly act: "grow" | "edit" | "cut" | "wait"; readonly size: number; readonly at: number };
  const acts = fc.array(
    fc.record({
      act: fc.constantFrom<Act["act"]>("grow", "grow", "grow", "edit", "cut", "wait"),
      size: fc.integer({ min: 1, max: 900 }),
      at: fc.nat(20),
    }),
    { minLength: 2, maxLength: 12 },
  );

  const bodies: Readonly<Record<LawWire, (messages: readonly unknown[]) => Body>> = {
    anthropic: (messages) => anthropic({ messages, ...mark() }),
    chat: (messages) => chat({ messages }),
    responses: (input) => responses({ input }),
    gemini: (contents) => gemini({ contents }),
  };
  const turnOf = (wire: LawWire, one: string, isUsers: boolean) => {
    if (wire === "gemini") return isUsers ? says(one) : model({ text: one });
    return isUsers ? user(one) : assistant(one);
  };

  async function play(wire: LawWire, list: readonly Act[]) {
    // Its own minimum is more than most of these conversations have.
    const minimum = wire === "gemini" ? { minimumTokens: 1_024 } : {};
    const simulation = createSimulation({ brain: scriptedBrain([]), ...minimum });
    let texts: readonly string[] = ["start"];
    let now = 0;
    for (const { act, size, at } of list) {
      if (act === "wait") now += size * 1_000;
      if (act === "grow") texts = [...texts, `a${texts.length}`, `${size}${tokens(size)}`];
      if (act === "edit") texts = texts.map((one, index) => (index === at % texts.length ? `${one}!` : one));
      if (act === "cut")
        texts = texts
          .slice(0, 1 + 2 * Math.floor(at / 4))
          .filter((_, index, all) => all.length % 2 === 1 || index < all.length - 1);
      const messages = texts.map((one, index) => turnOf(wire, one, index % 2 === 0));
      const body = bodies[wire](messages);
      const request = wire === "gemini" ? postGemini(body) : post(wire, body);
      expect((await simulation.handle(request, now)).status).toBe(200);
      now += 1;
    }
    return simulation.requests();
  }

  test.each(lawWires)(
    "%s: nothing is read that was not sent before as the same prefix, and the parts make up the prompt",
    async (wire) => {
      await fc.assert(
        fc.asyncProperty(acts, async (list) => {
          const records = await play(wire, list);
          for (const [index, record] of records.entries()) {
            const written = record.write5mTokens + record.write1hTokens + record.writeOtherTokens;
            expect(Math.min(record.readTokens, written)).toBeGreaterThanOrEqual(0);
            expect(record.readTokens + written).toBeLessThanOrEqual(record.promptTokens);
            const mine = record.segments;
            const shared = records
              .slice(0, index)
              .map((earlier) => sharedTokens(cut(wire, earlier.body), cut(wire, record.body)));
            // Chat and Gemini cache in the middle of a segment too, so the first differing one may be read in part.
            const most = Math.max(0, ...shared);
            const slack =
              wire === "chat" || wire === "gemini" ? Math.max(0, ...mine.map(({ tokens: size }) => size)) : 0;
            expect(record.readTokens).toBeLessThanOrEqual(most + slack);
          }
        }),
        { numRuns: 60 },
      );
    },
  );

  test.each(lawWires)(
    "%s: a conversation that only grows, without long pauses, never misses after its start",
    async (wire) => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 2, maxLength: 12 }), async (sizes) => {
          const records = await play(
            wire,
            [1_500, ...sizes].map((size) => ({ act: "grow", size, at: 0 })),
          );
          expect(records.slice(1).map((record) => record.missCause)).toEqual(sizes.map(() => null));
        }),
        { numRuns: 40 },
      );
    },
  );

  test("the Gemini cut renders tools, system and contents, and nothing of the settings", () => {
    const start = { contents: [says("x")], systemInstruction: { parts: [{ text: "s" }] }, tools: [declared("f")] };
    const call = { ...callPart("f"), thoughtSignature: "seal" };
    const contents = [...start.contents, model({ text: "t", thought: true }, call), answers(responsePart("f"))];
    const hashes = (body: Body) => cut("gemini", JSON.stringify(body)).map(({ hash }) => hash);
    const [before, after] = [start, { ...start, contents }].map((body) => cut("gemini", JSON.stringify(body)));
    expect(sharedPrefix(before ?? [], after ?? [])).toBe(before?.length);
    expect(after?.map(({ kind }) => kind)).toEqual(["tool", "system", "text", "reasoning", "call", "result"]);
    const settings = { generationConfig: { temperature: 0 }, toolConfig: {}, safetySettings: [], cachedContent: "c" };
    expect(hashes({ ...settings, ...start })).toEqual(hashes(start));
    // What a signature stands for is rendered: without it this is another prompt.
    const bare = [...start.contents, model({ text: "t", thought: true }, callPart("f")), answers(responsePart("f"))];
    expect(hashes({ ...start, contents: bare })).not.toEqual(hashes({ ...start, contents }));
  });

  test("the chat cut shares prefixes over tool loops", () => {
    const start = [{ role: "system", content: "s" }, user("x")];
    const loop = [
      ...start,
      { role: "assistant", content: null, tool_calls: [chatCall("a")] },
      { role: "tool", tool_call_id: "a", content: "ok" },
    ];
    const [before, after] = [start, loop].map((messages) => cut("chat", JSON.stringify(chat({ messages }))));
    expect(sharedPrefix(before ?? [], after ?? [])).toBe(before?.length);
    expect(after?.map(({ kind }) => kind)).toEqual(["system", "text", "call", "result"]);
  });
});

const lawWires = ["anthropic", "chat", "responses", "gemini"] as const;
type LawWire = (typeof lawWires)[number];

function sharedTokens(a: ReturnType<typeof cut>, b: ReturnType<typeof cut>): number {
  return b.slice(0, sharedPrefix(a, b)).reduce((sum, segment) => sum + segment.tokens, 0);
}

function accepts(read: (json: string) => unknown, json: string): boolean {
  try {
    read(json);
    return true;
  } catch {
    return false;
  }
}
