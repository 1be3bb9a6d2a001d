import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cardStore } from "../../src/adapters/cards.ts";
import { projectFacts } from "../../src/adapters/project-facts.ts";
import { serversLook } from "../../src/adapters/servers-told.ts";
import { fileStore } from "../../src/adapters/store-file.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { estimate } from "../../src/budget/count.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import { noMeasures, withMeasured } from "../../src/mcp/card-measures.ts";
import { type MeasuredEntry, measuredEntries, noSums, noted } from "../../src/mcp/measured.ts";
import type { LogStore } from "../../src/ports/store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { fakeServers } from "../support/fake-servers.ts";
import { listedTool, serverState } from "../support/server-state.ts";

const project = brand<"ProjectId">("p1");
const call = { server: "s", tool: "t", ending: "done", rawTokens: 900, shownTokens: 300, ms: 5 } as const;
const entries: readonly MeasuredEntry[] = measuredEntries(noted(noSums, call), () => []);

test("what one session measured is there for the next, in files", async () => {
  const root = await mkdtemp(join(tmpdir(), "varve-cards-"));
  const opened = () => cardStore(fileStore({ root, clock: manualClock(0) }).log, project);
  expect(await opened().add(entries)).toBeNull();
  expect(await opened().add(entries)).toBeNull();
  expect((await opened().read()).get("s")?.tools.get("t")).toMatchObject({ calls: 2, rawTokensMax: { tokens: 900 } });
});

test("costs and facts share one stream, begun once, and do not disturb each other", async () => {
  const { log } = memoryStore(manualClock(0));
  await cardStore(log, project).add(entries);
  const pin = { type: "fact-pinned", fact: brand<"FactId">("f1"), text: "Use tabs.", scope: "project" } as const;
  expect(await projectFacts(log, project).change([pin])).toBeNull();
  await cardStore(log, project).add(entries);
  const types: string[] = [];
  for await (const { type } of log.read({ type: "project", project }, null)) types.push(type);
  expect(types).toEqual(["project-started", "server-measured", "fact-pinned", "server-measured"]);
  expect(await projectFacts(log, project).read()).toMatchObject([{ text: "Use tabs." }]);
  expect((await cardStore(log, project).read()).get("s")?.tools.get("t")?.calls).toBe(2);
});

test("sessions that add at the same moment lose nothing", async () => {
  const { log } = memoryStore(manualClock(0));
  await Promise.all(Array.from({ length: 8 }, () => cardStore(log, project).add(entries)));
  expect((await cardStore(log, project).read()).get("s")?.tools.get("t")?.calls).toBe(8);
});

test("nothing measured is no entry", async () => {
  const { log } = memoryStore(manualClock(0));
  expect(await cardStore(log, project).add([])).toBeNull();
  for await (const entry of log.read({ type: "project", project }, null)) expect(entry).toBeUndefined();
});

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
  expect(await cardStore(busy, project).add(entries)).toContain("try again");
  expect(tries).toBe(bounds.projectAppendsMax);
});

test("a stream that cannot be read costs the figures and nothing else, and what cannot be kept is said", async () => {
  const { log } = memoryStore(manualClock(0));
  const broken: LogStore = {
    ...log,
    read: () => {
      throw new Error("disk gone");
    },
  };
  expect((await cardStore(broken, project).read()).size).toBe(0);
  expect(await cardStore(broken, project).add(entries)).toBe("what the servers' tools cost cannot be saved: disk gone");
});

test("without a project they last as long as the process", async () => {
  const { log } = memoryStore(manualClock(0));
  const store = cardStore(log, null);
  await store.add(entries);
  await store.add(entries);
  expect((await store.read()).get("s")?.tools.get("t")?.calls).toBe(2);
  expect((await cardStore(log, null).read()).size).toBe(0);
});

test("a server's block tells of its dear tools in bounds.cardTokensMax tokens, however many there are", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `dump_of_everything_${at}`);
  const sums = names.map((tool) => ({ ...call, tool, rawTokens: 2 * bounds.dearTokensMin }));
  const calls = Array.from({ length: bounds.cardCallsMin }, () => sums).flat();
  const measures = measuredEntries(calls.reduce(noted, noSums), () => []).reduce(withMeasured, noMeasures);
  const { servers } = fakeServers([
    serverState(
      "s",
      names.map((name) => listedTool(name)),
    ),
  ]);
  const at = { message: null, touched: [], held: [] };
  const textWith = async (known: typeof measures) =>
    (await serversLook(servers, known)(at, 200_000)).attachments[0]?.text ?? "";
  const card = (await textWith(measures)).slice((await textWith(noMeasures)).length);
  expect(card).toContain("Dear tools");
  const frame = estimate("\n<system-reminder>\n\n</system-reminder>");
  expect(estimate(card)).toBeLessThanOrEqual(bounds.cardTokensMax + frame);
});
