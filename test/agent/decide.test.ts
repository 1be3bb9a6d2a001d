import { describe, expect, test } from "vitest";
import { decide } from "../../src/agent/decide.ts";
import type { Effect, Forecast, Situation } from "../../src/agent/situation.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand, type CallId } from "../../src/kernel/ids.ts";
import type { Failure, FailureClass } from "../../src/log/entry.ts";
import { type Call, emptyState, type Newest, type State, type Turn } from "../../src/log/state.ts";
import { noSummary, type SummaryOutcome, type SummaryTry } from "../../src/log/summary.ts";
import { testModel } from "../support/world.ts";

const small: Forecast = {
  promptTokens: 100,
  marginTokens: 10,
  autoTokens: 900,
  lineTokens: 1_000,
  usableTokens: 1_100,
  fixedTokens: 50,
  floorTokens: 40,
};
const sized = (promptTokens: number): Forecast => ({ ...small, promptTokens });
const situation = (changes: Partial<Situation> = {}): Situation => ({
  now: 1_000_000,
  stepsMax: 50,
  rendererChanged: false,
  damaged: false,
  headLost: false,
  sectionsChanged: () => false,
  isReadOnly: (tool) => tool !== "write",
  factsDue: () => false,
  forecast: () => small,
  planned: (pressure) => (pressure === "hard" ? { type: "compacted", worth: false } : { type: "nothing" }),
  summaries: {
    use: "off",
    native: () => false,
    rides: () => true,
    shortFits: () => true,
    asked: () => ({ type: "refused", why: "nothing" }),
  },
  ...changes,
});

const summing = (changes: Partial<Situation["summaries"]>): Partial<Situation> => ({
  planned: () => ({ type: "compacted", worth: true }),
  summaries: {
    use: "on",
    native: () => false,
    rides: () => true,
    shortFits: () => true,
    asked: () => ({ type: "refused", why: "nothing" }),
    ...changes,
  },
});

const attemptsOf = (kind: string) => (kind === "network" ? bounds.networkAttemptsMax : bounds.requestAttemptsMax);
const id = (text: string): CallId => brand(text);
const turn = (changes: Partial<Turn> = {}): Turn => ({
  fromSeq: 1,
  steps: 0,
  folds: 0,
  foldedAt: 0,
  interruptedAt: null,
  refusals: 0,
  ...changes,
});
const message = { id: "5.0", role: "user", kind: "message", block: { type: "text", text: "go" } } as const;
const sentRequest = (request: string): NonNullable<State["sent"]> => ({
  request: brand(request),
  segments: 1,
  chain: hashOf("x"),
  cacheKey: "",
  marks: [],
  predicted: { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
});
const newest = (changes: Partial<Newest> = {}): Newest => ({
  request: brand("r1"),
  wire: "anthropic",
  messageId: "",
  model: "m",
  stop: "end-turn",
  usage: null,
  receivedAt: 0,
  hasCalls: false,
  segments: 0,
  ...changes,
});
const epoch = (changes: object = {}): NonNullable<State["epoch"]> => ({
  number: 1,
  seq: 2,
  reason: "start",
  head: { tools: brand("t"), system: brand("s") },
  model: testModel,
  ...changes,
});
const call = (name: string, status: Call["status"]["type"], tool = "read"): Call => ({
  callId: id(name),
  tool,
  input: "{}",
  status: status === "refused" ? { type: "refused", why: "no" } : { type: status },
  pieces: [],
});
/** A turn under way with a message that waits: what is due next is a request. */
const due = (changes: Partial<State> = {}): State => ({
  ...emptyState,
  turn: turn(),
  model: testModel,
  epoch: epoch(),
  waiting: [message],
  ...changes,
});
/** A compaction that the user asked for, between turns. */
const byHand = (changes: Partial<State> = {}): State => ({
  ...due({ turn: null, waiting: [] }),
  summary: { ...noSummary, wanted: { scope: { kind: "all" }, focus: "" } },
  ...changes,
});
const worth: Partial<Situation> = summing({ asked: () => ({ type: "worth" }) });
const failed = (kind: FailureClass, changes: Partial<Failure> = {}, attempt = 1): State["failure"] => ({
  at: 1_000_000,
  attempt,
  failure: {
    class: kind,
    status: null,
    message: "it failed",
    retryAfterMs: null,
    promptTokens: null,
    limitTokens: null,
    ...changes,
  },
});
const said = ({ type, ...rest }: Effect): string =>
  `${type} ${Object.values(rest)
    .filter((value) => value !== "stands")
    .filter((value) => typeof value !== "number" || type === "send-request")
    .join(" ")}`.trim();

type Row = readonly [rule: string, state: State, situation: Partial<Situation>, effects: readonly (string | RegExp)[]];

const answered = (changes: Partial<Newest> = {}, more: Partial<State> = {}) =>
  due({ waiting: [], turn: turn({ steps: 1 }), newest: newest(changes), ...more });
/** What was tried for a summary, a second and more ago. */
const tried = (...tries: readonly `${SummaryTry}: ${SummaryOutcome}`[]) =>
  due({
    summary: {
      ...noSummary,
      tries: tries.map((one) => {
        const [as, outcome] = one.split(": ") as [SummaryTry, SummaryOutcome];
        return { as, outcome, at: 1_000_000 - 2 * bounds.retryDelayMsFirst, retryAfterMs: null };
      }),
    },
  });
const calls = (...list: readonly Call[]) => due({ calls: list, turn: turn({ steps: 1 }), waiting: [] });

const rows: readonly Row[] = [
  ["no turn, nothing to do", { ...due(), turn: null }, {}, []],
  ["a request in flight is waited for", due({ request: { id: brand("r"), attempt: 1, sentAt: 0 } }), {}, []],
  ["a message that waits is sent", due(), {}, ["send-request 1"]],
  ["a fact that would not be seen is said first", due(), { factsDue: () => true }, ["show-facts"]],
  ["the first request opens an epoch", due({ epoch: null }), {}, ["open-epoch start"]],
  [
    "a log that lost its epochs says so",
    due({ epoch: null, damage: { lines: 2, declared: 0 } }),
    {},
    [/^open-epoch history-damaged 2 unreadable/],
  ],
  ["a lost head opens an epoch", due(), { headLost: true }, [/^open-epoch history-damaged/]],
  ["unreadable lines are declared", due({ damage: { lines: 1, declared: 0 } }), {}, [/^open-epoch history-damaged/]],
  [
    "where the newest answered request is whole, what it sent stands",
    due({ damage: { lines: 1, declared: 0 }, newest: newest(), sent: sentRequest("r1") }),
    {},
    ["open-epoch history-damaged 1 unreadable lines"],
  ],
  [
    "where its intent was lost, nobody knows: what was sent counts as changed",
    due({ damage: { lines: 1, declared: 0 }, newest: newest(), sent: sentRequest("r0") }),
    {},
    ["open-epoch history-damaged 1 unreadable lines changed"],
  ],
  ["declared damage is no reason again", due({ damage: { lines: 1, declared: 1 } }), {}, ["send-request 1"]],
  [
    "another model opens an epoch",
    due({ model: { ...testModel, model: "other" } }),
    {},
    [/^open-epoch model-changed sim-large to other/],
  ],
  ["another wire does too", due({ model: { ...testModel, wire: "chat" } }), {}, [/^open-epoch model-changed/]],
  ["another effort does too", due({ model: { ...testModel, effort: "low" } }), {}, [/^open-epoch effort-changed/]],
  [
    "the same choice with its members in another order is no change",
    due({
      model: { outputTokensMax: 4_000, thinking: "off", effort: null, model: "sim-large", wire: "anthropic" },
    }),
    {},
    ["send-request 1"],
  ],
  ["a changed renderer is declared", due(), { rendererChanged: true }, [/^open-epoch renderer-changed/]],
  [
    "a changed renderer of a damaged log is the damage",
    due(),
    { rendererChanged: true, damaged: true },
    [/^open-epoch history-damaged/],
  ],
  ["damage that changed nothing sent is no break", due(), { damaged: true }, ["send-request 1"]],

  ["an answer ends the turn", answered(), {}, ["end-turn done"]],
  ["a cut answer ends it and says so", answered({ stop: "output-limit" }), {}, [/^end-turn done the answer was cut/]],
  ["a refusal ends it as failed", answered({ stop: "refusal" }), {}, [/^end-turn failed/]],
  ["a full window ends it", answered({ stop: "window-exceeded" }), {}, [/^end-turn window-too-small/]],
  [
    "a refused call that no later one made good is told",
    answered({}, { turn: turn({ steps: 2, refusals: 1 }) }),
    {},
    [/^end-turn permission-refused/],
  ],
  ["a message that came meanwhile goes on with the turn", answered({}, { waiting: [message] }), {}, ["send-request 1"]],
  ["an older turn's answer does not end this one", due({ newest: newest() }), {}, ["send-request 1"]],
  ["the step limit ends it", due({ turn: turn({ steps: 50 }) }), {}, [/^end-turn step-limit the limit of 50/]],

  ["a call is judged first", calls(call("a", "waiting")), {}, ["permit a"]],
  ["one question at a time", calls(call("a", "asked"), call("b", "waiting")), {}, ["permit a"]],
  ["an allowed call runs", calls(call("a", "allowed")), {}, ["run-tool a"]],
  [
    "reads run side by side, and the next is judged meanwhile",
    calls(call("a", "started"), call("b", "allowed"), call("c", "waiting")),
    {},
    ["permit c", "run-tool b"],
  ],
  ["a write waits for the reads before it", calls(call("a", "started"), call("w", "allowed", "write")), {}, []],
  [
    "a write runs alone: what stands behind it waits",
    calls(call("w", "started", "write"), call("b", "allowed")),
    {},
    [],
  ],
  [
    "what stands behind a write runs when the write is done",
    calls(call("w", "returned", "write"), call("b", "allowed")),
    {},
    ["run-tool b"],
  ],
  ["a refused call is closed", calls(call("a", "refused")), {}, ["close-call a refused no"]],
  [
    "not more than the limit run at once",
    calls(...Array.from({ length: 12 }, (_, n) => call(`c${n}`, n < 6 ? "started" : "allowed"))),
    {},
    Array.from({ length: bounds.parallelCallsMax - 6 }, (_, n) => `run-tool c${n + 6}`),
  ],
  [
    "interrupted: what did not start is closed, what runs is waited for",
    due({
      calls: [call("a", "started"), call("b", "allowed"), call("c", "asked")],
      turn: turn({ interruptedAt: 9 }),
    }),
    {},
    [/^close-call b not-run/, /^close-call c not-run/],
  ],
  [
    "interrupted: the turn ends before anything is sent",
    due({ turn: turn({ interruptedAt: 9 }) }),
    {},
    [/^end-turn interrupted/],
  ],
  [
    "interrupted: a failure is not tried again",
    due({ turn: turn({ interruptedAt: 9 }), failure: failed("overloaded") }),
    {},
    [/^end-turn interrupted/],
  ],

  [
    "above the line something is folded",
    due(),
    { forecast: () => sized(1_000) },
    [/^compact hard 1010 tokens, line 1000/],
  ],
  ["on the line it is sent", due(), { forecast: () => sized(990) }, ["send-request 1"]],
  [
    "above the line with nothing to fold it is sent while it is usable",
    due(),
    { forecast: () => sized(1_090), planned: () => ({ type: "nothing" }) },
    ["send-request 1"],
  ],
  [
    "after two folds too",
    due({ turn: turn({ folds: bounds.foldsInARowMax }) }),
    { forecast: () => sized(1_090) },
    ["send-request 1"],
  ],
  [
    "above what is usable with nothing to fold the turn ends with the sizes",
    due(),
    { forecast: () => sized(1_091), planned: () => ({ type: "nothing" }) },
    [
      /^end-turn window-too-small the next request needs 1101 tokens, 1100 are usable: 50 are fixed .* 1041 are history/,
    ],
  ],
  [
    "where system, tools and the newest message alone are above it nothing is taken away in vain",
    due(),
    { forecast: () => ({ ...sized(2_000), floorTokens: 1_101 }) },
    [/^end-turn window-too-small/],
  ],
  [
    "two folds of a turn are the limit",
    due({ turn: turn({ folds: bounds.foldsInARowMax }) }),
    { forecast: () => sized(2_000) },
    [/^end-turn window-too-small/],
  ],

  ["a summary rides where it fits", due(), { forecast: () => sized(1_000), ...summing({}) }, [/^summarize ride /]],
  [
    "what does not ride is asked for by a shortened copy",
    due(),
    { forecast: () => sized(1_000), ...summing({ rides: () => false }) },
    [/^summarize short /],
  ],
  [
    "by itself none is asked for of a cache that is gone: the work is folded, and that is why",
    due(),
    { forecast: () => sized(1_000), ...summing({ use: "cold" }) },
    [/^compact hard .* the cache has expired/],
  ],
  [
    "a stricter question that does not fit is not sent (law 5)",
    tried("short: junk"),
    { forecast: () => sized(1_000), ...summing({ rides: () => false }) },
    [/^compact hard .* short: junk; there is no room to ask/],
  ],
  [
    "what broke off without the user is asked again, and counts",
    tried("ride: interrupted"),
    { forecast: () => sized(1_000), ...summing({}) },
    [/^summarize ride/],
  ],
  [
    "no more than so many calls to a compaction, whatever came of them",
    tried("ride: interrupted", "ride: failed", "ride: interrupted"),
    { forecast: () => sized(1_000), ...summing({}) },
    [/^compact hard .* ride: interrupted, ride: failed, ride: interrupted$/],
  ],
  ["by hand, between turns, a summary is asked for where that is worth it", byHand(), worth, [/^summarize ride /]],
  [
    "by hand, between turns, another model is a break first",
    byHand({ model: { ...testModel, model: "another" } }),
    worth,
    [/^open-epoch model-changed /],
  ],
  [
    "by hand, between turns, so is another longest answer",
    byHand({ model: { ...testModel, outputTokensMax: 3 } }),
    worth,
    [/^open-epoch effort-changed /],
  ],
  [
    "by hand, between turns, so are lines that were lost",
    byHand({ damage: { lines: 1, declared: 0 } }),
    worth,
    [/^open-epoch history-damaged /],
  ],
  [
    "by hand nothing is done before something was sent",
    byHand({ epoch: null }),
    worth,
    [/^refuse-compaction nothing was sent/],
  ],
  [
    "a copy that does not fit either is not sent (law 5)",
    due(),
    { forecast: () => sized(1_000), ...summing({ rides: () => false, shortFits: () => false }) },
    [/^compact hard/],
  ],
  ["overflow is folded", due({ failure: failed("overflow") }), {}, [/^compact hard it failed a summary would/]],
  [
    "overflow with nothing to fold ends the turn: the same is never sent twice",
    due({ failure: failed("overflow") }),
    { planned: () => ({ type: "nothing" }) },
    [/^end-turn window-too-small/],
  ],
  [
    "overflow after two folds ends the turn",
    due({ failure: failed("overflow"), turn: turn({ folds: 2 }) }),
    {},
    [/^end-turn window-too-small/],
  ],
  ["a binding error opens an epoch once", due({ failure: failed("binding") }), {}, [/^open-epoch renderer-changed/]],
  [
    "and ends the turn when that did not help",
    due({ failure: failed("binding"), epoch: epoch({ reason: "renderer-changed", seq: 8 }) }),
    {},
    [/^end-turn provider-gave-up/],
  ],
  [
    "but not while a summary of the provider's own stands there: that may be what it does not know",
    due({
      failure: failed("binding"),
      epoch: epoch({ reason: "renderer-changed", seq: 8 }),
      live: [
        { id: "8.summary", role: "assistant", from: "anthropic", block: { type: "compaction", text: "x", wire: "{}" } },
      ],
    }),
    {},
    [/^open-epoch renderer-changed/],
  ],
  [
    "an epoch of an earlier turn does not count for that",
    due({
      failure: failed("binding"),
      epoch: epoch({ reason: "renderer-changed", seq: 8 }),
      turn: turn({ fromSeq: 20 }),
    }),
    {},
    [/^open-epoch renderer-changed/],
  ],
  ...(["rate-limited", "overloaded", "server", "network", "broken-stream", "timeout"] as const).flatMap(
    (kind): readonly Row[] => [
      [`${kind} waits`, due({ failure: failed(kind) }), {}, ["wait it failed"]],
      [`${kind} is tried again after the wait`, due({ failure: failed(kind) }), { now: 1_002_000 }, ["send-request 2"]],
      [
        `${kind} ends the turn after the last attempt`,
        due({ failure: failed(kind, {}, attemptsOf(kind)) }),
        { now: 9_000_000 },
        [new RegExp(`^end-turn provider-gave-up it failed \\(${attemptsOf(kind)} attempts\\)`)],
      ],
    ],
  ),
  ...(["bad-request", "auth", "billing", "not-found", "refused"] as const).map(
    (kind): Row => [
      `${kind} ends the turn`,
      due({ failure: failed(kind) }),
      {},
      ["end-turn provider-gave-up it failed"],
    ],
  ),
  [
    "a cut attempt nobody asked for ends it too",
    due({ failure: failed("interrupted") }),
    {},
    [/^end-turn interrupted/],
  ],
  [
    "`retry-after` is waited for",
    due({ failure: failed("rate-limited", { retryAfterMs: 30_000 }) }),
    { now: 1_029_999 },
    ["wait it failed"],
  ],
  [
    "and no longer",
    due({ failure: failed("rate-limited", { retryAfterMs: 30_000 }) }),
    { now: 1_030_000 },
    ["send-request 2"],
  ],
  [
    "a `retry-after` on the limit is waited for",
    due({ failure: failed("rate-limited", { retryAfterMs: bounds.retryAfterMsMax }) }),
    {},
    ["wait it failed"],
  ],
  [
    "one above it ends the turn",
    due({ failure: failed("rate-limited", { retryAfterMs: bounds.retryAfterMsMax + 1 }) }),
    {},
    [/^end-turn provider-gave-up it failed; it asks to wait 601 s/],
  ],
  [
    "another model is asked at once",
    due({ failure: failed("overloaded"), model: { ...testModel, model: "other" } }),
    {},
    [/^open-epoch model-changed/],
  ],
  [
    "with a lost head nothing is tried again before it",
    due({ failure: failed("overflow") }),
    { headLost: true },
    [/^open-epoch history-damaged/],
  ],
  [
    "a second attempt that became too large is folded first",
    due({ failure: failed("overloaded") }),
    { now: 1_002_000, forecast: () => sized(2_000) },
    [/^compact hard/],
  ],
];

describe("decide", () => {
  for (const [rule, state, changes, effects] of rows)
    test(rule, () => {
      const decided = decide(state, situation(changes)).map(said);
      expect(decided).toHaveLength(effects.length);
      for (const [index, effect] of effects.entries()) {
        if (typeof effect === "string") expect(decided[index]).toBe(effect);
        else expect(decided[index]).toMatch(effect);
      }
    });

  test("the wait grows, has a limit, and differs a little from failure to failure", () => {
    const waitAt = (attempt: number, at: number) => {
      const failure = failed("server", {}, attempt);
      const [effect] = decide(due({ failure: failure && { ...failure, at } }), situation({ now: at }));
      return effect?.type === "wait" ? effect.untilMs - at : -1;
    };
    const waits = [1, 2, 3, 4, 5].map((attempt) => waitAt(attempt, 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(waitAt(1, 255)).toBeGreaterThan(1_000);
    expect(waitAt(1, 255)).toBeLessThanOrEqual(1_250);
  });

  test("asks for a forecast only when a request is due", () => {
    const refuse = () => expect.fail("asked for a forecast");
    for (const state of [
      answered(),
      calls(call("a", "allowed")),
      due({ epoch: null }),
      due({ turn: turn({ steps: 50 }) }),
    ])
      decide(state, situation({ forecast: refuse, planned: refuse }));
  });
});
