import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costOf, priceOf } from "../../src/budget/prices.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { addUsage, noUsage, promptTokensOf, type Usage } from "../../src/kernel/usage.ts";
import {
  auditOf,
  call,
  injected,
  model,
  request,
  result,
  type Said,
  sessionOf,
  startAt,
  summary,
  text,
  typed,
  usage,
  words,
} from "./build.ts";

const sumOf = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const first: Partial<Usage> = { uncached: 3, cacheWrite5m: 9_000, output: 50 };
const second: Partial<Usage> = { uncached: 3, cacheRead: 9_000, cacheWrite5m: 1_500, output: 40 };

const session: readonly Said[] = [
  { type: "session", session: "s1", cwd: "/home/a", version: "1" },
  typed("mend the test"),
  request("r1"),
  text("r1", "I look"),
  call("r1", "c1", "Bash", { command: "npm test" }),
  usage("r1", first),
  result("c1", words(1_400, "line")),
  request("r2"),
  text("r2", "done"),
  usage("r2", second),
];

describe("tokens are the reported ones", () => {
  test("usage is summed exactly, the last report of a request counting", () => {
    const twice = [...session.slice(0, 5), usage("r1", { ...first, output: 1 }), ...session.slice(5)];
    const { usage: sums, calls, promptTokens, usageKnown } = sessionOf(twice);
    expect(sums).toEqual(addUsage({ ...noUsage, ...first }, { ...noUsage, ...second }));
    expect({ calls, promptTokens, usageKnown }).toEqual({ calls: 2, promptTokens: 19_506, usageKnown: "all" });
  });
  test("a report that comes after later calls replaces the earlier one", () => {
    const late = [...session, request("r3"), usage("r3", second), usage("r1", { ...first, output: 70, uncached: 10 })];
    const { usage: sums, parts, promptTokens } = sessionOf(late);
    expect([sums.output, sums.uncached]).toEqual([150, 16]);
    expect(sumOf(parts.filter(({ category }) => category !== "output").map((part) => part.paidTokens))).toBe(
      promptTokens,
    );
  });
  test("a late report of less takes from all parts alike: none falls below zero, and they still add up", () => {
    const late = [...session, request("r3"), usage("r3", second), usage("r1", { output: 70, uncached: 10 })];
    const { parts, promptTokens, money } = sessionOf(late);
    const prompt = parts.filter(({ category }) => category !== "output");
    expect(sumOf(prompt.map(({ paidTokens }) => paidTokens))).toBe(promptTokens);
    expect(sumOf(prompt.map(({ paidUsd }) => paidUsd ?? 0))).toBeCloseTo(money.promptUsd ?? 0, 9);
    expect(parts.every(({ paidTokens, paidUsd, share }) => Math.min(paidTokens, paidUsd ?? 0, share) >= 0)).toBe(true);
  });
  test("a late report of an answer alone leaves the prompt's estimate as it is", () => {
    const known = { known: "output" } as const;
    const calls = ["r1", "r2", "r3"].flatMap((id) => [
      typed(words(500, id)),
      request(id),
      usage(id, { output: 5 }, known),
    ]);
    const before = sessionOf(calls);
    const after = sessionOf([...calls, usage("r1", { output: 9 }, known)]);
    expect(after.estimatedPromptTokens).toBe(before.estimatedPromptTokens);
    expect(after.usage.output).toBe(19);
  });
  test("parts add up to the prompts, in tokens and in money", () => {
    const { parts, promptTokens, money, usage: sums } = sessionOf(session);
    const prompt = parts.filter(({ category }) => category !== "output");
    expect(sumOf(prompt.map(({ paidTokens }) => paidTokens))).toBe(promptTokens);
    expect(sumOf(prompt.map(({ paidUsd }) => paidUsd ?? 0))).toBeCloseTo(money.promptUsd ?? 0, 9);
    const output = parts.find(({ category }) => category === "output");
    expect([output?.paidTokens, output?.paidUsd]).toEqual([sums.output, money.outputUsd]);
  });
  test("money is that of each call at its own time and size", () => {
    const at = (line: number, some: Partial<Usage>): number => {
      const whole = { ...noUsage, ...some };
      const cost = costOf(whole, priceOf(model, startAt + line * 60_000, promptTokensOf(whole)));
      return cost.type === "usd" ? cost.usd : Number.NaN;
    };
    expect(sessionOf(session).money.usd).toBeCloseTo(at(2, first) + at(7, second), 9);
  });
  test("for any transcript the parts of the prompts add up to what was reported", () => {
    const size = fc.nat(40_000);
    const step = fc.record({
      read: size,
      written: size,
      plain: fc.nat(2_000),
      output: fc.nat(500),
      tool: fc.constantFrom("Bash", "Read", "mcp__git__log"),
      tokens: fc.nat(3_000),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const said = steps.flatMap((one, n): readonly Said[] => [
          request(`r${n}`),
          call(`r${n}`, `c${n}`, one.tool, { n }),
          usage(`r${n}`, { uncached: one.plain, cacheRead: one.read, cacheWrite5m: one.written, output: one.output }),
          result(`c${n}`, words(one.tokens, `t${n}`)),
        ]);
        const { parts, promptTokens, money } = sessionOf([typed("go"), ...said]);
        const prompt = parts.filter(({ category }) => category !== "output");
        expect(sumOf(prompt.map(({ paidTokens }) => paidTokens))).toBe(promptTokens);
        expect(sumOf(prompt.map(({ paidUsd }) => paidUsd ?? 0))).toBeCloseTo(money.promptUsd ?? 0, 6);
      }),
      { numRuns: 50 },
    );
  });
  test("a head that is not in the file is estimated from the first report", () => {
    const { lanes } = sessionOf(session);
    expect(lanes[0]?.unloggedHeadTokens).toBeGreaterThan(8_900);
    expect(lanes[0]?.unloggedHeadTokens).toBeLessThan(9_003);
  });
  test("what the file cannot explain is said so and not spread over its texts", () => {
    const [part] = sessionOf([typed("hi"), request("r1"), usage("r1", { uncached: 500_000 })]).parts;
    expect(part?.category).toBe("not-in-log");
    expect(part?.paidTokens).toBeGreaterThan(400_000);
  });
});

describe("what was not reported is unknown", () => {
  test("an unknown price is no money, and says for which model", () => {
    const { money } = sessionOf([typed("hi"), request("r1", "nobody-knows-1"), usage("r1", first)]);
    expect(money).toMatchObject({ usd: null, promptUsd: null, pricedShare: 0, unpricedModels: ["nobody-knows-1"] });
  });
  test("where some calls have a price the share that has one is said", () => {
    const { money } = sessionOf([
      typed("hi"),
      request("r1"),
      usage("r1", first),
      request("r2", "nobody-knows-1"),
      usage("r2", first),
    ]);
    expect(money.usd).toBeGreaterThan(0);
    expect(money.pricedShare).toBe(50);
  });
  test("answers alone leave prompts estimated and money unknown", () => {
    const said = [typed(words(300, "a")), request("r1"), usage("r1", { output: 20 }, { known: "output" })];
    const found = sessionOf(said);
    expect(found).toMatchObject({ usageKnown: "output", callsUnknown: 1, promptTokens: 0, money: { usd: null } });
    expect(found.usage.output).toBe(20);
    expect(found.estimatedPromptTokens).toBeGreaterThan(100);
    expect(found.usageNote).toContain("no prompt tokens");
  });
  test("without any usage everything is estimated", () => {
    const found = sessionOf([
      typed(words(300, "a")),
      request("r1"),
      text("r1", "yes"),
      request("r2"),
      text("r2", "no"),
    ]);
    expect(found).toMatchObject({ usageKnown: "none", calls: 2, callsUnknown: 2 });
    expect(found.parts.map(({ category }) => category)).toContain("typed");
  });
  test.each([
    ["negative", { uncached: -5 }],
    ["not a number", { cacheRead: Number.NaN }],
    ["endless", { output: Number.POSITIVE_INFINITY }],
    ["beyond all prompts", { uncached: bounds.reportedTokensMax + 1 }],
    ["a fraction", { output: 1.5 }],
  ])("a report that is %s is none, and is counted", (_name, some) => {
    const report = auditOf([typed("hi"), request("r1"), usage("r1", some), request("r2"), usage("r2", first)]);
    expect(report.sessions[0]).toMatchObject({ impossibleReports: 1, callsUnknown: 1, usageKnown: "partly" });
    expect(report.totals.promptTokens).toBe(9_003);
    expect(report.warnings).toBe(1);
    expect(JSON.stringify(report)).not.toContain("null,null,null,null,null");
  });
  test("the largest report that is one counts", () => {
    const found = sessionOf([request("r1"), usage("r1", { uncached: bounds.reportedTokensMax })]);
    expect(found.promptTokens).toBe(bounds.reportedTokensMax);
  });
  test("times that no date can hold are none", () => {
    const wild = session.map((one, at) => (at % 2 === 0 ? { ...one, at: Number.MAX_VALUE } : one));
    expect(sessionOf(wild).promptTokens).toBe(19_506);
    const none = session.map((one) => ({ ...one, at: null }));
    expect(sessionOf(none)).toMatchObject({ firstAt: null, lastAt: null, money: { usd: null } });
  });
  test("an empty session has zero of everything", () => {
    const report = auditOf([]);
    expect(report.sessions[0]).toMatchObject({ calls: 0, usageKnown: "none", usageNote: "no model call was recorded" });
    expect(report.advice).toEqual([]);
  });
  test("a call of no tokens at all changes nothing but the count", () => {
    const found = sessionOf([...session, request("r3"), usage("r3", {})]);
    expect(found).toMatchObject({ calls: 3, promptTokens: 19_506 });
    expect(found.findings.misses.map(({ cause }) => cause)).toEqual(["cold-start"]);
  });
});

describe("calls in several files count once in the totals", () => {
  const fork = [...session, request("r3"), usage("r3", second)];
  test("the session keeps its own sums, the totals leave copies out and say how many", () => {
    const { totals, sessions } = auditOf(session, fork);
    expect(sessions.map(({ file, calls, callsCopied }) => [file, calls, callsCopied]).toSorted()).toEqual([
      ["file-0.jsonl", 2, 0],
      ["file-1.jsonl", 3, 2],
    ]);
    expect(totals).toMatchObject({ calls: 3, callsCopied: 2, promptTokens: 19_506 + 10_503 });
    const prompt = totals.parts.filter(({ category }) => category !== "output");
    expect(sumOf(prompt.map(({ paidTokens }) => paidTokens))).toBe(totals.promptTokens);
  });
  test("results of copied calls are not found twice", () => {
    const repeated = [
      ...session,
      request("r4"),
      call("r4", "c9", "Bash", { command: "npm test" }),
      usage("r4", second),
    ];
    const again = [...repeated, result("c9", words(1_400, "line")), request("r5"), usage("r5", second)];
    const { totals } = auditOf(again, again);
    expect(totals.findings.repeatedCalls.count).toBe(1);
  });
});

describe("lanes", () => {
  test("a sub-agent's prompts are its own", () => {
    const side = (one: Said): Said => ({ ...one, lane: "agent-1" });
    const found = sessionOf([
      typed("go"),
      request("r1"),
      side(typed(words(500, "task"))),
      side(request("s1")),
      side(usage("s1", { uncached: 4_000, output: 5 })),
      usage("r1", first),
      request("r2"),
      usage("r2", second),
    ]);
    expect(found.lanes.map(({ lane, calls, promptTokens }) => [lane, calls, promptTokens])).toEqual([
      ["main", 2, 19_506],
      ["agent-1", 1, 4_000],
    ]);
    expect(found.promptTokens).toBe(23_506);
  });
  test("more lanes than are listed are still in the sums", () => {
    const many = Array.from({ length: bounds.auditLanesMax + 50 }, (_, at): readonly Said[] => [
      { ...request(`r${at}`), lane: `l${at}` },
      { ...usage(`r${at}`, { uncached: 10 }), lane: `l${at}` },
    ]).flat();
    const found = sessionOf(many);
    expect(found.promptTokens).toBe((bounds.auditLanesMax + 50) * 10);
    expect(found.lanes.length + found.lanesLeftOut).toBe(bounds.auditLanesMax + 1);
  });
});

describe("categories", () => {
  test("each kind of text is told apart, results by tool and server", () => {
    const { parts, servers } = sessionOf([
      { type: "head", part: "system", text: words(200, "sys") },
      { type: "head", part: "tools", tools: [{ name: "Bash", text: words(50, "bash") }] },
      typed(words(100, "typed")),
      injected(words(100, "inj")),
      summary(words(100, "sum")),
      request("r1"),
      text("r1", words(20, "yes")),
      { type: "reasoning", request: "r1", text: "", opaqueChars: 600 },
      call("r1", "c1", "mcp__github__list_issues", { a: 1 }),
      call("r1", "c2", "Bash", { command: "ls" }),
      result("c1", words(300, "issue")),
      result("c2", words(40, "file"), { images: 1 }),
      request("r2"),
    ]);
    const names = new Set(parts.map(({ category, tool }) => (tool === null ? category : `${category}:${tool}`)));
    for (const name of [
      "system",
      "tools",
      "typed",
      "injected",
      "summaries",
      "assistant",
      "reasoning",
      "calls",
      "images",
      "results:Bash",
      "results:mcp__github__list_issues",
    ])
      expect(names).toContain(name);
    expect(servers.map(({ server, tools, results }) => [server, tools, results])).toEqual([
      ["github", ["mcp__github__list_issues"], 1],
    ]);
  });
  test("what entered last is paid at the price of writing, what stood before at that of reading", () => {
    const { parts } = sessionOf([
      typed("go"),
      request("r1"),
      call("r1", "c1", "Bash", { command: "ls" }),
      usage("r1", { cacheWrite5m: 10_000 }),
      result("c1", words(300, "a")),
      request("r2"),
      usage("r2", { cacheRead: 10_000, cacheWrite5m: 2_000 }),
    ]);
    const price = priceOf(model, startAt, 12_000);
    const bash = parts.find(({ tool }) => tool === "Bash");
    const write = price.type === "known" ? price.rates.write5m / 1_000_000 : Number.NaN;
    expect((bash?.paidUsd ?? 0) / (bash?.paidTokens ?? 1)).toBeCloseTo(write, 8);
  });
  test("tools beyond the bound share a part", () => {
    const said = Array.from({ length: bounds.auditPartsMax + 20 }, (_, at): readonly Said[] => [
      call("r1", `c${at}`, `tool-${at}`, {}),
      result(`c${at}`, "some output"),
    ]).flat();
    const { parts } = sessionOf([request("r1"), ...said, request("r2")]);
    expect(parts.some(({ tool }) => tool === "(other tools)")).toBe(true);
    expect(parts.length).toBeLessThanOrEqual(bounds.auditPartsMax + 5);
  });
});
