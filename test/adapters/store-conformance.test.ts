import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { storeConformance } from "../../src/testing/store-conformance.ts";

const base = await mkdtemp(join(tmpdir(), "varve-conformance-"));
afterAll(() => rm(base, { recursive: true, force: true }));

storeConformance({
  name: "memory",
  test,
  expect,
  make: async () => {
    const clock = clockAt();
    return { stores: memoryStore(clock), now: clock.set };
  },
});

storeConformance({
  name: "file",
  test,
  expect,
  make: async () => {
    const clock = clockAt();
    const root = await mkdtemp(join(base, "root-"));
    return { stores: fileStore({ root, clock }), now: clock.set };
  },
});

function clockAt() {
  let time = 0;
  return {
    now: () => time,
    set: (ms: number) => {
      time = ms;
    },
    sleep: async () => undefined,
  };
}
