import { describe, expect, test } from "vitest";
import type { SessionAudit } from "../../src/audit/report.ts";
import type { Usage } from "../../src/kernel/usage.ts";
import {
  call,
  model,
  request,
  restarted,
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

/** One call after the other, each with its result and a prompt that grew by it, all read but what is new. */
function steps(
  calls: readonly (readonly [tool: string, input: unknown, output: string, failed?: boolean])[],
): readonly Said[] {
  const said = calls.flatMap(([tool, input, output, failed = false], n): readonly Said[] => [
    request(`r${n}`),
    call(`r${n}`, `c${n}`, tool, input),
    usage(`r${n}`, { cacheRead: n === 0 ? 0 : 9_000 + n * 1_000, cacheWrite5m: n === 0 ? 10_000 : 1_000, output: 10 }),
    result(`c${n}`, output, { failed }),
  ]);
  const last = `r${calls.length}`;
  return [
    typed("go"),
    ...said,
    request(last),
    usage(last, { cacheRead: 9_000 + calls.length * 1_000, cacheWrite5m: 1_000 }),
  ];
}

const long = words(400, "a");
const other = words(400, "b");

const counts = ({ findings }: SessionAudit): Readonly<Record<string, number>> => ({
  unchanged: findings.rereadsUnchanged.count,
  changed: findings.rereadsChanged.count,
  calls: findings.repeatedCalls.count,
  results: findings.repeatedResults.count,
});
const none = { unchanged: 0, changed: 0, calls: 0, results: 0 };

describe("what came again", () => {
  const read = { file_path: "/a/x.ts" };
  const rows: readonly (readonly [name: string, said: readonly Said[], expected: Readonly<Record<string, number>>])[] =
    [
      [
        "the same file with the same text",
        steps([
          ["Read", read, long],
          ["Read", read, long],
        ]),
        { unchanged: 1 },
      ],
      [
        "the same file with another text",
        steps([
          ["Read", read, long],
          ["Read", read, other],
        ]),
        { changed: 1 },
      ],
      [
        "a part of a file that came before another part",
        steps([
          ["Read", { ...read, offset: 1 }, long],
          ["Read", { ...read, offset: 9 }, other],
          ["Read", { ...read, offset: 1 }, long],
        ]),
        { changed: 1, unchanged: 1 },
      ],
      [
        "a file shown by a command",
        steps([
          ["Bash", { command: "cat x.ts" }, long],
          ["Bash", { command: "cat x.ts" }, long],
        ]),
        { unchanged: 1 },
      ],
      [
        "a part of a file shown by a command",
        steps([
          ["exec_command", { cmd: "cd /a && sed -n '1,20p' x.ts" }, long],
          ["exec_command", { cmd: "nl -ba x.ts | sed -n '1,20p'" }, other],
        ]),
        { changed: 1 },
      ],
      [
        "an editor's view",
        steps([
          ["str_replace_editor", { command: "view", path: "/a/x" }, long],
          ["str_replace_editor", { command: "view", path: "/a/x" }, long],
        ]),
        { unchanged: 1 },
      ],
      [
        "the same call with an equal result",
        steps([
          ["Bash", { command: "ls -R" }, long],
          ["Bash", { command: "ls -R" }, long],
        ]),
        { calls: 1 },
      ],
      [
        "the same call with another result is no repeat",
        steps([
          ["Bash", { command: "ls" }, long],
          ["Bash", { command: "ls" }, other],
        ]),
        {},
      ],
      [
        "an equal result of another call",
        steps([
          ["Bash", { command: "ls" }, long],
          ["Bash", { command: "ls ." }, long],
        ]),
        { results: 1 },
      ],
      [
        "a short result is no repeat",
        steps([
          ["Bash", { command: "ls" }, "ok"],
          ["Bash", { command: "ls" }, "ok"],
        ]),
        {},
      ],
      [
        "different files are none",
        steps([
          ["Read", { file_path: "/a" }, long],
          ["Read", { file_path: "/b" }, other],
        ]),
        {},
      ],
    ];
  test.each(rows)("%s", (_name, said, expected) => {
    expect(counts(sessionOf(said))).toEqual({ ...none, ...expected });
  });
  test("a file that was read often is one example with its count, its tokens, its place", () => {
    const { findings } = sessionOf(
      steps([
        ["Read", read, long],
        ["Read", read, long],
        ["Read", read, long],
      ]),
    );
    const [example] = findings.rereadsUnchanged.examples;
    expect(example).toMatchObject({ count: 2, tool: "Read", what: "/a/x.ts", line: 9, lane: "main", call: 2 });
    expect(findings.rereadsUnchanged.tokens).toBeGreaterThan(500);
    expect(findings.rereadsUnchanged.paidTokens).toBeGreaterThan(findings.rereadsUnchanged.tokens);
    expect(findings.rereadsUnchanged.usd).toBeGreaterThan(0);
  });
  test("what a compaction took away is not a repeat but came again after it", () => {
    const said = [
      ...steps([["Read", read, long]]),
      restarted("compacted"),
      summary("what was done"),
      request("r8"),
      call("r8", "c8", "Read", read),
      usage("r8", { cacheRead: 5_000, cacheWrite5m: 2_000 }),
      result("c8", long),
      request("r9"),
      usage("r9", { cacheRead: 7_000, cacheWrite5m: 1_000 }),
    ];
    const found = sessionOf(said);
    expect(counts(found)).toEqual(none);
    expect(found.findings.compactions).toMatchObject({ count: 1, paidTokens: 7_000, reread: { count: 1 } });
  });
  test("what a restart keeps can be repeated", () => {
    const before = steps([["Read", read, long]]);
    const said = [
      ...before,
      restarted("compacted", [[0, before.length]]),
      request("r8"),
      call("r8", "c8", "Read", read),
      result("c8", long),
    ];
    expect(counts(sessionOf(said))).toEqual({ ...none, unchanged: 1 });
  });
  test("another lane's results are not in this one's prompt", () => {
    const side = steps([["Read", read, long]]).map((one): Said => ({ ...one, lane: "agent" }));
    expect(counts(sessionOf([...steps([["Read", read, long]]), ...side]))).toEqual(none);
  });
});

describe("sizes", () => {
  test("the largest results are those that cost most over all calls, not the longest alone", () => {
    const { findings } = sessionOf(
      steps([
        ["Bash", { command: "early" }, words(600, "x")],
        ["Bash", { command: "b" }, "short"],
        ["Bash", { command: "c" }, "short"],
        ["Bash", { command: "late" }, words(900, "y")],
      ]),
    );
    expect(findings.largestResults.slice(0, 2).map(({ what }) => what)).toEqual([
      '{"command":"early"}',
      '{"command":"late"}',
    ]);
  });
  test("failed calls and images are counted with what they cost", () => {
    const { findings } = sessionOf([
      ...steps([["Bash", { command: "false" }, long, true]]),
      result("c0", "seen", { images: 2 }),
      request("r9"),
      usage("r9", { cacheRead: 12_000 }),
    ]);
    expect(findings.failedCalls).toMatchObject({ count: 1 });
    expect(findings.failedCalls.paidTokens).toBeGreaterThan(0);
    expect(findings.images.count).toBe(2);
    expect(findings.images.tokens).toBeGreaterThan(2_000);
  });
  test("declared tools that nobody calls are found, with what they cost over all calls", () => {
    const tools = ["Bash", "Deploy", "Paint"].map((name) => ({ name, text: words(300, name) }));
    const { findings } = sessionOf([
      { type: "head", part: "tools", tools },
      ...steps([["Bash", { command: "ls" }, long]]),
    ]);
    expect(findings.unusedTools.examples.map(({ what }) => what).toSorted()).toEqual(["Deploy", "Paint"]);
    expect(findings.unusedTools.paidTokens).toBeGreaterThan(findings.unusedTools.tokens);
  });
  test("excerpts are short and steer no terminal", () => {
    const { findings } = sessionOf(steps([["Bash", { command: `\u001b[31m${"漢".repeat(500)}` }, long]]));
    const what = findings.largestResults[0]?.what ?? "";
    expect(Array.from(what).length).toBeLessThanOrEqual(100);
    expect(what).not.toMatch(/\p{C}/u);
  });
});

describe("cache misses", () => {
  type Two = {
    readonly first?: Partial<Usage>;
    readonly second: Partial<Usage>;
    readonly idleMs?: number;
    readonly model?: string;
    readonly next?: string;
    readonly between?: readonly Said[];
  };
  const two = ({
    first = { cacheWrite5m: 10_000 },
    second,
    idleMs = 1_000,
    model: by = model,
    next = by,
    between = [],
  }: Two): SessionAudit =>
    sessionOf([
      { ...typed("go"), at: startAt },
      { ...request("r0", by), at: startAt },
      usage("r0", first),
      text("r0", "yes"),
      ...between,
      {
        ...request("r1", next),
        at: startAt + idleMs,
      },
      usage("r1", second),
    ]);
  const minutes = 60_000;
  const rows: readonly (readonly [name: string, input: Two, cause: string | null, tokens: number])[] = [
    ["all that was left is read: no miss", { second: { cacheRead: 10_000, cacheWrite5m: 500 } }, null, 0],
    ["a few tokens less are rounding", { second: { cacheRead: 9_990, cacheWrite5m: 510 } }, null, 0],
    ["idle longer than five minutes", { second: { cacheWrite5m: 11_000 }, idleMs: 6 * minutes }, "expired", 10_000],
    [
      "idle within the hour of the longer life",
      { first: { cacheWrite1h: 10_000 }, second: { cacheRead: 10_000 }, idleMs: 50 * minutes },
      null,
      0,
    ],
    [
      "idle beyond the hour",
      { first: { cacheWrite1h: 10_000 }, second: { cacheWrite1h: 10_500 }, idleMs: 61 * minutes },
      "expired",
      10_000,
    ],
    [
      "less read within the cache's life: the log cannot tell",
      { second: { cacheRead: 2_000, cacheWrite5m: 9_000 } },
      "unknown",
      8_000,
    ],
    ["another model", { second: { cacheWrite5m: 10_500 }, next: "claude-haiku-5-5" }, "model-changed", 10_000],
    [
      "compacted",
      { second: { cacheRead: 1_000, cacheWrite5m: 3_000 }, between: [restarted("compacted"), summary("s")] },
      "break:compacted",
      3_000,
    ],
    [
      "rewound",
      { second: { cacheRead: 1_000, cacheWrite5m: 3_000 }, between: [restarted("rewound", [[0, 1]])] },
      "messages-changed",
      3_000,
    ],
    [
      "cleared",
      { second: { cacheRead: 1_000, cacheWrite5m: 3_000 }, between: [restarted("cleared")] },
      "break:cleared",
      3_000,
    ],
    [
      "a system prompt that is logged later than the first request is not taken for a change",
      { second: { cacheWrite5m: 12_000 }, between: [{ type: "head", part: "system", text: words(90, "n") }] },
      "unknown",
      10_000,
    ],
    ["of what is no longer in the prompt nothing is missed", { second: { cacheRead: 4_000 } }, null, 0],
    [
      "a service that caches by itself and never did",
      { model: "gpt-5.5", first: { uncached: 9_000 }, second: { uncached: 9_500 } },
      null,
      0,
    ],
    ["nothing was cached, nothing is missed", { first: { uncached: 10_000 }, second: { uncached: 10_500 } }, null, 0],
  ];
  test.each(rows)("%s", (_name, input, cause, tokens) => {
    const found = two(input).findings.misses.filter((miss) => miss.cause !== "cold-start");
    expect(found.map((miss) => [miss.cause, miss.tokens])).toEqual(cause === null ? [] : [[cause, tokens]]);
  });
  test("the first call of a lane that reads nothing is a cold start", () => {
    const [miss] = two({ second: { cacheRead: 10_000 } }).findings.misses;
    expect(miss).toMatchObject({ cause: "cold-start", count: 1, tokens: 10_000 });
  });
  test("a cold turn is a miss by its age, with money for what was written instead of read", () => {
    const { findings } = two({ second: { cacheWrite5m: 11_000 }, idleMs: 6 * minutes });
    expect(findings.coldTurns).toMatchObject({ count: 1, tokens: 10_000 });
    expect(findings.coldTurns.usd).toBeGreaterThan(0);
  });
  test("at a miss it is said whether the start of the prompt was still read", () => {
    const { misses } = two({ second: { cacheRead: 2_000, cacheWrite5m: 9_000 } }).findings;
    expect(misses.find(({ cause }) => cause === "unknown")).toMatchObject({ cause: "unknown", partlyRead: 1 });
  });
  test("a new system prompt is named where there was one before", () => {
    const head = (seed: string): Said => ({ type: "head", part: "system", text: words(500, seed) });
    const { findings } = sessionOf([
      head("a"),
      request("r0"),
      usage("r0", { cacheWrite5m: 10_000 }),
      head("b"),
      request("r1"),
      usage("r1", { cacheWrite5m: 10_000 }),
    ]);
    expect(findings.misses.map(({ cause }) => cause)).toContain("system-changed");
  });
});

describe("restarts", () => {
  test("a compaction is counted with the prompts before and after it", () => {
    const { findings, lanes } = sessionOf([
      ...steps([["Bash", { command: "ls" }, long]]),
      restarted("compacted"),
      summary("short"),
      request("r9"),
      usage("r9", { cacheWrite5m: 4_000 }),
    ]);
    expect(findings.compactions).toMatchObject({ count: 1, tokens: 11_000, paidTokens: 4_000 });
    expect(lanes[0]?.compactions).toBe(1);
  });
  test("after going back, what was taken away is no longer paid for, and comes back when it is kept again", () => {
    const said: readonly Said[] = [
      typed("go"), // 0
      request("r0"),
      call("r0", "c0", "Bash", { command: "one" }), // 2
      usage("r0", { cacheWrite5m: 5_000 }),
      result("c0", words(400, "one")), // 4
      request("r1"),
      usage("r1", { cacheRead: 5_000, cacheWrite5m: 800 }),
      restarted("rewound", [[0, 0]]), // 7
      typed("another way"), // 8
      request("r2"),
      usage("r2", { cacheRead: 4_000, cacheWrite5m: 1_000 }),
    ];
    const paid = (more: readonly Said[]): number =>
      sessionOf([...said, ...more]).parts.find(({ tool }) => tool === "Bash")?.paidTokens ?? 0;
    const once = paid([]);
    expect(once).toBeGreaterThan(0);
    // Shares are rounded so that they add up: one token may fall to another part.
    const gone = paid([request("r3"), usage("r3", { cacheRead: 5_000, cacheWrite5m: 100 })]);
    expect(Math.abs(gone - once)).toBeLessThanOrEqual(1);
    const back = [restarted("rewound", [[0, 6]]), request("r3"), usage("r3", { cacheRead: 5_000, cacheWrite5m: 800 })];
    expect(paid(back)).toBeGreaterThan(once * 1.5);
  });
  test("ranges that make no sense keep nothing and harm nothing", () => {
    const wild = restarted("rewound", [
      [Number.NaN, Number.NaN],
      [9, 2],
      [-5, Number.POSITIVE_INFINITY],
    ]);
    expect(sessionOf([...steps([["Bash", { command: "ls" }, long]]), wild, request("r9")]).calls).toBe(3);
  });
});

describe("the window over time", () => {
  const many = (count: number): readonly Said[] =>
    Array.from({ length: count }, (_, n): readonly Said[] => [
      request(`r${n}`),
      usage(`r${n}`, { cacheRead: 10_000 + n, cacheWrite5m: 1 }),
      ...(n === 1_000 ? [restarted("compacted")] : []),
    ]).flat();
  test("each call is a point whose parts add up to its prompt", () => {
    const { series } = sessionOf(
      steps([
        ["Bash", { command: "ls" }, long],
        ["Read", { path: "a" }, other],
      ]),
    );
    expect(series?.points.map(({ n, promptTokens, cacheReadTokens }) => [n, promptTokens, cacheReadTokens])).toEqual([
      [0, 10_000, 0],
      [1, 11_000, 10_000],
      [2, 12_000, 11_000],
    ]);
    for (const { tokens, promptTokens } of series?.points ?? []) {
      expect(tokens.reduce((a, b) => a + b, 0)).toBe(promptTokens);
      expect(tokens.length).toBe(series?.parts.length);
    }
  });
  test("more calls than points are thinned, and what happened stays", () => {
    const { series } = sessionOf(many(9_000));
    expect(series?.points.length).toBeLessThanOrEqual(2_000);
    expect(series?.points.reduce((calls, point) => calls + point.calls, 0)).toBe(9_000);
    expect(series?.points.filter(({ event }) => event === "compacted").length).toBe(1);
    // The end of a long session is not drawn finer than its beginning.
    const sizes = series?.points.slice(0, -1).map(({ calls }) => calls) ?? [];
    expect(Math.max(...sizes)).toBe(Math.min(...sizes));
  });
});
