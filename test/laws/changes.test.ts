import { describe, expect, test } from "vitest";
import type { Session } from "../../src/agent/session.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

/** Per wire: a model of today, and what it does where the wire leaves no way to say an effort in the conversation. */
const wires: Readonly<Record<Wire, { readonly model: string; readonly effort: "said" | "break" }>> = {
  anthropic: { model: "claude-sonnet-5-5", effort: "said" },
  responses: { model: "gpt-6.2-sol", effort: "said" },
  gemini: { model: "gemini-4-argon", effort: "break" },
  chat: { model: "sim-reasoner", effort: "break" },
};

type Change = {
  readonly name: string;
  readonly make: (session: Session, world: TestWorld) => unknown;
  /** What the newest request says of it, and no request before. */
  readonly says: RegExp;
};

const observed = (world: TestWorld, key: string, text: string) => {
  world.observed = [...world.observed.filter((one) => one.key !== key), { key, text }];
};

const changes: readonly Change[] = [
  { name: "verbosity", make: (session) => session.chooseVerbosity("low"), says: /Verbosity: low/ },
  { name: "the date", make: (_, world) => observed(world, "date", "2026-11-30"), says: /date is now: 2026-11-30/ },
  {
    name: "the working directory",
    make: (_, world) => observed(world, "working directory", "/w/app/sub"),
    says: /working directory is now: \/w\/app\/sub/,
  },
  {
    name: "the git branch",
    make: (_, world) => observed(world, "git", "branch next"),
    says: /git is now: branch next/,
  },
];

/** Long enough to be cached on every wire. */
const firstMessage = "The history so far, line by line.\n".repeat(900);

describe.each(Object.entries(wires))("%s: things change in mid-session", (name, { model, effort }) => {
  // The proof: the record is keyed by wire.
  const wire = name as Wire;

  test.each(changes)("$name: nothing that was sent moves, the tail says it, nothing is missed", async (change) => {
    const game = await started(wire, model);
    await change.make(game.session, game.world);
    const now = await game.say("and now?");
    expect(now.news(change.says)).toBe(1);
    expect(now).toMatchObject({ keptAll: true, cause: null, breaks: [] });
    expect(await game.say("and then?")).toMatchObject({ keptAll: true, cause: null, breaks: [] });
  });

  test("plan mode on and off ten times: each is said once, the head never moves, nothing is missed", async () => {
    const game = await started(wire, model);
    for (let round = 0; round < 10; round++) {
      await game.session.chooseMode("plan");
      const on = await game.say("plan it");
      expect(on.news(/Permission mode: plan/)).toBe(1);
      await game.session.chooseMode("default");
      const off = await game.say("do it");
      expect(off.news(/Permission mode: default/)).toBe(1);
      expect([on, off]).toMatchObject([
        { keptAll: true, cause: null, breaks: [] },
        { keptAll: true, cause: null, breaks: [] },
      ]);
    }
  });

  test("effort: said in the conversation where the wire can, else one break that names it; the text never moves", async () => {
    const game = await started(wire, model);
    const { choice } = game;
    await game.session.chooseModel({ ...choice, effort: "low" });
    const low = await game.say("quickly");
    await game.session.chooseModel({ ...choice, effort: "high" });
    const high = await game.say("now with care");
    expect([low.keptAll, high.keptAll]).toEqual([true, true]);
    if (effort === "said") {
      expect([low, high]).toMatchObject([
        { cause: null, breaks: [] },
        { cause: null, breaks: [] },
      ]);
      expect([low.news(/"effort":"low"/), high.news(/"effort":"high"/)]).toEqual([1, 1]);
    } else expect([low.breaks, high.breaks]).toEqual([["effort-changed"], ["effort-changed"]]);
    expect(await game.say("on")).toMatchObject({ keptAll: true, breaks: [] });
  });
});

async function started(wire: Wire, model: string) {
  const choice: ModelChoice = {
    wire,
    model,
    effort: "medium",
    thinking: wire === "chat" ? "off" : "adaptive",
    outputTokensMax: 4_000,
  };
  const simulation = createSimulation({ brain: () => ({ reasoning: "I think.", text: "An answer." }) });
  const tools = [fakeTool("look", true, async () => "seen")];
  const world: TestWorld = await testWorld({
    choice,
    tools,
    model: simulatedModel(simulation, () => world.clock.now()),
  });
  const session = await world.open();
  const say = async (text: string) => {
    const before = simulation.requests().at(-1);
    const seq = session.state().seq;
    const turn = await session.prompt(text);
    expect(turn).toMatchObject({ reason: "done" });
    const now = simulation.requests().at(-1);
    if (now === undefined || now === before) throw new Error("no request was sent");
    const kept = before?.segments.map(({ hash }) => hash) ?? [];
    const entries = (await world.entries()).filter((entry) => entry.seq > seq);
    return {
      cause: now.missCause,
      keptAll: kept.every((hash, at) => now.segments[at]?.hash === hash),
      breaks: entries.flatMap((entry) => (entry.type === "epoch-opened" ? [entry.reason] : [])),
      /** How often the request says it more than the one before did. */
      news: (words: RegExp) => count(now.body, words) - count(before?.body ?? "", words),
    };
  };
  await say(firstMessage);
  await say("go on");
  return { session, world, choice, say };
}

function count(text: string, words: RegExp): number {
  return [...text.matchAll(new RegExp(words.source, "g"))].length;
}
