import { expect } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import type { Knowledge } from "../../src/ports/knowledge.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { simulatedModel } from "./simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "./world.ts";

/** Per wire: a model of today, and what it does where the wire leaves no way to say an effort in the conversation. */
export const wiresOfToday: Readonly<Record<Wire, { readonly model: string; readonly effort: "said" | "break" }>> = {
  anthropic: { model: "claude-sonnet-5-5", effort: "said" },
  responses: { model: "gpt-6.2-sol", effort: "said" },
  gemini: { model: "gemini-4-argon", effort: "break" },
  chat: { model: "sim-reasoner", effort: "break" },
};

/** Left out: a tool that nobody calls, nothing on disk, and a brain that answers at once. */
type Parts = { readonly tools?: readonly Tool[]; readonly knowledge?: Knowledge; readonly brain?: Brain } & Pick<
  Parameters<typeof testWorld>[0],
  "servers" | "serverTools"
>;

/** A session of two turns whose prompt is long enough to be cached on every wire; `say` tells what the next one did to it. */
export async function wireSession(wire: Wire, parts: Parts = {}) {
  const choice: ModelChoice = {
    wire,
    model: wiresOfToday[wire].model,
    effort: "medium",
    thinking: wire === "chat" ? "off" : "adaptive",
    outputTokensMax: 4_000,
  };
  const simulation = createSimulation({
    brain: parts.brain ?? (() => ({ reasoning: "I think.", text: "An answer." })),
  });
  const world: TestWorld = await testWorld({
    choice,
    tools: parts.tools ?? [fakeTool("look", true, async () => "seen")],
    model: simulatedModel(simulation, () => world.clock.now()),
    ...(parts.knowledge === undefined ? {} : { knowledge: parts.knowledge }),
    ...(parts.servers === undefined ? {} : { servers: parts.servers }),
    ...(parts.serverTools === undefined ? {} : { serverTools: parts.serverTools }),
  });
  let session = await world.open();
  const say = async (text: string) => {
    const before = simulation.requests().length;
    const seq = session.state().seq;
    const turn = await session.prompt(text);
    expect(turn).toMatchObject({ reason: "done" });
    const requests = simulation.requests().slice(Math.max(0, before - 1));
    const now = requests.at(-1);
    if (now === undefined || simulation.requests().length === before) throw new Error("no request was sent");
    const entries = (await world.entries()).filter((entry) => entry.seq > seq);
    return {
      cause: now.missCause,
      /** Whether each request began as the one before it. */
      keptAll: requests.slice(1).every(({ segments }, at) => {
        const kept = requests[at]?.segments ?? [];
        return kept.every(({ hash }, place) => segments[place]?.hash === hash);
      }),
      breaks: entries.flatMap((entry) => (entry.type === "epoch-opened" ? [entry.reason] : [])),
      body: now.body,
      /** How often the request says it more than the last of the turn before did. */
      news: (words: RegExp) => count(now.body, words) - count(before === 0 ? "" : (requests[0]?.body ?? ""), words),
    };
  };
  await say(firstMessage);
  await say("go on");
  return {
    session,
    world,
    choice,
    say,
    /** The same log, in a process that looks at the disk anew; `say` goes on with it. */
    async reopen(knowledge: Knowledge) {
      session = await world.open({ ...(await world.takeOver()), knowledge });
    },
  };
}

const firstMessage = "The history so far, line by line.\n".repeat(900);

function count(text: string, words: RegExp): number {
  return [...text.matchAll(new RegExp(words.source, "g"))].length;
}
