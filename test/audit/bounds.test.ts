import { expect, test } from "vitest";
import { openAudit } from "../../src/audit/audit.ts";
import { remember } from "../../src/audit/lane.ts";
import type { Example, SessionAudit } from "../../src/audit/report.ts";
import { openTally } from "../../src/audit/tally.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { items, request, type Said, sessionOf, startAt, typed, usage } from "./build.ts";

const promptOf = ({ parts }: SessionAudit): number =>
  parts.filter(({ category }) => category !== "output").reduce((sum, { paidTokens }) => sum + paidTokens, 0);

test("beyond bounds.auditBlocksMax small blocks are added up, and the sums stay exact", () => {
  const audit = openAudit();
  const session = audit.session({ file: "big.jsonl", format: "codex" });
  const [message] = items([typed("short")]);
  if (message === undefined) throw new Error("no message");
  for (let n = 0; n < bounds.auditBlocksMax + 1_000; n += 1) session.push({ ...message, line: n + 1 });
  for (const item of items([request("r1"), usage("r1", { uncached: 4_000_000 })])) session.push(item);
  session.end();
  const [found] = audit.report().sessions;
  expect(found?.promptTokens).toBe(4_000_000);
  expect(found === undefined ? 0 : promptOf(found)).toBe(4_000_000);
  expect(found?.parts.find(({ category }) => category === "typed")?.count).toBeLessThanOrEqual(bounds.auditBlocksMax);
});

test("of bounds.auditSeenMax texts the oldest is forgotten first, and one that came again is not the oldest", () => {
  const map = new Map<number, string>();
  for (let n = 0; n < bounds.auditSeenMax; n += 1) remember(map, n, "");
  remember(map, 0, "again");
  remember(map, -1, "new");
  expect(map.size).toBeLessThanOrEqual(bounds.auditSeenMax);
  expect(map.size).toBeGreaterThan(bounds.auditSeenMax / 2);
  expect([map.has(0), map.has(-1), map.has(1)]).toEqual([true, true, false]);
});

test("a finding keeps bounds.auditGroupsMax groups, shows bounds.auditExamplesMax of them, and counts all", () => {
  const tally = openTally();
  const example: Example = {
    file: "a",
    line: 1,
    lane: "main",
    call: 0,
    tool: "Read",
    what: "",
    count: 1,
    tokens: 1,
    paidTokens: 1,
    usd: null,
  };
  for (let n = 0; n < bounds.auditGroupsMax + 10; n += 1) tally.add({ ...example, what: `file ${n}`, paidTokens: n });
  const { count, examples, usd } = tally.finding();
  expect([count, usd]).toEqual([bounds.auditGroupsMax + 10, null]);
  expect(examples.length).toBe(bounds.auditExamplesMax);
  expect(examples[0]?.what).toBe(`file ${bounds.auditGroupsMax - 1}`);
});

test("a call whose report does not come is settled once bounds.auditPendingMax others wait behind it", () => {
  const calls = Array.from({ length: bounds.auditPendingMax + 3 }, (_, n): readonly Said[] => [
    request(`r${n}`),
    ...(n === 0 ? [] : [usage(`r${n}`, { uncached: 5_000 })]),
  ]);
  const late = usage("r0", { uncached: 5_000 });
  const found = sessionOf([typed("go"), ...calls.flat(), late]);
  expect(found).toMatchObject({ usageKnown: "all", callsUnknown: 0, estimatedPromptTokens: 0 });
  expect(found.promptTokens).toBe((bounds.auditPendingMax + 3) * 5_000);
  expect(promptOf(found)).toBe(found.promptTokens);
});

test("of more than bounds.auditCallsMax calls the oldest leave their sums: what comes again for one counts nothing twice", () => {
  const calls = Array.from({ length: bounds.auditCallsMax + 10 }, (_, n): readonly Said[] => [
    request(`r${n}`),
    usage(`r${n}`, { uncached: 100 }),
  ]);
  const found = sessionOf([typed("go"), ...calls.flat(), request("r0"), usage("r0", { uncached: 900 })]);
  expect(found).toMatchObject({ calls: calls.length, promptTokens: calls.length * 100 });
});

test("a series has at most bounds.seriesPointsMax points, of the bounds.seriesMax largest sessions", () => {
  const audit = openAudit();
  const said = Array.from({ length: bounds.seriesPointsMax + 1 }, (_, n) => [
    request(`r${n}`),
    usage(`r${n}`, { uncached: 10 }),
  ]);
  for (let file = 0; file <= bounds.seriesMax; file += 1) {
    const session = audit.session({ file: `${file}`, format: "pi" });
    const calls = file === 0 ? said.flat() : said.flat().slice(0, 4);
    for (const item of items(calls))
      session.push(item.type === "usage" ? { ...item, key: `${file} ${item.key}` } : item);
    session.end();
  }
  const drawn = audit.report().sessions.flatMap(({ series }) => (series === null ? [] : [series]));
  expect(drawn.length).toBe(bounds.seriesMax);
  expect(Math.max(...drawn.map(({ points }) => points.length))).toBeLessThanOrEqual(bounds.seriesPointsMax);
});

test("times stay where they were recorded", () => {
  const { firstAt, lastAt } = sessionOf([typed("a"), typed("b"), typed("c")]);
  expect([firstAt, lastAt]).toEqual([startAt, startAt + 120_000]);
});
