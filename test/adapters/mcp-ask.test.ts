import { expect, test } from "vitest";
import { ask } from "../../src/adapters/mcp-ask.ts";
import type { Connection } from "../../src/adapters/mcp-connection.ts";
import type { Requested } from "../../src/adapters/mcp-request.ts";
import type { RunningServer } from "../../src/adapters/mcp-server.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { serverState } from "../support/server-state.ts";
import { asking } from "../support/stub-servers.ts";

const connection: Connection = {
  revision: "2025-06-18",
  instructions: null,
  has: { tools: true, prompts: false, resources: false },
  request: async () => ({}),
  call: async () => ({}),
  ended: () => null,
  close: async () => {},
};
const server: RunningServer = {
  now: () => serverState("s"),
  start: async () => {},
  connection: async () => connection,
  connected: async () => connection,
  lost: () => {},
  close: async () => {},
};

/** What is told of the progress that a server tells of during one call. */
async function told(
  during: (onProgress: (progress: unknown) => void, clock: ReturnType<typeof manualClock>) => unknown,
) {
  const clock = manualClock();
  const { asked, progress } = asking();
  await ask(server, { clock, asked, title: "The call" }, async (_, { onProgress }: Requested) => {
    if (onProgress === undefined) throw new Error("nobody listens");
    await during(onProgress, clock);
  });
  return progress;
}

test("progress is told at once, and then no more often than each serverProgressMsMin", async () => {
  const progress = await told(async (onProgress, clock) => {
    onProgress({ progress: 1, total: 9 });
    onProgress({ progress: 2 });
    await clock.advance(bounds.serverProgressMsMin - 1);
    onProgress({ progress: 3 });
    await clock.advance(1);
    onProgress({ progress: 4 });
    onProgress({ progress: 5 });
  });
  expect(progress).toEqual(["1/9", "4"]);
});

test("of a message of progress serverProgressCharsMax characters are told, and no half of one", async () => {
  const of = async (message: string) => (await told((onProgress) => onProgress({ progress: 1, message })))[0];
  const most = "x".repeat(bounds.serverProgressCharsMax);
  expect(await of(most)).toBe(`1 ${most}`);
  expect(await of(`${most}y`)).toBe(`1 ${most}`);
  expect(await of(`${most.slice(1)}😀`)).toBe(`1 ${most.slice(1)}\ufffd`);
});

test("progress that says nothing is not told, and holds nothing up", async () => {
  const progress = await told((onProgress) => {
    for (const nothing of [null, "half", {}, { progress: "1", message: 7 }]) onProgress(nothing);
    onProgress({ message: "begun" });
  });
  expect(progress).toEqual(["begun"]);
});
