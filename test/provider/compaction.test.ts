import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { CompactionBlock, Piece } from "../../src/log/block.ts";
import type { WireEvent } from "../../src/ports/model.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { anthropicDecoder } from "../../src/provider/anthropic/decoder.ts";
import { classify } from "../../src/provider/classify.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { responsesDecoder } from "../../src/provider/responses/decoder.ts";

type Raw = Record<string, unknown>;

/** As each service writes it; numbers and order of keys are its own. */
const wires: Readonly<Record<string, string>> = {
  anthropic:
    '{"type":"compaction","content":"1. Goal\\n- all","encrypted_content":null,"signature":"sig","tool_changes":[]}',
  responses: '{"type":"compaction","id":"cmp_1","encrypted_content":"gAAA"}',
};
const block = (wire: Wire): CompactionBlock => ({ type: "compaction", text: "in words", wire: wires[wire] ?? "" });
const said = (id: string, text: string): Piece => ({
  id,
  role: "user",
  kind: "message",
  block: { type: "text", text },
});
const docOf = (wire: Wire, model: string, rest: Partial<Doc> = {}): Doc => ({
  model: { wire, model, effort: null, thinking: "off", outputTokensMax: 8_000 },
  tools: [],
  system: [{ name: "a", scope: "global", text: "rules" }],
  pieces: [{ id: "1.summary", role: "assistant", from: wire, block: block(wire) }, said("2.0", "go on")],
  cacheKey: "k",
  ...rest,
});
const both: readonly (readonly [Wire, string])[] = [
  ["anthropic", "claude-sonnet-5-5"],
  ["responses", "gpt-6.2-sol"],
];
const sent = (doc: Doc) => codecFor(doc.model.wire).encode(doc, []);
const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(both)("%s: a summary that the provider made", (wire, model) => {
  const codec = codecFor(wire);

  test("goes back byte for byte, in front of all messages", () => {
    const { body } = sent(docOf(wire, model));
    expect(body).toContain(wires[wire]);
    const { messages, input } = JSON.parse(body);
    const first = wire === "anthropic" ? messages[0].content[0] : input[1];
    expect(first).toEqual(JSON.parse(wires[wire] ?? ""));
  });

  test("is one segment, the same from the document and from the body, and may stand first", () => {
    const doc = docOf(wire, model);
    const plain = (segments: ReturnType<typeof codec.segments>) => segments.map(({ hash, role }) => `${role} ${hash}`);
    expect(plain(codec.segmentsOfDoc(doc))).toEqual(plain(codec.segments(bytes(sent(doc).body))));
    const again = codec.decodeForeign(bytes(sent(doc).body));
    expect(again.pieces[0]?.block).toMatchObject({ type: "compaction", wire: wires[wire] });
    expect(wellformed(again.pieces)).toBeNull();
  });

  test("is asked for by the same request and a setting: no segment more, the same key", () => {
    const doc = docOf(wire, model);
    const asking: Doc = { ...doc, asksSummary: true };
    expect(codec.segmentsOfDoc(asking)).toEqual(codec.segmentsOfDoc(doc));
    expect(codec.segments(bytes(sent(asking).body)).map(({ hash }) => hash)).toEqual(
      codec.segments(bytes(sent(doc).body)).map(({ hash }) => hash),
    );
    expect(codec.cacheKeyOfDoc(asking)).toBe(codec.cacheKeyOfDoc(doc));
    expect(codec.decodeForeign(bytes(sent(asking).body)).asksSummary).toBe(true);
    const { compaction, input } = JSON.parse(sent(asking).body);
    expect(wire === "anthropic" ? compaction : input.at(-1)).toEqual(
      wire === "anthropic" ? { type: "summarize" } : { type: "compaction_trigger" },
    );
  });

  test("is known by the model's name; another server's model has none", () => {
    expect(codec.abilities(model).sumsUp).toBe(true);
    for (const other of ["llama", "gpt-oss-20b", "claude-haiku-4-5", "claude-opus-4-5"])
      expect(codec.abilities(other).sumsUp).toBeUndefined();
  });
});

test("A.5 · the header is sent where a summary is asked for and where one stands, and nowhere else", () => {
  const beta = (doc: Doc) => sent(doc).headers["anthropic-beta"] ?? "";
  const doc = docOf("anthropic", "claude-sonnet-5-5");
  const plain = { ...doc, pieces: doc.pieces.slice(1) };
  expect(beta(doc)).toContain("compact-2026-09-04");
  expect(beta({ ...plain, asksSummary: true })).toContain("compact-2026-09-04");
  expect(beta(plain)).not.toContain("compact-2026-09-04");
});

test("A.5 · it is not asked for together with clearing", () => {
  const clearing = { triggerTokens: 1, keptUses: 1, clearedTokensMin: 1, excludedTools: [] };
  const doc = docOf("anthropic", "claude-sonnet-5-5", { providerClearing: clearing });
  expect(sent(doc).body).toContain("context_management");
  expect(sent({ ...doc, asksSummary: true }).body).not.toContain("context_management");
});

test("a conversation that ends with an answer may be summed up, and not answered", () => {
  const answer: Piece = { id: "3.0", role: "assistant", from: "anthropic", block: { type: "text", text: "done" } };
  const pieces = [said("1.0", "q"), answer];
  expect(wellformed(pieces, "summary")).toBeNull();
  expect(wellformed(pieces)).toContain("assistant");
  expect(wellformed([answer, said("4.0", "q")], "summary")).toContain("first");
});

describe("what came", () => {
  const anthropic = (start: Raw, deltas: readonly Raw[], usage: Raw = {}) => {
    const events: readonly Raw[] = [
      { type: "message_start", message: { id: "m", model: "x", usage: { input_tokens: 0, output_tokens: 0 } } },
      { type: "content_block_start", index: 0, content_block: { type: "compaction", ...start } },
      ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "compaction" }, usage },
      { type: "message_stop" },
    ];
    return ended(
      anthropicDecoder(() => "t"),
      events,
    );
  };
  const ended = (decoder: ReturnType<typeof anthropicDecoder>, events: readonly Raw[]) => {
    for (const data of events) decoder.push({ type: "event", data } satisfies WireEvent);
    const end = decoder.end();
    return end.type === "received" ? end : expect.fail(end.failure.message);
  };

  test("Anthropic: put together from its deltas, with all it carries", () => {
    const { blocks } = anthropic({ content: null, signature: "s", tool_changes: [] }, [
      { type: "compaction_delta", content: "1. Go" },
      { type: "compaction_delta", content: "al" },
    ]);
    expect(blocks).toEqual([
      {
        type: "compaction",
        text: "1. Goal",
        wire: '{"type":"compaction","content":"1. Goal","signature":"s","tool_changes":[]}',
      },
    ]);
  });

  test("Anthropic: without content none was made, and it goes back as what nobody understands", () => {
    expect(anthropic({ content: null }, []).blocks[0]?.type).toBe("opaque");
  });

  test("Anthropic: what the summary took stands in its iterations only, and is counted once", () => {
    const pass = {
      input_tokens: 10,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 50,
      output_tokens: 300,
    };
    const usage = (more: Raw) => anthropic({ content: "x" }, [], more).usage;
    const cost = { uncached: 10, cacheRead: 900, cacheWriteOther: 50, output: 300 };
    expect(usage({ iterations: [{ type: "compaction", ...pass }] })).toMatchObject(cost);
    // That of the answer stands in the top-level counts as well.
    const answer = { input_tokens: 7, output_tokens: 5 };
    const two = [
      { type: "compaction", ...pass },
      { type: "message", ...answer },
    ];
    expect(usage({ ...answer, iterations: two })).toMatchObject({ ...cost, uncached: 17, output: 305 });
  });

  test("Responses: the item as it came; one without content goes back as what nobody understands", () => {
    const response = (item: Raw) =>
      ended(
        responsesDecoder(() => "t"),
        [
          { type: "response.output_item.done", output_index: 0, item },
          { type: "response.completed", response: { id: "r", model: "x", output: [item] } },
        ],
      ).blocks;
    expect(response(JSON.parse(wires.responses ?? ""))).toEqual([
      { type: "compaction", text: "", wire: wires.responses },
    ]);
    expect(response({ type: "compaction", id: "cmp_2" })[0]?.type).toBe("opaque");
  });
});

test.each(["compaction_signature_invalid", "compaction_content_mismatch", "invalid_encrypted_content"])(
  "a service that does not know its own summary again (%s) is asked without it",
  (code) => {
    const error = { type: "invalid_request_error", message: "no", code, details: { error_code: code } };
    expect(classify({ type: "http-error", status: 400, headers: {}, body: { error } }).class).toBe("binding");
  },
);
