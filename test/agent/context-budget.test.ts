import { expect, test } from "vitest";
import { cappedForm } from "../../src/agent/capped-form.ts";
import { estimate } from "../../src/budget/count.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type Caps, defaultCaps } from "../../src/workspace/context-budget.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, testModel, testWorld } from "../support/world.ts";

const caps: Caps = { ...defaultCaps, returnTokens: 200, rangeTokens: 600, tools: { Grep: 100 }, servers: { db: 120 } };
const texts = {
  lines: Array.from({ length: 900 }, (_, at) => `${at} some line of output, number ${at * 7}`).join("\n"),
  giant: "0123456789abcdef".repeat(4_000),
  cjk: "漢字かな交じり文".repeat(2_000),
  json: JSON.stringify(Array.from({ length: 300 }, (_, id) => ({ id, name: `n${id}`, value: id * 3.5 }))),
  small: "three words only",
};

test.each(Object.entries(texts))("a return of a tool is held under its cap: %s", (_name, text) => {
  const handle = handleOf(hashOf(text));
  for (const [tool, form, cap] of [
    ["Bash", "output", 200],
    ["Bash", "whole", 200],
    ["Read", "range", 600],
    ["Grep", "output", 100],
    ["mcp__db__query", "output", 120],
  ] as const) {
    const made = cappedForm({ tool, text, exitCode: null, form, handle }, { firstForm, caps: () => caps });
    expect(estimate(made.text)).toBeLessThanOrEqual(cap);
    expect(made.text.length).toBeLessThanOrEqual(text.length);
    if (!made.whole) expect(made.text).toContain(handle);
    else expect(made.text).toBe(text);
  }
});

test("a failing exit code is said however small the cap is, and a form of somebody's own is held under it too", () => {
  const text = texts.lines;
  const input = { tool: "Bash", text, exitCode: 3, form: "output", handle: handleOf(hashOf(text)) } as const;
  expect(cappedForm(input, { firstForm, caps: () => ({ ...caps, returnTokens: 50 }) }).text).toContain("[exit code 3]");
  const own = cappedForm(input, { firstForm: () => ({ whole: true, text }), caps: () => caps });
  expect(estimate(own.text)).toBeLessThanOrEqual(200);
});

test("without caps of the project's own, or with the usual ones, nothing is other than before", () => {
  for (const text of Object.values(texts)) {
    const input = { tool: "Bash", text, exitCode: 1, form: "output", handle: handleOf(hashOf(text)) } as const;
    expect(cappedForm(input, { firstForm, caps: () => null })).toEqual(firstForm(input));
    expect(cappedForm(input, { firstForm, caps: () => defaultCaps })).toEqual(firstForm(input));
  }
});

test("above the project's share of the window work is folded, and nothing else ends", async () => {
  const look: BrainReply = { calls: [{ tool: "look", input: {} }] };
  const simulation = createSimulation({
    brain: scriptedBrain([...Array.from({ length: 40 }, () => look), { text: "done" }]),
  });
  const world = await testWorld({
    model: { stream: (request, signal) => simulatedModel(simulation, () => world.clock.now()).stream(request, signal) },
    choice: { ...testModel, model: "claude-sonnet-4-6" },
    tools: [fakeTool("look", true, async () => texts.lines)],
    windowTokens: 100_000,
    caps: { ...defaultCaps, totalPercent: 12 },
  });
  const session = await world.open();
  expect(await session.prompt("go")).toMatchObject({ reason: "done" });
  const entries = await world.entries();
  expect(
    entries.filter((entry) => entry.type === "epoch-opened" && entry.reason === "compacted").length,
  ).toBeGreaterThan(0);
  const sizes = entries.flatMap((entry) => (entry.type === "request-sent" ? [entry.predicted.promptTokens] : []));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(12_000);
});
