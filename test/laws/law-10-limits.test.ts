import { describe, expect, test } from "vitest";
import { nodeShell } from "../../src/adapters/shell.ts";
import { titleOf } from "../../src/adapters/store-summary.ts";
import { decide } from "../../src/agent/decide.ts";
import { textCache } from "../../src/agent/texts.ts";
import { failureLines } from "../../src/digest/failures.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { indexLines } from "../../src/digest/line-index.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { compileGlob } from "../../src/workspace/glob.ts";
import { fakeTool, testWorld } from "../support/world.ts";

describe("law 10 · limits at their edges", () => {
  test("a text of bounds.inlineCharsMax stands in its line, one character more goes to a blob", async () => {
    const texts = textCache({ putBlob: async (text) => hashOf(text), getBlob: async () => null });
    expect(await texts.keep("x".repeat(bounds.inlineCharsMax))).toBeTypeOf("string");
    expect(await texts.keep("x".repeat(bounds.inlineCharsMax + 1))).toMatchObject({ chars: bounds.inlineCharsMax + 1 });
  });

  test("a line of a first form ends at bounds.lineCharsMax", () => {
    const text = `${"word ".repeat(20_000)}\n`;
    const made = firstForm({ tool: "Read", text, exitCode: null, form: "range", handle: handleOf(hashOf(text)) });
    const longest = Math.max(...made.text.split("\n").map((line) => line.length));
    expect(made.whole).toBe(false);
    expect(longest).toBeLessThan(bounds.lineCharsMax * 1.1);
  });

  test("of endless failures the first few and the newest bounds.failuresMax are looked at", () => {
    const text = "Error: it broke\n".repeat(bounds.failuresMax * 3);
    const found = failureLines(text, indexLines(text));
    expect(found.length).toBeGreaterThanOrEqual(bounds.failuresMax);
    expect(found.length).toBeLessThan(bounds.failuresMax * 2);
  });

  test("a list's title has at most bounds.titleCharsMax characters", () => {
    expect([...titleOf("😀".repeat(bounds.titleCharsMax * 2))].length).toBe(bounds.titleCharsMax);
  });

  test("braces stand for bounds.globAlternativesMax alternatives, not for one more", () => {
    const braces = (count: number) => `{${Array.from({ length: count }, (_, n) => `a${n}`).join(",")}}`;
    expect(compileGlob(braces(bounds.globAlternativesMax)).type).toBe("ok");
    expect(compileGlob(braces(bounds.globAlternativesMax + 1)).type).toBe("bad");
  });

  test.each<Wire>(["anthropic", "chat", "responses", "gemini"])(
    "%s: a response brings at most bounds.blocksPerResponseMax blocks",
    (wire) => {
      const decoder = codecFor(wire).decoder(() => "made");
      const count = bounds.blocksPerResponseMax + 50;
      for (let index = 0; index < count; index += 1) decoder.push({ type: "event", data: callEvents[wire](index) });
      decoder.push({ type: "event", data: { type: "message_stop", choices: [{ delta: {}, finish_reason: "stop" }] } });
      const end = decoder.end();
      expect(end.type === "failed" || end.blocks.length <= bounds.blocksPerResponseMax).toBe(true);
    },
  );

  test("waits between attempts start at bounds.retryDelayMsFirst, double, and stay below bounds.retryDelayMsMax", () => {
    const waits = Array.from({ length: bounds.requestAttemptsMax - 1 }, (_, at) => waitAfter(at + 1));
    expect(waits[0]).toBe(bounds.retryDelayMsFirst);
    for (const [at, wait] of waits.entries())
      expect(wait).toBe(Math.min(bounds.retryDelayMsMax, bounds.retryDelayMsFirst * 2 ** at));
  });

  test("a command that ignores the polite signal is gone after bounds.killGraceMs, the default", async () => {
    const shell = nodeShell({ env: { PATH: process.env.PATH } });
    const command = { type: "script", text: "trap '' TERM; while :; do sleep 0.05; done" } as const;
    const request = { command, cwd: "/", timeoutMs: 100, bytesMax: 1_000 };
    const { end, leftBehind } = await shell.run(request, new AbortController().signal);
    expect([end.type, leftBehind]).toEqual(["timed-out", "none"]);
  });

  test("a turn ends at bounds.stepsPerTurnMax, whatever the settings say", async () => {
    const replies = Array.from({ length: bounds.stepsPerTurnMax + 5 }, (_, n) => ({
      calls: [{ id: `c${n}`, tool: "look", input: {} }],
    }));
    const model = scriptedModel(replies);
    const stepsMax = bounds.stepsPerTurnMax * 2;
    const world = await testWorld({ model, tools: [fakeTool("look", true, async () => "x")], stepsMax });
    const session = await world.open();
    expect((await session.prompt("go on for ever")).reason).toBe("step-limit");
    expect(model.bodies.length).toBe(bounds.stepsPerTurnMax);
  });
});

const callEvents: Readonly<Record<Wire, (index: number) => unknown>> = {
  anthropic: (index) => ({ type: "content_block_start", index, content_block: { type: "text", text: "x" } }),
  chat: (index) => ({
    choices: [
      { index: 0, delta: { tool_calls: [{ index, id: `c${index}`, function: { name: "t", arguments: "{}" } }] } },
    ],
  }),
  responses: (index) => ({ type: "response.output_item.done", output_index: index, item: { type: "server_note" } }),
  gemini: () => ({ candidates: [{ content: { parts: [{ functionCall: { name: "t", args: {} } }] } }] }),
};

/** At a time that adds no jitter. */
function waitAfter(attempt: number): number {
  const failure = { class: "overloaded", status: 529, message: "busy", retryAfterMs: null } as const;
  const turn = { fromSeq: 1, steps: 0, folds: 0, foldedAt: 0, interruptedAt: null, refusals: 0 };
  const at = 256_000;
  const state: State = {
    ...emptyState,
    turn,
    model: choice,
    epoch: { number: 1, seq: 1, reason: "start", head: { tools: hashOf(""), system: hashOf("") }, model: choice },
    failure: { at, attempt, failure: { ...failure, promptTokens: null, limitTokens: null } },
  };
  const [effect] = decide(state, {
    now: at,
    stepsMax: 9,
    rendererChanged: false,
    damaged: false,
    headLost: false,
    sectionsChanged: () => false,
    factsDue: () => false,
    isReadOnly: () => true,
    forecast: () => ({
      promptTokens: 1,
      marginTokens: 0,
      autoTokens: 9,
      lineTokens: 9,
      usableTokens: 9,
      fixedTokens: 1,
      floorTokens: 1,
    }),
    planned: () => ({ type: "nothing" }),
    summaries: {
      use: "off",
      native: () => false,
      rides: () => true,
      shortFits: () => true,
      asked: () => ({ type: "refused", why: "" }),
    },
  });
  if (effect?.type !== "wait") throw new Error(`expected a wait, not ${effect?.type}`);
  return effect.untilMs - at;
}

const choice = { wire: "anthropic", model: "m", effort: null, thinking: "off", outputTokensMax: 1_000 } as const;
