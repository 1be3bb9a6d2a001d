import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { todoWriteTool } from "../../src/tools/todo-write.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

const item = "polish the zebra crossing";
const write = (status: string): BrainReply => ({
  calls: [{ tool: "TodoWrite", input: { todos: [{ text: item, status }] } }],
});
const look: BrainReply = { calls: [{ tool: "look", input: {} }] };
const looks = (count: number) => Array.from({ length: count }, () => look);

async function session(
  replies: readonly BrainReply[],
  [wire, model]: readonly [Wire, string] = ["anthropic", "sim-bound"],
) {
  const simulation = createSimulation({ brain: scriptedBrain(replies) });
  const bodies: string[] = [];
  const world: TestWorld = await testWorld({
    model: {
      stream: (request, signal) => {
        bodies.push(request.body);
        return simulatedModel(simulation, () => world.clock.now()).stream(request, signal);
      },
    },
    choice: { wire, model, effort: null, thinking: wire === "anthropic" ? "adaptive" : "off", outputTokensMax: 4_000 },
    tools: [fakeTool("look", true, async () => "seen"), todoWriteTool()],
  });
  return { world, simulation, bodies, session: await world.open() };
}

const reminders = async (world: TestWorld) =>
  (await world.entries()).flatMap((entry) =>
    entry.type === "reminder-added" && entry.source === "todos" ? [entry] : [],
  );

test("open items that ten steps did not touch are spoken of once, then again after ten more, without their words", async () => {
  const { world, session: open, simulation } = await session([write("pending"), ...looks(25), { text: "done" }]);
  expect(await open.prompt("go")).toMatchObject({ reason: "done" });
  const said = await reminders(world);
  expect(said).toHaveLength(2);
  for (const one of said) {
    expect(one).toMatchObject({ side: "system", until: "next-message" });
    for (const word of item.split(" "))
      expect(one.text).not.toMatch(new RegExp(`\\b${word === "the" ? item : word}\\b`));
  }
  const causes = simulation
    .requests()
    .slice(1)
    .map(({ missCause }) => missCause);
  expect(new Set(causes)).toEqual(new Set([null]));
});

test.each([
  ["nine steps are not ten", [write("pending"), ...looks(9), { text: "done" }]],
  ["nothing is open", [write("done"), ...looks(15), { text: "done" }]],
  ["there is no list", [...looks(15), { text: "done" }]],
  ["the list changed meanwhile", [write("pending"), ...looks(7), write("in-progress"), ...looks(7), { text: "done" }]],
  ["the tenth step is the answer, which needs nothing any more", [write("pending"), ...looks(9), { text: "done" }]],
])("no word of it where %s", async (_name, replies) => {
  const { world, session: open } = await session(replies);
  await open.prompt("go");
  expect(await reminders(world)).toEqual([]);
});

test.each<readonly [Wire, string, boolean]>([
  ["anthropic", "claude-opus-5-5", true],
  ["chat", "sim-chat", false],
  ["responses", "sim-responses", false],
  ["gemini", "sim-gemini", false],
])(
  "on %s it has an end where the wire knows one, and moves nothing, also when the next message comes",
  async (wire, model, ends) => {
    const {
      session: open,
      simulation,
      bodies,
    } = await session([write("pending"), ...looks(11), { text: "one" }, look, { text: "two" }], [wire, model]);
    // Long enough for every provider to cache it.
    await open.prompt(`go ${"on and on ".repeat(3_000)}`);
    expect(await open.prompt("more")).toMatchObject({ reason: "done", text: expect.stringContaining("two") });
    const said = bodies.filter((body) =>
      body.includes(`has not changed for ${bounds.stepsBetweenTodoRemindersMin} steps`),
    );
    expect(said.length).toBeGreaterThan(2);
    expect(said.every((body) => body.includes('"clear_at"') === ends)).toBe(true);
    expect(
      new Set(
        simulation
          .requests()
          .slice(1)
          .map(({ missCause }) => missCause),
      ),
    ).toEqual(new Set([null]));
  },
);
