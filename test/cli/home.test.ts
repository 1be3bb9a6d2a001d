import { expect, test } from "vitest";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { CommandError } from "../../src/cli/exit.ts";
import { newestSession, sessionNamed } from "../../src/cli/home.ts";
import { brand, mainLane } from "../../src/kernel/ids.ts";
import type { EntryBody } from "../../src/log/entry.ts";
import { usualModel } from "../../src/provider/usual-model.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";

test("a session is named by its id or a beginning that only one has; nothing at all names none", async () => {
  const stores = memoryStore(manualClock(0));
  for (const session of ["20260101-aa", "20260101-ab", "20260202-cc"].map((id) => brand<"SessionId">(id))) {
    const stream = { type: "lane", session, lane: mainLane } as const;
    const lease = await stores.log.lease(stream, "a test");
    if (lease.type !== "leased") throw new Error(lease.type);
    const started = { format: 1, session, lane: mainLane, project: null, cwd: "/w", version: "0" } as const;
    const call = { stream, expectedSeq: 0, fence: lease.fence };
    await stores.log.append({ ...call, entries: [{ type: "session-started", ...started }] });
  }
  const named = (name: string) => sessionNamed({ root: "/r", cwd: "/w", stores, project: null }, name);
  expect(await named("20260202")).toBe("20260202-cc");
  expect(await named("20260101-ab")).toBe("20260101-ab");
  for (const name of ["20260101", "", "../20260202-cc", "nope"])
    await expect(named(name)).rejects.toThrow(CommandError);
});

test("a session in which nothing was said is not the newest one, unless there is no other", async () => {
  const clock = manualClock(0);
  const stores = memoryStore(clock);
  const home = { root: "/r", cwd: "/w", stores, project: null };
  const begin = async (name: string, ...said: readonly EntryBody[]) => {
    const session = brand<"SessionId">(name);
    const stream = { type: "lane", session, lane: mainLane } as const;
    const lease = await stores.log.lease(stream, "a test");
    if (lease.type !== "leased") throw new Error(lease.type);
    const started = { format: 1, session, lane: mainLane, project: null, cwd: "/w", version: "0" } as const;
    const entries = [{ type: "session-started", ...started } as const, ...said];
    await stores.log.append({ stream, expectedSeq: 0, fence: lease.fence, entries });
    clock.advance(1_000);
  };
  await expect(newestSession(home)).rejects.toThrow("there is no session of this project yet");
  await begin("a-unused");
  expect(await newestSession(home)).toBe("a-unused");
  await begin("b-used", { type: "message-added", text: "hello" });
  await begin("c-unused");
  expect(await newestSession(home)).toBe("b-used");
  // A command in a lane of its own says no message here.
  const lane = {
    lane: brand<"LaneId">("lane-1"),
    kind: "fresh",
    title: "/x",
    task: "x",
    model: usualModel("m"),
  } as const;
  await begin("d-laned", { type: "lane-started", ...lane });
  await begin("e-unused");
  expect(await newestSession(home)).toBe("d-laned");
});
