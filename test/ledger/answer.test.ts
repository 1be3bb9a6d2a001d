import { describe, expect, test } from "vitest";
import { hashOf } from "../../src/kernel/hash.ts";
import { noUsage, type Usage } from "../../src/kernel/usage.ts";
import { basisOf } from "../../src/ledger/forecast.ts";
import { emptyLane, type LaneMemo, type NotedSegment } from "../../src/ledger/lane.ts";
import { attempt, received, settle } from "./build.ts";

type Short = readonly [name: string, tokens: number];

/** `u` a user's text, `r` a result, `a` an answer's text, `c` a call with 30 marks, `k` reasoning. */
function parts(...list: readonly Short[]): readonly NotedSegment[] {
  const kinds = { u: "text", r: "tool-result", a: "text", c: "tool-call", k: "reasoning" } as const;
  return list.map(([name, tokens]) => {
    const letter = name[0];
    if (letter !== "u" && letter !== "r" && letter !== "a" && letter !== "c" && letter !== "k") throw new Error(name);
    const role = letter === "u" || letter === "r" ? "user" : "assistant";
    return { hash: hashOf(name), kind: kinds[letter], role, tokens, markTokens: letter === "c" ? 30 : 0 };
  });
}

type Model = { readonly wire: "anthropic" | "responses" | "chat"; readonly model: string };

const claude: Model = { wire: "anthropic", model: "claude-opus-5-5" };
const older: Model = { wire: "responses", model: "gpt-5.5" };

function lane(by: Model, ...steps: readonly (readonly [readonly NotedSegment[], Partial<Usage>])[]): LaneMemo {
  const predicted = { promptTokens: 0, marginTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  let memo = emptyLane;
  for (const [at, [segments, usage]] of steps.entries())
    memo = settle(memo, attempt(segments, { ...by, at, marks: [], predicted }), received(usage)).memo;
  return memo;
}

describe("an output that cannot be of the answer it stands with", () => {
  const asked = parts(["u1", 1_000]);
  const called = parts(["u1", 1_000], ["c1", 130], ["r1", 400]);
  test("is not carried: the answer is counted as any other text is", () => {
    const memo = lane(claude, [asked, { uncached: 1_000, output: 1 }]);
    expect(basisOf(memo, claude.model, called)).toEqual({ carried: 1_000, marks: 0, measured: 0, added: [1, 2] });
  });
  test("is told by the call's words alone, since services put very different marks around them", () => {
    const memo = lane(claude, [asked, { uncached: 1_000, output: 40 }]);
    expect(basisOf(memo, claude.model, called)).toEqual({ carried: 1_040, marks: 4, measured: 0, added: [2] });
  });
  test("makes the lane doubt later ones that are too few for words and marks together", () => {
    const memo = lane(claude, [asked, { uncached: 1_000, output: 1 }], [called, { uncached: 1_500, output: 40 }]);
    const next = [...called, ...parts(["c2", 130], ["r2", 400])];
    expect(basisOf(memo, claude.model, next)).toMatchObject({ carried: 1_500, added: [3, 4] });
    const full = lane(claude, [asked, { uncached: 1_000, output: 1 }], [called, { uncached: 1_500, output: 125 }]);
    expect(basisOf(full, claude.model, next)).toMatchObject({ carried: 1_625, added: [4] });
  });
});

describe("reasoning that only the newest turn shows", () => {
  const usage = { ...noUsage, uncached: 1_000, output: 300, reasoning: 200 };
  const asked = parts(["u1", 1_000]);
  const working = parts(["u1", 1_000], ["k1", 90], ["c1", 90], ["r1", 400]);
  test("is carried while results come", () => {
    expect(basisOf(lane(older, [asked, usage]), older.model, working).carried).toBe(1_300);
  });
  test("is gone with the user's next message, that of the whole turn", () => {
    const memo = lane(older, [asked, usage], [working, { uncached: 1_700, output: 150, reasoning: 50 }]);
    const said = [...working, ...parts(["k2", 90], ["a2", 90], ["u2", 10])];
    expect(basisOf(memo, older.model, said)).toMatchObject({ carried: 1_850 - 250, added: [6] });
  });
  test("was not sent back where it is no part of the answer", () => {
    const plain = parts(["u1", 1_000], ["c1", 90], ["r1", 400]);
    expect(basisOf(lane(older, [asked, usage]), older.model, plain).carried).toBe(1_100);
    const chat: Model = { wire: "chat", model: "nobody-knows" };
    expect(basisOf(lane(chat, [asked, usage]), chat.model, plain).carried).toBe(1_100);
  });
  test("stays on Anthropic's wire where a message only comes with results", () => {
    const sonnet: Model = { wire: "anthropic", model: "claude-sonnet-4-5" };
    const memo = lane(sonnet, [asked, { ...usage, reasoning: 0 }]);
    const steered = [...working, ...parts(["u2", 10])];
    expect(basisOf(memo, sonnet.model, steered).carried).toBe(1_300);
    const turn = parts(["u1", 1_000], ["k1", 90], ["a1", 90], ["u2", 10]);
    expect(basisOf(memo, sonnet.model, turn).carried).toBe(1_150);
  });
  test("is not missed by what was measured after it went", () => {
    const said = [...working, ...parts(["a2", 90], ["u2", 10])];
    const memo = lane(
      older,
      [asked, usage],
      [working, { uncached: 1_700, output: 100 }],
      [said, { uncached: 1_615, output: 10 }],
    );
    const tokens = memo.previous?.segments.map((segment) => Math.round(segment.tokens));
    expect(tokens).toEqual([1_000, 0, 100, 400, 100, 15]);
  });
});
