import { expect, test } from "vitest";
import { createRelist } from "../../src/adapters/mcp-relist.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";

test("while notices do not stop, the waits double up to serverRelistMsMax; only a quiet of more than twice that begins anew", async () => {
  const clock = manualClock();
  const waits: number[] = [];
  const sleep: typeof clock.sleep = (ms, signal) => {
    waits.push(ms);
    return clock.sleep(ms, signal);
  };
  let isLoud = true;
  const relist = createRelist({
    clock: { ...clock, sleep },
    signal: new AbortController().signal,
    list: async () => {
      if (isLoud) relist.notice();
    },
  });
  const passed = async (): Promise<void> => await clock.advance(waits.at(-1) ?? 0);

  relist.notice();
  for (let list = 0; list < 9; list += 1) await passed();
  const doubled = Array.from({ length: 10 }, (_, at) => bounds.serverRelistMsFirst * 2 ** at);
  expect(waits).toEqual(doubled.map((ms) => Math.min(ms, bounds.serverRelistMsMax)));
  expect(waits.slice(-2)).toEqual([bounds.serverRelistMsMax, bounds.serverRelistMsMax]);

  isLoud = false;
  await passed();
  await clock.advance(bounds.serverRelistMsMax);
  relist.notice();
  expect(waits.at(-1)).toBe(bounds.serverRelistMsMax);
  await passed();
  await clock.advance(bounds.serverRelistMsMax + 1);
  relist.notice();
  expect(waits.at(-1)).toBe(bounds.serverRelistMsFirst);
});
