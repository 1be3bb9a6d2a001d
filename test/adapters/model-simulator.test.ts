import { afterEach, expect, test } from "vitest";
import { sdkModel } from "../../src/adapters/model.ts";
import { promptTokensOf, type Wire } from "../../src/kernel/usage.ts";
import type { Piece } from "../../src/log/block.ts";
import type { Doc } from "../../src/prompt/doc.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { createAnthropicCodec } from "../../src/provider/anthropic/codec.ts";
import type { Codec, Received } from "../../src/provider/codec.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { type Simulator, startSimulator } from "../../src/testing/simulate/server.ts";

let simulator: Simulator;
afterEach(() => simulator.close());

const read = {
  name: "Read",
  description: "Reads a file.",
  inputSchema: '{"type":"object","properties":{"path":{"type":"string"}}}',
};
const strict = createAnthropicCodec({ onMismatch: "error" });
const codecOf = (wire: Wire): Codec => (wire === "anthropic" ? strict : codecFor(wire));

/** Thinks, says something in other scripts, and asks for `width` files at once, `rounds` times. */
function wideBrain(width: number, rounds: number): Brain {
  return ({ served }) =>
    served >= rounds
      ? { reasoning: "enough", text: "done" }
      : {
          reasoning: `step ${served} 考える`,
          text: served % 2 === 0 ? "読みます 😀" : "",
          calls: Array.from({ length: width }, (_, i) => ({
            tool: "Read",
            input: { path: `f${served}-${i}.ts`, "2": 1, "1": 1.5 },
          })),
        };
}

async function step(codec: Codec, doc: Doc, previous: readonly number[]) {
  expect(wellformed(doc.pieces)).toBeNull();
  const marks = codec.placeMarks(codec.segmentsOfDoc(doc), {
    model: doc.model.model,
    previous,
    taken: 0,
    globalSegments: doc.tools.length + 1,
  });
  const model = sdkModel({ wire: codec.wire, baseUrl: simulator.url, apiKey: "k" });
  let tokens = 0;
  const decoder = codec.decoder(() => `t${doc.pieces.length}x${tokens++}`);
  for await (const event of model.stream(codec.encode(doc, marks), AbortSignal.timeout(20_000))) decoder.push(event);
  const end = decoder.end();
  if (end.type === "failed") throw new Error(`${end.failure.class}: ${end.failure.message}`);
  return { end, marks: marks.map((mark) => mark.segment) };
}

function answered(end: Received, seq: number, wire: Wire): readonly Piece[] {
  const assistant = end.blocks.map((block, i): Piece => ({ id: `${seq}.${i}`, role: "assistant", from: wire, block }));
  const results = end.blocks.flatMap((block) => (block.type === "tool-call" ? [block] : []));
  return [
    ...assistant,
    ...results.map(({ callId, tool }, i): Piece => {
      const text = `content of file ${seq} ${i} `.repeat(20);
      return {
        id: `${seq + 1}.${i}`,
        role: "user",
        kind: "result",
        block: { type: "tool-result", callId, tool, text, isError: false },
      };
    }),
  ];
}

test.each([
  ["anthropic", "claude-opus-5-5"],
  ["anthropic", "claude-sonnet-4-6"],
  ["chat", "sim-chat"],
  ["chat", "sim-reasoner"],
  ["responses", "gpt-6.2-sol"],
  ["responses", "gpt-5.6-sol"],
  ["responses", "gpt-5.5"],
  ["responses", "sim-responses"],
  ["gemini", "sim-gemini"],
  ["gemini", "gemini-4-argon"],
  ["gemini", "gemini-3.5-flash"],
  ["gemini", "gemini-2.5-pro"],
] as const)(
  "C-039, C-025 · %s %s: a loop of 24 blocks a turn is never refused and reads back all it wrote",
  async (wire, model) => {
    simulator = await startSimulator({ brain: wideBrain(12, 6), clock: "manual" });
    const codec = codecOf(wire);
    let pieces: readonly Piece[] = [
      { id: "1.0", role: "user", kind: "message", block: { type: "text", text: `go ${"x ".repeat(1500)}` } },
    ];
    let marks: readonly number[] = [];
    let before = 0;
    for (let seq = 2; seq < 30; seq += 2) {
      const doc: Doc = {
        model: {
          wire,
          model,
          effort: null,
          thinking: wire === "chat" ? "off" : "adaptive",
          outputTokensMax: 8000,
        },
        tools: [read],
        system: [
          { name: "a", scope: "global", text: "Be brief. ".repeat(100) },
          { name: "b", scope: "session", text: "Here." },
        ],
        pieces,
        cacheKey: "lane",
      };
      const { end, marks: placed } = await step(codec, doc, marks);
      marks = placed;
      const usage = end.usage;
      if (usage === null) throw new Error("no usage");
      // Below its minimum this service stores nothing (PROTOCOLS C.1).
      if (wire === "gemini" && before < 4_200) before = 0;
      expect(usage.cacheRead, `step ${seq}`).toBeGreaterThanOrEqual(Math.floor(before * 0.9));
      before = promptTokensOf(usage);
      if (end.stop === "end-turn") return;
      expect(end.stop).toBe("tool-use");
      expect(end.blocks.filter((block) => block.type === "tool-call").length).toBe(12);
      pieces = [...pieces, ...answered(end, seq, wire)];
    }
    throw new Error("the loop did not end");
  },
);

test("a refusal by the simulator is classified: window, key, unknown model", async () => {
  simulator = await startSimulator({ windowTokens: 500 });
  const doc = (model: string, text: string): Doc => ({
    model: { wire: "anthropic", model, effort: null, thinking: "off", outputTokensMax: 100 },
    tools: [],
    system: [],
    pieces: [{ id: "1.0", role: "user", kind: "message", block: { type: "text", text } }],
    cacheKey: "",
  });
  await expect(step(strict, doc("sim-plain", "word ".repeat(3000)), [])).rejects.toThrow("overflow");
  await expect(step(strict, doc("claude-none", "hi"), [])).rejects.toThrow("not-found");
});
