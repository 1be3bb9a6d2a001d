import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Effort, ModelChoice, PermissionMode, Verbosity } from "../../src/log/entry.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { lawCodec } from "../support/play-log.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

/** Models whose service ties reasoning to what stood before it, or wants its signatures back. */
const models: readonly (readonly [wire: Wire, model: string, effortSaid: boolean])[] = [
  ["anthropic", "claude-sonnet-5-5", true],
  ["anthropic", "claude-opus-5-5", true],
  ["responses", "gpt-6.2-sol", true],
  ["gemini", "gemini-4-argon", false],
];

const turns = 12;
const callsPerTurn = 9;

/** Thinks at every step; each turn is nine calls (two of them side by side) and an answer. */
const brain: Brain = ({ messages, served }) => {
  const last = messages.findLastIndex(
    ({ role, parts }) => role === "user" && parts.some((part) => part.type === "text" && part.text.startsWith("task ")),
  );
  const steps = messages.slice(last).filter(({ role }) => role === "assistant").length;
  const reasoning = `Thought ${served}: what I saw leads to this step. `.repeat(3);
  if (steps >= callsPerTurn) return { reasoning, text: `Task done after ${steps} steps.` };
  const calls = steps === 4 ? ["look", "look"] : [steps % 3 === 2 ? "change" : "look"];
  return { reasoning, text: `Step ${steps}.`, calls: calls.map((tool, at) => ({ tool, input: { step: steps, at } })) };
};

const modes: readonly PermissionMode[] = ["plan", "default", "acceptEdits", "default"];
const efforts: readonly Effort[] = ["low", "high", "medium"];
const verbosities: readonly Verbosity[] = ["low", "high", "medium"];

async function played(
  [wire, model, effortSaid]: (typeof models)[number],
  { windowTokens, pageLines }: { readonly windowTokens: number; readonly pageLines: number },
) {
  const choice: ModelChoice = { wire, model, effort: "medium", thinking: "adaptive", outputTokensMax: 4_000 };
  const simulation = createSimulation({ brain, binding: "error", windowTokens });
  const page = "a line of output that a real command could have printed, more or less\n".repeat(pageLines);
  const world: TestWorld = await testWorld({
    choice,
    windowTokens,
    codecFor: lawCodec,
    tools: [fakeTool("look", true, async () => page), fakeTool("change", false, async () => "changed")],
    model: simulatedModel(simulation, () => world.clock.now()),
  });
  const session = await world.open();
  for (let turn = 0; turn < turns; turn++) {
    expect(await session.prompt(`task ${turn}`)).toMatchObject({ reason: "done" });
    await session.chooseMode(modes[turn % modes.length] ?? "default");
    await session.chooseVerbosity(verbosities[turn % verbosities.length] ?? "low");
    if (effortSaid) await session.chooseModel({ ...choice, effort: efforts[turn % efforts.length] ?? "low" });
    world.observed = [{ key: "date", text: `2026-12-${String(turn + 1).padStart(2, "0")}` }];
    await world.clock.advance(60_000);
  }
  const breaks = (await world.entries()).flatMap((entry) => (entry.type === "epoch-opened" ? [entry.reason] : []));
  return { requests: simulation.requests(), breaks };
}

describe.each(models)("%s %s: a session of 120 calls under `error`", (...model) => {
  test("that only grows has no 400 and no dropped block", async () => {
    const { requests, breaks } = await played(model, { windowTokens: 1_000_000, pageLines: 5 });
    expect(requests.length).toBeGreaterThanOrEqual(120);
    expect(requests.filter(({ status }) => status !== 200).map(({ violation }) => violation)).toEqual([]);
    expect(requests.flatMap(({ dropped }) => dropped)).toEqual([]);
    expect(breaks).toEqual(["start"]);
  });

  test("that is folded again and again has none either: a declared break leaves the reasoning behind it out itself", async () => {
    const { requests, breaks } = await played(model, { windowTokens: 40_000, pageLines: 60 });
    expect(requests.length).toBeGreaterThanOrEqual(120);
    expect(requests.filter(({ status }) => status !== 200).map(({ violation }) => violation)).toEqual([]);
    expect(requests.flatMap(({ dropped }) => dropped)).toEqual([]);
    expect(breaks.filter((reason) => reason === "compacted").length).toBeGreaterThan(1);
    expect(new Set(breaks)).toEqual(new Set(["start", "compacted"]));
  });
});
