import { describe, expect, test } from "vitest";
import { brand } from "../../src/kernel/ids.ts";
import type { Entry, EntryBody } from "../../src/log/entry.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { type ManualDrive, manualDrive, type Parked } from "../../src/testing/manual-drive.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { decodedBody } from "../support/bodies.ts";
import { settled } from "../support/gated.ts";
import { fakeTool, type TestWorld, testWorld } from "../support/world.ts";

/**
 * Two turns with all that a process can die in: a long message (blob), text, two calls side by side, a writing call whose
 * permission is asked for, a long output (blob, first form), and a second turn.
 */
const replies = [
  {
    text: "I look at both.",
    calls: [
      { id: "r1", tool: "look", input: { at: "a" } },
      { id: "r2", tool: "look", input: { at: "b" } },
      { id: "w1", tool: "change", input: { to: "x".repeat(5_000) } },
    ],
  },
  { text: "First part done." },
  { text: "Second part done." },
] as const;

const prompts = [`start ${"long ".repeat(1_000)}`, "go on"] as const;

type Ran = { readonly world: TestWorld; readonly runs: Record<string, number>; readonly bodies: readonly string[] };

async function newRun(): Promise<Ran> {
  const runs: Record<string, number> = {};
  const ran = (name: string) => {
    runs[name] = (runs[name] ?? 0) + 1;
  };
  // The brain answers by what it is shown, as a model does: a process that comes back asks again.
  const bodies: string[] = [];
  const model = {
    async *stream(...[request, signal]: Parameters<ReturnType<typeof scriptedModel>["stream"]>) {
      bodies.push(request.body);
      const reply = request.body.includes('"go on"')
        ? replies[2]
        : request.body.includes('"r1"')
          ? replies[1]
          : replies[0];
      yield* scriptedModel([reply]).stream(request, signal);
    },
  };
  const look = fakeTool("look", true, async ({ at }) => {
    ran(`look ${String(at)}`);
    return `view of ${String(at)}\n${"line of output\n".repeat(1_000)}`;
  });
  const change = fakeTool("change", false, async () => {
    ran("change");
    return "changed";
  });
  const world = await testWorld({
    model,
    tools: [look, change],
    verdict: "ask",
    ask: async () => ({ allowed: true, why: "the test allows" }),
  });
  return { world, runs, bodies };
}

/** Both turns, as far as they are not in the log yet. */
async function workThrough(world: TestWorld, fx = world.fx): Promise<void> {
  const session = await world.open(fx);
  await session.resume();
  for (const [index, text] of prompts.entries()) {
    const said = (await world.entries()).filter(({ type }) => type === "message-added").length;
    if (said <= index) await session.prompt(text);
  }
}

/** Lets effects happen one after another; `stop` says what happens to the k-th. */
async function drive(drive: ManualDrive, upTo: number, end: "before" | "after"): Promise<"died" | "done"> {
  for (let k = 0; ; k++) {
    const parked = await nextOf(drive);
    if (parked === null) return "done";
    if (k === upTo && end === "before") {
      drive.die();
      return "died";
    }
    if (k === upTo && end === "after") {
      await parked.dieAfter();
      return "died";
    }
    await parked.release();
  }
}

/** null: nothing wants to happen any more. */
async function nextOf(drive: ManualDrive): Promise<Parked | null> {
  for (let tries = 0; tries < 3; tries++) {
    const [parked] = drive.parked();
    if (parked !== undefined) return parked;
    await settled();
  }
  return null;
}

/**
 * What an entry says, without what differs from run to run. A prediction is one of them: what was measured of each
 * segment is not in the log, so right after a restart the whole prompt is estimated anew.
 */
function said({ seq: _seq, at: _at, ...body }: Entry): EntryBody {
  if (body.type === "request-sent") return { ...body, ...nameless, marks: [], predicted: unpredicted };
  if (body.type === "response-received") return { ...body, ...nameless, messageId: "" };
  return body;
}
const unpredicted = { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const nameless = { request: brand<"RequestId">(""), firstTokenMs: 0 };

const plain = async () => {
  const run = await newRun();
  const driven = manualDrive(run.world.fx);
  const work = workThrough(run.world, driven.fx);
  let count = 0;
  for (;;) {
    const parked = await nextOf(driven);
    if (parked === null) break;
    count++;
    await parked.release();
  }
  await work;
  return { count, entries: (await run.world.entries()).map(said) };
};

describe("a process that dies before or after any effect", async () => {
  const whole = await plain();
  const deaths = Array.from({ length: whole.count }, (_, k) => k);

  test("has many places to die in", () => {
    expect(whole.count).toBeGreaterThan(40);
    expect(whole.entries.filter(({ type }) => type === "turn-ended")).toHaveLength(2);
  });

  for (const end of ["before", "after"] as const)
    test(`${end}: is followed by one that ends the same work, with every result once and nothing run twice`, async () => {
      for (const k of deaths) {
        const run = await newRun();
        const driven = manualDrive(run.world.fx);
        void workThrough(run.world, driven.fx);
        expect(await drive(driven, k, end)).toBe("died");
        const sentBefore = run.bodies.length;
        await workThrough(run.world, await run.world.takeOver());
        check(await run.world.entries(), run, `died ${end} effect ${k}`);
        for (const body of run.bodies.slice(sentBefore)) expect(wellformed(decodedBody(body)), body).toBeNull();
      }
    });

  function check(entries: readonly Entry[], { runs }: Ran, where: string) {
    const bodies = entries.map(said);
    const recovered = bodies.some(({ type }) => type === "outcome-unknown");
    if (!recovered) {
      // Order may differ only where two calls ran side by side.
      expect(sorted(bodies), where).toEqual(sorted(whole.entries));
    }
    const results = entries.flatMap((one) =>
      one.type === "tool-returned" || (one.type === "outcome-unknown" && one.what === "tool") ? [one.callId] : [],
    );
    expect(results.toSorted(), where).toEqual(["r1", "r2", "w1"]);
    expect(Math.max(...Object.values(runs)), where).toBe(1);
    expect(
      entries.filter(({ type }) => type === "turn-ended"),
      where,
    ).toHaveLength(2);
    expect(
      entries.filter(({ type }) => type === "message-added"),
      where,
    ).toHaveLength(2);
    expect(
      entries.filter((one) => one.type === "epoch-opened" && one.reason !== "start"),
      where,
    ).toEqual([]);
  }
});

function sorted(bodies: readonly EntryBody[]): readonly string[] {
  return bodies
    .filter(({ type }) => type !== "estimate-corrected")
    .map((body) => JSON.stringify(body))
    .sort();
}

test("a process that lost its lease to the next one writes nothing any more", async () => {
  const { world } = await newRun();
  const session = await world.open();
  await world.takeOver();
  await expect(session.prompt("hello")).rejects.toThrow("lost the session's lease");
  await expect(session.prompt("again")).rejects.toThrow("lost the session's lease");
  expect(await world.entries()).toHaveLength(2);
});
