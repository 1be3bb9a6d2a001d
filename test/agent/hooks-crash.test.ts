import { expect, test } from "vitest";
import type { Entry } from "../../src/log/entry.ts";
import type { HookEvent } from "../../src/log/hook.ts";
import type { Hook, HookRan, Hooks } from "../../src/ports/hooks.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { type ManualDrive, manualDrive, type Parked } from "../../src/testing/manual-drive.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { decodedBody } from "../support/bodies.ts";
import { settled } from "../support/gated.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

const said: Partial<Record<HookEvent, (times: number) => HookRan>> = {
  SessionStart: () => exited(0, "the build is red"),
  UserPromptSubmit: () => exited(0, "it is Monday"),
  PreToolUse: () => exited(0),
  PostToolUse: () => exited(2, "", "one fault"),
  PermissionRequest: () => exited(0),
  // It keeps the turn going once.
  Stop: (times) => exited(times === 1 ? 2 : 0, "", "and the docs"),
};

function exited(exitCode: number, output = "", errorOutput = ""): HookRan {
  return { end: { type: "exited", exitCode }, output, errorOutput };
}

/** A turn with all events that hooks can hold something back at; hooks count how often they ran for what. */
async function newRun() {
  const times: Record<string, number> = {};
  const bodies: string[] = [];
  const hooks: Hooks = {
    due: (event): readonly Hook[] =>
      said[event] === undefined ? [] : [{ event, command: event, timeoutMs: 1_000, file: "settings" }],
    async run({ event }, input) {
      const key = `${event} ${String(input.tool_use_id ?? "")}`.trim();
      times[key] = (times[key] ?? 0) + 1;
      return said[event]?.(times[key]) ?? exited(0);
    },
  };
  const change = fakeTool("change", false, async () => "changed");
  const model = {
    async *stream(...[request, signal]: Parameters<ReturnType<typeof scriptedModel>["stream"]>) {
      bodies.push(request.body);
      const reply = request.body.includes('"w1"')
        ? { text: "Done." }
        : { text: "I change it.", calls: [{ id: "w1", tool: "change", input: { to: "b" } }] };
      yield* scriptedModel([reply]).stream(request, signal);
    },
  };
  const ask = async () => ({ allowed: true, why: "the test allows" });
  const world = await testWorld({ model, tools: [change], verdict: "ask", ask, hooks });
  return { world, times, bodies };
}

async function workThrough(world: TestWorld, fx = world.fx): Promise<void> {
  const session = await world.open(fx);
  await session.resume();
  if (!(await world.entries()).some(({ type }) => type === "message-added")) await session.prompt("go");
}

async function nextOf(drive: ManualDrive): Promise<Parked | null> {
  for (let tries = 0; tries < 3; tries++) {
    const [parked] = drive.parked();
    if (parked !== undefined) return parked;
    await settled();
  }
  return null;
}

/** Lets effects happen one after another, and the process die before or after the k-th; false: there are not so many. */
async function died(drive: ManualDrive, k: number, end: "before" | "after"): Promise<boolean> {
  for (let at = 0; ; at++) {
    const parked = await nextOf(drive);
    if (parked === null) return false;
    if (at === k && end === "before") drive.die();
    else if (at === k) await parked.dieAfter();
    else await parked.release();
    if (at === k) return true;
  }
}

function check(entries: readonly Entry[], times: Readonly<Record<string, number>>, where: string) {
  const started = entries.flatMap((one) => (one.type === "hook-started" ? [one.run] : []));
  const ended = entries.flatMap((one) => (one.type === "hook-ended" ? [one.run] : []));
  expect(ended.toSorted(), where).toEqual(started.toSorted());
  expect(new Set(started).size, where).toBe(started.length);
  for (const key of ["PreToolUse w1", "PostToolUse w1", "PermissionRequest w1"])
    expect(times[key] ?? 0, `${where}: ${key}`).toBeLessThanOrEqual(1);
  expect(times.Stop ?? 0, where).toBeLessThanOrEqual(2);
  const returned = entries.filter(
    (one) => one.type === "tool-returned" || (one.type === "outcome-unknown" && one.what === "tool"),
  );
  expect(returned, where).toHaveLength(1);
  expect(
    entries.filter(({ type }) => type === "turn-ended"),
    where,
  ).toHaveLength(1);
  expect(
    entries.filter(({ type }) => type === "message-added"),
    where,
  ).toHaveLength(1);
}

test("without a death each hook runs once, and the turn goes on once for the end's", async () => {
  const { world, times, bodies } = await newRun();
  await workThrough(world);
  check(await world.entries(), times, "whole");
  expect(times).toEqual({
    SessionStart: 1,
    UserPromptSubmit: 1,
    "PreToolUse w1": 1,
    "PermissionRequest w1": 1,
    "PostToolUse w1": 1,
    Stop: 2,
  });
  expect(bodies).toHaveLength(3);
});

test.each(["before", "after"] as const)(
  "a process that dies %s any effect is followed by one that ends the work: every intent of a hook has one end, and no hook runs twice for one matter",
  async (end) => {
    for (let k = 0; ; k++) {
      const { world, times, bodies } = await newRun();
      const driven = manualDrive(world.fx);
      void workThrough(world, driven.fx);
      if (!(await died(driven, k, end))) {
        expect(k).toBeGreaterThan(40);
        return;
      }
      await workThrough(world, await world.takeOver());
      check(await world.entries(), times, `died ${end} effect ${k}`);
      for (const body of bodies) expect(wellformed(decodedBody(body)), body).toBeNull();
    }
  },
);
