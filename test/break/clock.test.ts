import { expect, test } from "vitest";
import { systemClock } from "../../src/adapters/clock.ts";
import { watched } from "../../src/agent/watched.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Model } from "../../src/ports/model.ts";
import type { Clock } from "../../src/ports/world.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { testWorld } from "../support/world.ts";

const day = 86_400_000;

test("a sleep longer than a timer can count does not end at once", async () => {
  const controller = new AbortController();
  const slept = systemClock.sleep(60 * day, controller.signal).then(() => "slept");
  const first = await Promise.race([slept, systemClock.sleep(20).then(() => "still asleep")]);
  controller.abort();
  await slept;
  expect(first).toBe("still asleep");
});

test("a clock that is put back by days does not make a retry wait for days", async () => {
  const model = scriptedModel([{ fail: { type: "http-error", status: 529, headers: {}, body: {} } }, { text: "fine" }]);
  const world = await testWorld({ model });
  const asked: number[] = [];
  let back = 0;
  const clock: Clock = {
    now: () => world.clock.now() - back,
    sleep: async (ms) => {
      asked.push(ms);
      back = 3 * day;
    },
  };
  const session = await world.open({ ...world.fx, clock });
  const turn = await session.prompt("go");
  expect(turn).toMatchObject({ reason: "done", text: "fine" });
  expect(Math.max(...asked.filter((ms) => ms !== bounds.streamIdleMsMax && ms !== bounds.abandonMsMax))).toBeLessThan(
    bounds.retryDelayMsMax,
  );
});

test("a clock that is put back while a stream is silent does not make the silence longer", async () => {
  const base = manualClock();
  let back = 0;
  let slept = 0;
  const clock: Clock = {
    now: () => base.now() - back,
    sleep: async (ms, signal) => {
      if (ms === bounds.abandonMsMax) return await base.sleep(ms, signal);
      slept += ms;
      // What passes while it sleeps, and the jump.
      back += slept === ms ? 5 * day : 0;
      await base.advance(ms);
    },
  };
  const silent: Model = {
    async *stream(_request, signal) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
  const request = { wire: "anthropic", body: "{}", headers: {} } as const;
  const events: unknown[] = [];
  for await (const event of watched(silent, request, clock, new AbortController().signal)) events.push(event);
  expect(events).toMatchObject([{ type: "network-error", timedOut: true }]);
  expect(slept).toBeLessThanOrEqual(3 * bounds.streamIdleMsMax);
});
