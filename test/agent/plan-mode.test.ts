import { expect, test } from "vitest";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { enterPlanModeTool, exitPlanModeTool } from "../../src/tools/plan-mode.ts";
import { todoWriteTool } from "../../src/tools/todo-write.ts";
import { decide } from "../../src/workspace/permission.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

const call = (tool: string, input: unknown = {}): BrainReply => ({ calls: [{ tool, input }] });

/** The product's own verdicts over a write tool and the plan tools; `accepts` is what the user says to a plan. */
async function planning(replies: readonly BrainReply[], accepts: boolean | null) {
  const simulation = createSimulation({ brain: scriptedBrain(replies) });
  const asked: string[] = [];
  const world: TestWorld = await testWorld({
    model: simulatedModel(simulation, () => world.clock.now()),
    choice: { wire: "anthropic", model: "sim-bound", effort: null, thinking: "adaptive", outputTokensMax: 4_000 },
    tools: [enterPlanModeTool(), exitPlanModeTool(), todoWriteTool(), fakeTool("write", false, async () => "written")],
    permission: ({ mode, tool, access }) => {
      const need = access.type === "leave-plan" ? "leave-plan" : access.type === "command" ? "write-inside" : "nothing";
      return decide({ mode, need, tool, detail: access.type === "leave-plan" ? access.plan : "" });
    },
    ask: async ({ why }) => {
      asked.push(why);
      return accepts === null ? null : { allowed: accepts, why: accepts ? "yes" : "not like this" };
    },
  });
  return { world, simulation, asked, session: await world.open() };
}

const results = async (world: TestWorld) =>
  (await world.entries()).flatMap((entry) => (entry.type === "tool-returned" ? [`${entry.tool} ${entry.ending}`] : []));

test("M-71 · planning refuses writes by permission alone: the declared tools never change", async () => {
  const { world, simulation, session, asked } = await planning(
    [
      call("EnterPlanMode"),
      call("write"),
      call("ExitPlanMode", { plan: "1. write it" }),
      call("write"),
      { text: "done" },
    ],
    true,
  );
  await session.chooseMode("acceptEdits");
  expect(await session.prompt("go")).toMatchObject({ reason: "done" });
  expect(await results(world)).toEqual(["EnterPlanMode done", "write refused", "ExitPlanMode done", "write done"]);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("1. write it");
  expect(session.state().mode).toBe("acceptEdits");
  const heads = simulation.requests().map(({ segments }) =>
    segments
      .filter(({ role }) => role === "tools")
      .map(({ hash }) => hash)
      .join(),
  );
  expect(new Set(heads).size).toBe(1);
  expect(
    simulation
      .requests()
      .slice(1)
      .map(({ missCause }) => missCause),
  ).toEqual([null, null, null, null]);
});

const planned: readonly BrainReply[] = [
  call("EnterPlanMode"),
  call("ExitPlanMode", { plan: "p" }),
  call("write"),
  { text: "the plan stands" },
];

test("a plan that the user turns down is not carried out", async () => {
  const { world, session } = await planning(planned, false);
  await session.prompt("go");
  expect(await results(world)).toEqual(["EnterPlanMode done", "ExitPlanMode refused", "write refused"]);
  expect(session.state().mode).toBe("plan");
});

test("where nobody can be asked, the model leaves a plan mode of its own, to the rights it had before", async () => {
  const { world, session } = await planning(planned, null);
  await session.chooseMode("acceptEdits");
  await session.prompt("go");
  expect(await results(world)).toEqual(["EnterPlanMode done", "ExitPlanMode done", "write done"]);
  expect(session.state().mode).toBe("acceptEdits");
});

test("but never one that the user chose", async () => {
  const { world, session } = await planning(planned, null);
  await session.chooseMode("acceptEdits");
  await session.chooseMode("plan");
  await session.prompt("go");
  expect(await results(world)).toEqual(["EnterPlanMode done", "ExitPlanMode refused", "write refused"]);
  expect(session.state().mode).toBe("plan");
});

test("nor one that the model entered and the user chose, too", async () => {
  const replies = [call("EnterPlanMode"), { text: "planning" }, call("ExitPlanMode", { plan: "p" }), { text: "ok" }];
  const { world, session } = await planning(replies, null);
  await session.prompt("go");
  await session.chooseMode("plan");
  await session.prompt("go on");
  expect(await results(world)).toEqual(["EnterPlanMode done", "ExitPlanMode refused"]);
  expect(session.state().mode).toBe("plan");
});

test("leaving a plan mode that is not on fails and changes nothing", async () => {
  const { world, session } = await planning([call("ExitPlanMode", { plan: "p" }), { text: "ok" }], true);
  await session.prompt("go");
  expect(await results(world)).toEqual(["ExitPlanMode failed"]);
  expect(session.state().mode).toBe("default");
});

test("the todo list is the log's: it stands after a restart", async () => {
  const todos = [{ text: "a", status: "in-progress" }] as const;
  const { world, session } = await planning([call("TodoWrite", { todos }), { text: "ok" }], true);
  await session.prompt("go");
  expect((await world.open(await world.takeOver())).state().todos).toEqual(todos);
});
