import { describe, expect, test } from "vitest";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import type { MissCause } from "../../src/testing/simulate/miss.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type Body, tokens } from "./builders.ts";
import { declared, gemini, model, postGemini, says } from "./gemini-builders.ts";

const minute = 60_000;
const head = { systemInstruction: { parts: [{ text: tokens(4_500) }] }, tools: [declared("f")] };
const turn = (n: number) => [says(`question ${n} ${tokens(300)}`), model({ text: `answer ${n}` })];
/** A conversation of `n` finished turns and one open question. */
const lane = (n: number, more: Body = {}, ask = `question ${n} ${tokens(300)}`) =>
  gemini({ ...head, contents: [...Array.from({ length: n }, (_, at) => turn(at)).flat(), says(ask)], ...more });

describe("the cause of each miss on the Gemini wire, where lanes are known by their conversation (METRICS 7)", () => {
  test.each<[string, readonly (readonly [number, Body])[], readonly (MissCause | null)[]]>([
    [
      "the first is cold, one that only grows is no miss",
      [
        [0, lane(0)],
        [1, lane(1)],
        [2, lane(2)],
      ],
      ["cold-start", null, null],
    ],
    [
      "idle for longer than the lifetime, whatever else changed",
      [
        [0, lane(0)],
        [59 * minute, lane(1, { tools: [declared("g")] })],
      ],
      ["cold-start", "expired"],
    ],
    [
      "another model",
      [
        [0, lane(1)],
        [1, lane(2, { model: "gemini-3.8-flash" })],
      ],
      ["cold-start", "model-changed"],
    ],
    [
      "a tool more",
      [
        [0, lane(1)],
        [1, lane(2, { tools: [declared("f"), declared("g")] })],
      ],
      ["cold-start", "tools-changed"],
    ],
    [
      "other system text",
      [
        [0, lane(1)],
        [1, lane(2, { systemInstruction: { parts: [{ text: `!${tokens(4_500)}` }] } })],
      ],
      ["cold-start", "system-changed"],
    ],
    [
      "an edit in mid-conversation",
      [
        [0, lane(4)],
        [1, gemini({ ...head, contents: [...turn(0), says("edited"), model({ text: "x" }), ...turn(2), says("y")] })],
      ],
      ["cold-start", "messages-changed"],
    ],
    [
      "too small to be cached",
      [
        [0, lane(1, { systemInstruction: undefined })],
        [1, lane(2, { systemInstruction: undefined })],
      ],
      ["cold-start", "below-minimum"],
    ],
    [
      "two lanes in turn do not disturb each other, and share their head",
      [
        [0, lane(1)],
        [1, gemini({ ...head, contents: [says("another task")] })],
        [2, lane(2)],
        [3, gemini({ ...head, contents: [says("another task"), model({ text: "a" }), says("b")] })],
      ],
      ["cold-start", null, null, null],
    ],
    [
      "level of thinking, tool choice and output limit changed",
      [
        [0, lane(1)],
        [1, lane(2, { generationConfig: { thinkingConfig: { thinkingLevel: "low" }, maxOutputTokens: 9 } })],
        [2, lane(3, { toolConfig: { functionCallingConfig: { mode: "NONE" } } })],
      ],
      ["cold-start", null, null],
    ],
  ])("%s", async (_name, steps, want) => {
    const simulation = createSimulation({ brain: scriptedBrain([]) });
    for (const [at, body] of steps) {
      const outcome = await simulation.handle(postGemini(body), at);
      expect(outcome.status, outcome.frames.join("")).toBe(200);
    }
    expect(simulation.requests().map(({ missCause }) => missCause)).toEqual(want);
  });
});
