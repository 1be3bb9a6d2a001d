import { describe, expect, test } from "vitest";
import type { Block, Probe, RecordedCall } from "../../src/replay/recording.ts";
import { type ReplayedPrompt, replay } from "../../src/replay/replay.ts";
import { whole } from "../../src/replay/shown.ts";
import type { Shown, Strategy, Terms } from "../../src/replay/strategy.ts";
import { type Made, recorded, terms } from "../support/recorded.ts";

/** 400 tokens. */
const filler = (name: string) => `${name} `.padEnd(1_600, ".");

/** A strategy told what to show of each block; null leaves it out. */
const showing = (form: (block: Block, n: number, terms: Terms) => Shown | null): Strategy => ({
  name: "told",
  open: (given) => (moment) => ({
    shown: moment.blocks.flatMap((block) => form(block, moment.n, given) ?? []),
    break: null,
    calls: [],
    reasoningTokensLost: 0,
  }),
});
const all = showing((block, _n, { tokensOf }) => whole(block, tokensOf));
const stubOf = (
  block: Block,
  { handleOf, tokensOf }: Terms,
  callIds: readonly string[] = [block.callId ?? ""],
): Shown => {
  const text = `[recall handle=${handleOf(block.text)}]`;
  return {
    ...whole(block, tokensOf),
    text,
    tokens: tokensOf(text),
    handles: [{ handle: handleOf(block.text), callIds }],
  };
};

const run = async (
  calls: readonly RecordedCall[],
  strategy: Strategy,
  given: { readonly terms?: Terms; readonly probes?: readonly Probe[] } = {},
) => {
  const prompts: ReplayedPrompt[] = [];
  const headTokens = given.terms?.headTokens ?? 5_000;
  const replayed = await replay({
    recording: { session: "s", headTokens, calls },
    probes: given.probes ?? [],
    strategy,
    terms: given.terms ?? terms(),
    now: () => 0,
    onCall: (prompt) => prompts.push(prompt),
  });
  return { replayed, prompts };
};

describe("what a prompt costs", () => {
  const two = (minutes: number): readonly Made[] => [{ said: filler("a") }, { said: filler("b"), minutes }];

  test("the first prompt is written, then what is unchanged is read and the rest written", async () => {
    const { replayed, prompts } = await run(recorded(two(1)), all);
    expect(replayed.inputCost).toBeCloseTo(5_400 * 1.25 + 5_400 * 0.1 + 400 * 1.25);
    expect(replayed.readTokens).toBe(5_400);
    expect(prompts.map(({ keep, add }) => [keep, add.map(({ kind, tokens }) => `${kind} ${tokens}`)])).toEqual([
      [0, ["head 5000", "text 400"]],
      [2, ["text 400"]],
    ]);
  });

  test("after the lifetime nothing is read, and what was written again for it is said", async () => {
    const { replayed } = await run(recorded(two(6)), all);
    expect(replayed.inputCost).toBeCloseTo(5_400 * 1.25 + 5_800 * 1.25);
    expect(replayed).toMatchObject({ readTokens: 0, expiredTokens: 5_400, expiredCalls: 1 });
    const without = await run(recorded(two(6)), all, { terms: terms({ lifetimeMs: null }) });
    expect(without.replayed.readTokens).toBe(replayed.expiredTokens);
  });

  test("exactly at the lifetime, and where no time is known, the prompt is still read", async () => {
    const calls = recorded(two(5));
    expect((await run(calls, all)).replayed.expiredCalls).toBe(0);
    const timeless = recorded(two(60)).map((call) => ({ ...call, at: null }));
    expect((await run(timeless, all)).replayed.expiredCalls).toBe(0);
  });

  test("a changed segment makes all behind it new, and is a break whatever the strategy calls it", async () => {
    const calls = recorded([{ said: filler("a") }, { said: filler("b") }, { said: filler("c") }]);
    const changing = showing((block, n, given) =>
      block.id === 0 && n === 2 ? stubOf(block, given) : whole(block, given.tokensOf),
    );
    const { replayed, prompts } = await run(calls, changing);
    expect(replayed.breaks).toBe(1);
    expect(prompts[2]).toMatchObject({ keep: 1, break: "undeclared" });
    expect(prompts[2]?.add).toHaveLength(3);
  });

  test("equal texts are unchanged, whatever objects carry them", async () => {
    const copying = showing((block, _n, { tokensOf }) => whole({ ...block }, tokensOf));
    expect((await run(recorded(two(1)), copying)).replayed.readTokens).toBe(5_400);
  });

  test("at a recorded compaction the head is read, and that is no break of the strategy", async () => {
    const calls = recorded([{ said: filler("a") }, { said: filler("b"), restart: "compacted" }]);
    const { replayed, prompts } = await run(calls, all);
    expect(replayed).toMatchObject({ readTokens: 5_000, breaks: 0 });
    expect(prompts[1]).toMatchObject({ keep: 1, break: "compacted" });
  });

  test("calls of the strategy's own and lost reasoning are charged", async () => {
    const costly: Strategy = {
      name: "costly",
      open: (given) => (moment) => ({
        shown: moment.blocks.map((block) => whole(block, given.tokensOf)),
        break: null,
        calls: [{ readTokens: 1_000, writeTokens: 100, outputTokens: 10 }],
        reasoningTokensLost: 7,
      }),
    };
    const { replayed } = await run(recorded([{ said: "a" }]), costly);
    expect(replayed.ownCallsCost).toBeCloseTo(100 + 125 + 50);
    expect(replayed.reasoningLost).toBe(7);
  });

  test("a prompt over a limit is an overflow, unless head and new blocks alone exceed it", async () => {
    const big = "x".repeat(4 * 20_000);
    const calls = recorded([{ said: big }, { said: big }, { said: `${big}${big}` }]);
    const { replayed } = await run(calls, all);
    expect(replayed.overflows).toEqual({ at200k: 0, atH32k: 1 });
    expect(replayed.cannotFit.atH32k).toEqual([2]);
  });
});

describe("what a later call needs", () => {
  const lines = [...Array(200).keys()].map((n) => `line ${n}`);
  const source = [...lines, "const theNeedle = buildNeedle();", ...lines].join("\n");
  const calls = (input = '{"old_string": "const theNeedle = buildNeedle();"}') =>
    recorded([
      { said: "go", asks: [{ callId: "read" }] },
      { results: [{ callId: "read", text: source }], asks: [{ callId: "edit", tool: "Edit", input }] },
      { results: [{ callId: "edit", text: "ok" }] },
    ]);
  const probe: Probe = { callId: "edit", kind: "ident", text: "theNeedle", source: "read" };
  const stubbing = (callIds?: readonly string[]) =>
    showing((block, _n, given) =>
      block.kind === "tool-result" && block.callId === "read"
        ? stubOf(block, given, callIds)
        : whole(block, given.tokensOf),
    );
  const leavingOut = showing((block, _n, { tokensOf }) => (block.callId === "read" ? null : whole(block, tokensOf)));
  const probes = [probe];

  test("visible costs nothing", async () => {
    expect((await run(calls(), all, { probes })).replayed).toMatchObject({ visible: 1, extraSteps: 0, recallCost: 0 });
  });

  test("behind a handle it costs one step: the prompt read, the recalled text written, 150 tokens of output", async () => {
    const { replayed, prompts } = await run(calls(), stubbing(), { probes });
    expect(replayed).toMatchObject({ visible: 0, recalled: 1, lost: 0, extraSteps: 1 });
    const prompt = prompts[1];
    const recalled = prompt?.recalled[0];
    const tokens =
      5_000 +
      (prompt === undefined
        ? 0
        : [...(prompts[0]?.add ?? []), ...prompt.add].slice(1).reduce((sum, one) => sum + one.tokens, 0));
    expect(replayed.recallCost).toBeCloseTo(tokens * 0.1 + terms().tokensOf(recalled?.block.text ?? "") * 1.25 + 750);
    expect(recalled?.block.text).toContain("201\tconst theNeedle");
  });

  test("what was recalled stands in the prompts that follow, before the answer that asked for it", async () => {
    const { prompts } = await run(calls(), stubbing(), { probes });
    expect(prompts[2]?.add.map(({ kind }) => kind)).toEqual(["recalled", "tool-call", "tool-result"]);
  });

  test("a second need of the same call finds what the first brought back", async () => {
    const more = [probe, { ...probe, text: "buildNeedle" }];
    expect((await run(calls(), stubbing(), { probes: more })).replayed).toMatchObject({ recalled: 1, visible: 1 });
  });

  test("a handle for several results costs two steps", async () => {
    const { replayed } = await run(calls(), stubbing(["read", "other"]), { probes });
    expect(replayed).toMatchObject({ recalled: 1, extraSteps: 2 });
  });

  test("when the call's own arguments do not find the string, a further recall is charged", async () => {
    const far = calls(`{"old_string": ${JSON.stringify("line 199")}}`);
    const wide = far.map((call) => ({
      ...call,
      before: call.before.map((block) =>
        block.callId === "read" ? { ...block, text: `${"line 199 and much more\n".repeat(3_000)}theNeedle` } : block,
      ),
    }));
    expect((await run(wide, stubbing(), { probes })).replayed).toMatchObject({ recalled: 1, extraSteps: 2, lost: 0 });
  });

  test("what was recalled in part carries the handle that its text names", async () => {
    const large = calls('{"command": "x"}').map((call) => ({
      ...call,
      before: call.before.map((block) =>
        block.callId === "read" ? { ...block, text: `${"a line of it\n".repeat(5_000)}theNeedle` } : block,
      ),
    }));
    const { prompts } = await run(large, stubbing(), { probes });
    const [part] = prompts[2]?.add ?? [];
    expect(part).toMatchObject({ kind: "recalled", handles: [{ callIds: ["read"] }] });
    expect(part?.text).toContain(`recall handle=${part?.handles[0]?.handle}`);
  });

  test("without a handle it is lost", async () => {
    expect((await run(calls(), leavingOut, { probes })).replayed).toMatchObject({ lost: 1, extraSteps: 0 });
  });

  test("a handle that the text does not name is none", async () => {
    const claiming = showing((block, _n, given) =>
      block.kind === "tool-result" && block.callId === "read"
        ? { ...stubOf(block, given), text: "[gone]" }
        : whole(block, given.tokensOf),
    );
    expect((await run(calls(), claiming, { probes })).replayed).toMatchObject({ recalled: 0, lost: 1 });
  });

  test("what stood before a recorded compaction is reported apart, unless a handle after it leads there", async () => {
    const across = recorded([
      { said: "go", asks: [{ callId: "read" }] },
      { results: [{ callId: "read", text: source }], asks: [{ callId: "other" }] },
      {
        said: "summary",
        restart: "compacted",
        asks: [{ callId: "edit", tool: "Edit", input: '{"old_string": "theNeedle"}' }],
      },
    ]);
    expect((await run(across, all, { probes })).replayed).toMatchObject({ lost: 0, acrossCompaction: 1 });
    const naming = showing((block, _n, given) =>
      block.text === "summary"
        ? { ...stubOf({ ...block, text: source }, given, ["read"]), callId: null }
        : whole(block, given.tokensOf),
    );
    expect((await run(across, naming, { probes })).replayed).toMatchObject({ recalled: 1, acrossCompaction: 0 });
  });

  test("a source of the same answer cannot have been read: an earlier one counts, else it is reported apart", async () => {
    const late: Probe = { ...probe, source: "edit" };
    expect((await run(calls(), all, { probes: [late] })).replayed).toMatchObject({ visible: 1, unseen: 0 });
    const nowhere: Probe = { ...late, text: "stands nowhere" };
    expect((await run(calls(), all, { probes: [nowhere] })).replayed).toMatchObject({ visible: 0, lost: 0, unseen: 1 });
  });

  test("a need of a call that is not replayed is counted apart", async () => {
    const { replayed } = await run(calls(), all, { probes: [{ ...probe, callId: "unknown" }] });
    expect(replayed).toMatchObject({ visible: 0, lost: 0, unplaced: 1 });
  });
});
