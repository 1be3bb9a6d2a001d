import { describe, expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { AssistantBlock, Piece, SystemBlock, UserBlock } from "../../src/log/block.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { responsesCodec as codec } from "../../src/provider/responses/codec.ts";

const user = (id: string, block: UserBlock): Piece => ({ id, role: "user", kind: "message", block });
const said = (id: string, text: string) => user(id, { type: "text", text });
const assistant = (id: string, block: AssistantBlock, from: Wire = "responses"): Piece => {
  return { id, role: "assistant", from, block };
};
const call = (id: string, callId: string, from: Wire = "anthropic", input = "{}"): Piece =>
  assistant(id, { type: "tool-call", callId: brand(callId), tool: "Read", input }, from);
const result = (id: string, callId: string, text: string, isError = false) =>
  user(id, { type: "tool-result", callId: brand(callId), tool: "Read", text, isError });
const image = (id: string) => user(id, { type: "image", mediaType: "image/png", data: "AAAA" });
const reminder = (id: string, block: Omit<SystemBlock, "type">): Piece => {
  return { id, role: "system", kind: "reminder", block: { type: "text", ...block } };
};

const docOf = (pieces: readonly Piece[], model: Partial<ModelChoice> = {}, rest: Partial<Doc> = {}): Doc => ({
  model: {
    wire: "responses",
    model: "gpt-6.2-sol",
    effort: null,
    thinking: "off",
    outputTokensMax: 8000,
    ...model,
  },
  tools: [],
  system: [],
  pieces,
  cacheKey: "k",
  ...rest,
});
const bodyOf = (doc: Doc) => JSON.parse(codec.encode(doc, []).body);
const inputOf = (pieces: readonly Piece[], model: Partial<ModelChoice> = {}) => bodyOf(docOf(pieces, model)).input;
const user1 = said("1.0", "q");
const sections = [
  { name: "a", scope: "global", text: "one" },
  { name: "b", scope: "session", text: "two" },
] as const;

describe("input", () => {
  test("C-027 · results in call order, each an item, then one user message: the images, then the text", () => {
    const pieces = [
      user1,
      call("2.0", "a"),
      call("2.1", "b"),
      call("2.2", "c"),
      result("3.0", "a", "x"),
      result("3.1", "b", "y"),
      result("3.2", "c", "not run", true),
      image("3.3"),
      image("3.4"),
      said("4.0", "hurry"),
    ];
    const input = inputOf(pieces);
    expect(input.slice(4)).toEqual([
      { type: "function_call_output", call_id: "a", output: "x" },
      { type: "function_call_output", call_id: "b", output: "y" },
      { type: "function_call_output", call_id: "c", output: "not run" },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
          { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
          { type: "input_text", text: "hurry" },
        ],
      },
    ]);
  });

  test("C-025 · items of this wire go back byte for byte and in order, reasoning, ids and unknown types included", () => {
    const wires = [
      '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAA"}',
      '{"type":"message","id":"msg_1","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":""}]}',
      '{"type":"brand_new", "b":1.0}',
      '{"type":"function_call","id":"fc_1","call_id":"a","name":"Read","arguments":"{ }","status":"completed"}',
    ] as const;
    const pieces = [
      user1,
      assistant("2.0", { type: "reasoning", text: "t", wire: wires[0] }),
      assistant("2.1", { type: "text", text: "", wire: wires[1] }),
      assistant("2.2", { type: "opaque", wire: wires[2] }),
      assistant("2.3", { type: "tool-call", callId: brand("a"), tool: "Read", input: "{ }", wire: wires[3] }),
      result("3.0", "a", "r"),
    ];
    expect(codec.encode(docOf(pieces), []).body).toContain(`${wires.join(",")},{"type":"function_call_output"`);
    for (const wire of ["anthropic", "chat"] as const) {
      const other = docOf(pieces, { wire, model: "m" });
      expect(codecFor(wire).encode(other, []).body).not.toMatch(/gAA|rs_1|msg_1|brand_new|fc_1/);
    }
  });

  test("C-025 · reasoning that led to nothing, because the answer was cut off behind it, is left out: alone it is refused", () => {
    const thought = (id: string): Piece =>
      assistant(id, { type: "reasoning", text: "t", wire: '{"type":"reasoning","id":"rs","summary":[]}' });
    const end = said("9.0", "go on");
    expect(inputOf([user1, thought("2.0"), thought("2.1"), end])).toHaveLength(2);
    const followed = [user1, thought("2.0"), thought("2.1"), call("2.2", "a"), result("3.0", "a", "r"), end];
    expect(inputOf(followed)).toHaveLength(6);
  });

  test("C-025 · from another wire come text and calls, and no reasoning, signature or unknown block", () => {
    const pieces = [
      user1,
      assistant("2.0", { type: "reasoning", text: "t", wire: '{"signature":"S1"}' }, "anthropic"),
      assistant("2.1", { type: "text", text: "hi", wire: '{"type":"text"}' }, "anthropic"),
      assistant("2.2", { type: "opaque", wire: '{"type":"brand_new"}' }, "anthropic"),
      call("2.3", "a", "anthropic", '{"p":1.0}'),
      result("3.0", "a", "r"),
    ];
    expect(inputOf(pieces).slice(1, -1)).toEqual([
      { type: "message", role: "assistant", content: "hi" },
      { type: "function_call", call_id: "a", name: "Read", arguments: '{"p":1.0}' },
    ]);
  });

  test("C-023 · ids another provider made up become legal, alike in call and result, and stay apart", () => {
    const ids = ["functions.Read:0", "functions.Read.0", "x".repeat(70)];
    const pieces = [
      user1,
      ...ids.map((id, at) => call(`2.${at}`, id, "chat")),
      ...ids.map((id, at) => result(`3.${at}`, id, "r")),
    ];
    const made = inputOf(pieces)
      .slice(1)
      .map((item: { call_id: string }) => item.call_id);
    expect(made.slice(3)).toEqual(made.slice(0, 3));
    expect(new Set(made).size).toBe(3);
    for (const id of made) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  test("C-023 · an illegal id in an item as a foreign client sent it is written as its result writes it", () => {
    const wire = '{"type":"function_call","call_id":"a:b","name":"Read","arguments":"{}"}';
    const block: AssistantBlock = { type: "tool-call", callId: brand("a:b"), tool: "Read", input: "{}", wire };
    const [, asked, answered] = inputOf([user1, assistant("2.0", block), result("3.0", "a:b", "r")]);
    expect(asked.call_id).toBe(answered.call_id);
    expect(asked.call_id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  test("law 4 · no empty text of ours is sent, and an empty result says so; half surrogate pairs become U+FFFD", () => {
    const pieces = [
      said("1.0", " \n"),
      said("1.1", "a\ud83d"),
      reminder("1.2", { text: "" }),
      call("2.0", "a"),
      result("3.0", "a", " "),
    ];
    expect(inputOf(pieces).map((item: { type: string }) => item.type)).toEqual([
      "message",
      "function_call",
      "function_call_output",
    ]);
    expect(inputOf(pieces)[0].content).toEqual([{ type: "input_text", text: "a\ufffd" }]);
    expect(inputOf(pieces)[2].output).toBe("(no output)");
  });

  test("an input that is no JSON object goes out as {}", () => {
    for (const input of ["[1]", '{"cut', "", "null"]) {
      expect(inputOf([user1, call("2.0", "a", "chat", input), result("3.0", "a", "bad")])[1].arguments).toBe("{}");
    }
  });

  test("B.3 · a new effort is an item where the model takes one, beside the text; else the text alone", () => {
    const pieces = [user1, reminder("2.0", { text: "effort is high now", effort: "max" }), said("3.0", "go")];
    const text = {
      type: "message",
      role: "developer",
      content: [{ type: "input_text", text: "effort is high now" }],
    };
    expect(inputOf(pieces).slice(1, 3)).toEqual([
      text,
      { type: "configuration_update", reasoning: { effort: "xhigh" } },
    ]);
    expect(inputOf(pieces, { model: "gpt-5.5" })[1]).toEqual(text);
    expect(inputOf(pieces, { model: "gpt-5.5" })).toHaveLength(3);
    expect(codec.abilities("gpt-6-sol")).toMatchObject({ systemMessages: true, effortUpdates: true });
    expect(codec.abilities("gpt-5.5")).toMatchObject({ systemMessages: true, effortUpdates: false });
  });
});

describe("the golden bytes of a small request", () => {
  const doc = docOf(
    [said("1.0", "é😀"), assistant("2.0", { type: "text", text: "hi" }, "anthropic"), said("3.0", "go")],
    { effort: "max" },
    {
      tools: [{ name: "Read", description: "d", inputSchema: '{"type":"object"}' }],
      system: sections,
      previousResponse: "resp_1",
    },
  );

  test("for a newer model, with breakpoints behind the shared part and the head", () => {
    const marks = codec.placeMarks(codec.segmentsOfDoc(doc), {
      model: "gpt-6.2-sol",
      previous: [],
      taken: 0,
      globalSegments: 2,
    });
    expect(codec.encode(doc, marks).body).toBe(
      '{"model":"gpt-6.2-sol","stream":true,"store":false,"max_output_tokens":8000,"reasoning":{"effort":"xhigh","summary":"auto"},"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","prompt_cache_options":{"mode":"implicit","comparison_response_id":"resp_1"},"tools":[{"type":"function","name":"Read","description":"d","parameters":{"type":"object"},"strict":false}],"input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"one","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"input_text","text":"two","prompt_cache_breakpoint":{"mode":"explicit"}}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"é😀"}]},{"type":"message","role":"assistant","content":"hi"},{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}]}',
    );
  });

  test.each([
    ["gpt-5.5", { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] }],
    ["o3", { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] }],
    ["gpt-4.1", { reasoning: undefined, include: undefined }],
    ["gpt-4o", { reasoning: undefined, include: undefined }],
    ["gpt-oss-120b", { reasoning: undefined, include: ["reasoning.encrypted_content"] }],
    ["my-deployment", { reasoning: undefined, include: ["reasoning.encrypted_content"] }],
  ])("%s gets what it knows, and no options of newer caches", (model, want) => {
    const body = bodyOf(docOf([user1], { model }));
    expect({ reasoning: body.reasoning, include: body.include }).toEqual(want);
    expect(body.prompt_cache_options).toBeUndefined();
    expect(body.store).toBe(false);
  });

  test("law 7 · the same document gives the same bytes; a longer lifetime of a mark is said in its own terms", () => {
    expect(codec.encode(doc, []).body).toBe(codec.encode(structuredClone(doc), []).body);
    expect(codec.encode(doc, [{ segment: 3, ttl: "1h" }]).body).toContain(
      '{"type":"input_text","text":"é😀","prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}}',
    );
  });

  test("the key differs by model, effort and lane, not by text or by what is compared", () => {
    const key = (more: Partial<Doc>) => codec.cacheKeyOfDoc({ ...doc, ...more });
    expect(key({ pieces: [user1], previousResponse: "resp_2" })).toBe(key({}));
    const others = [{ cacheKey: "other" }, { model: { ...doc.model, effort: "low" as const } }];
    expect(new Set([key({}), ...others.map(key)]).size).toBe(3);
  });
});

describe("breakpoints", () => {
  const segments = codec.segmentsOfDoc(
    docOf([user1], {}, { tools: [{ name: "t", description: "d", inputSchema: "{}" }], system: sections }),
  );
  const place = (more: object) =>
    codec
      .placeMarks(segments, { model: "gpt-5.6-sol", previous: [], taken: 0, globalSegments: 2, ...more })
      .map(({ segment }) => segment);

  test("stand at the end of the shared part and of the head, and stay there", () => {
    expect(place({})).toEqual([1, 2]);
    expect(place({ previous: [1, 2, 3] })).toEqual([1, 2]);
    expect(place({ globalSegments: 3 })).toEqual([2]);
    expect(place({ globalSegments: undefined })).toEqual([2]);
  });

  test("C-035 · never on a tool, which cannot carry one here", () => {
    expect(place({ globalSegments: 1 })).toEqual([2]);
  });

  test("C-033 · with the implicit one and those of others there are never more than four", () => {
    expect(place({ taken: 2 })).toEqual([2]);
    expect(place({ taken: 3 })).toEqual([]);
    expect(place({ taken: 9 })).toEqual([]);
  });

  test("older models, and servers of others, have none", () => {
    for (const model of ["gpt-5.5", "gpt-5.4-2026-03-05", "llama", "gpt-oss-20b"]) expect(place({ model })).toEqual([]);
  });
});
