import { once } from "node:events";
import { rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { laneReport } from "../../src/agent/context-of.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import type { Clock } from "../../src/ports/world.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { appendOne, main, openStore, storeWith } from "../adapters/store-files.ts";
import { diceOf } from "../support/dice.ts";
import { type RealSession, realSession } from "../support/real-session.ts";
import { call, tell } from "../support/varve-process.ts";

const year = 365 * 86_400_000;
let real: RealSession;
beforeAll(async () => {
  real = await realSession(1);
});
afterAll(() => real.remove());

/** Tells another time at each look: a year back, a decade on, a second off, as corrections of a network clock are. */
function jumpingClock(seed: number): Clock & { readonly asked: number[] } {
  const dice = diceOf(seed);
  let now = Date.UTC(2026, 10, 29);
  const asked: number[] = [];
  return {
    asked,
    now: () => {
      now += dice.below(4) > 0 ? 1 : dice.pick([20, -1_000, 1_000, -year, year, 10 * year, -10 * year]);
      return now;
    },
    sleep: async (ms, signal) => {
      // A stream's own watch; all else is waited for by somebody.
      if (ms > bounds.retryDelayMsMax && signal !== undefined) await once(signal, "abort");
      else asked.push(ms);
      await new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

test("a clock that jumps at every look: turns end, retries stay short, the log is whole, and no time is negative", async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const root = await real.copy();
    const clock = jumpingClock(seed);
    const stores = fileStore({ root, clock, sync: false });
    const session = await real.open(root, { world: { stores, clock } });
    real.simulation.addFaults([{ kind: "overloaded", times: 2, value: 0, skip: 0, wire: null, message: null }]);
    const work = call("Bash", { command: "echo worked" });
    expect(await session.prompt(tell(work, work, { text: "done" }))).toMatchObject({ reason: "done", text: "done" });
    await session.close();
    for (const ms of clock.asked) expect(ms).toBeLessThanOrEqual(bounds.retryAfterMsMax);
    const again = await real.open(root);
    expect(again.damage).toEqual([]);
    await again.close();
    const stream = { type: "lane", session: brand<"SessionId">(real.id), lane: mainLane } as const;
    const getBlob = async (hash: Parameters<typeof stores.blobs.get>[1]) =>
      new TextDecoder().decode((await stores.blobs.get(stream, hash)) ?? undefined);
    const options = { prices: {}, windowFor: () => null, now: clock.now() };
    const { rows } = await laneReport(stores.log.read(stream, null), { codecFor, getBlob }, options);
    expect(rows.length).toBeGreaterThan(10);
    for (const { idleMs } of rows) expect(idleMs ?? 0).toBeGreaterThanOrEqual(0);
    for await (const entry of stores.log.read(stream, null))
      if (entry.type === "response-received") expect(entry.firstTokenMs ?? 0).toBeGreaterThanOrEqual(0);
    expect((await stores.log.list({ project: null, limit: 9 })).map(({ session: id }) => id)).toEqual([real.id]);
    await rm(root, { recursive: true });
  }
});

test("C-087 · a lease whose heartbeat stands years ahead, of a process nobody can see, does not hold the session for years", async () => {
  const { root } = await storeWith(2);
  const path = join(root, "sessions/s1/main.lease.7");
  await writeFile(
    path,
    `${JSON.stringify({ owner: "elsewhere", since: 1, pid: 1, start: "1", place: "boot other" })}\n`,
  );
  expect(await openStore(root).log.lease(main, "me")).toMatchObject({ type: "busy", owner: "elsewhere" });
  const ahead = new Date(Date.now() + year);
  await utimes(path, ahead, ahead);
  expect(await appendOne(openStore(root), 2)).toMatchObject({ type: "appended", head: { seq: 3 } });
});
