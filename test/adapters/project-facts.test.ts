import { expect, test } from "vitest";
import { projectFacts } from "../../src/adapters/project-facts.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";

const pin = { type: "fact-pinned", fact: brand<"FactId">("f1"), text: "Use tabs.", scope: "project" } as const;

test("law 10 · an append that others always come before is tried bounds.projectAppendsMax times and then said", async () => {
  const { log } = memoryStore(manualClock(0));
  let tries = 0;
  const busy: LogStore = {
    ...log,
    append: async () => {
      tries += 1;
      return { type: "conflict", head: { seq: 1, hash: "" } };
    },
  };
  expect(await projectFacts(busy, brand("p1")).change([pin])).toContain("try again");
  expect(tries).toBe(bounds.projectAppendsMax);
});

test("what was pinned for a project is read by whoever opens it next", async () => {
  const { log } = memoryStore(manualClock(0));
  expect(await projectFacts(log, brand("p1")).change([pin])).toBeNull();
  expect(await projectFacts(log, brand("p1")).read()).toMatchObject([{ text: "Use tabs." }]);
});
