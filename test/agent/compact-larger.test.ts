import { describe, expect, test } from "vitest";
import { type Reductions, usualReductions } from "../../src/agent/reductions.ts";
import type { SummaryScope } from "../../src/log/summary.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { type MeteredLane, meteredLane } from "../support/metered-lane.ts";
import { fakeTool, testModel } from "../support/world.ts";

const rows = Array.from({ length: 160 }, (_, at) => `${at} row ${at * 7} of the listing, with words of its own ${at}`);

/** The first two results are nearly the same, so that the second leads to the first; the others are short. */
const look = fakeTool(
  "Bash",
  true,
  async ({ n }) => (Number(n) < 2 ? [...rows, `end of ${n}`].join("\n") : `nothing but ${n}`),
  "range",
);
/** All different, and long. */
const read = fakeTool("Bash", true, async ({ n }) => rows.map((row) => `${n} ${row} ${Number(n) * 31}`).join("\n"));

async function played(
  steps: number,
  tool: typeof look,
  reductions: Partial<Reductions>,
  model = "sim-plain",
): Promise<MeteredLane> {
  const replies = Array.from(
    { length: steps + 1 },
    (_, n): BrainReply => (n === steps ? { text: "done" } : { calls: [{ tool: "Bash", input: { n } }] }),
  );
  const lane = await meteredLane({
    choice: { ...testModel, model },
    replies,
    tools: [tool],
    reductions: { ...usualReductions, summaries: "off", collapsing: "off", ...reductions },
    windowTokens: 60_000,
    simulated: { windowTokens: 60_000 },
  });
  expect((await lane.session.prompt("look at all of it")).reason).toBe("done");
  return lane;
}

const bodies = ({ simulation }: MeteredLane) => simulation.requests().map(({ body }) => body);

/** Up to the result of that call. */
function upto({ session }: MeteredLane, nth: number): SummaryScope {
  const results = session.state().live.filter(({ block }) => block.type === "tool-result");
  return { kind: "upto", piece: results[nth]?.id ?? expect.fail("no such result") };
}

async function expectRefused(lane: MeteredLane, scope: SummaryScope): Promise<void> {
  const { live, seq } = lane.session.state();
  expect(await lane.session.previewCompaction(scope)).toBeNull();
  const said = await lane.session.compact({ scope });
  if (said.type !== "refused") return expect.fail(JSON.stringify(said));
  const [, now, after] = /no smaller: (\d+) tokens now, (\d+) tokens after$/.exec(said.why) ?? [];
  expect(Number(now)).toBeGreaterThan(0);
  expect(Number(after)).toBeGreaterThanOrEqual(Number(now));
  expect(lane.session.state()).toMatchObject({ live, seq });
  return undefined;
}

describe("a compaction by hand that would make the whole request larger is refused with both sizes, before anything is asked", () => {
  test("where what pointers lead to goes, so that it is written out again", async () => {
    const lane = await played(4, look, { clearing: "off" });
    expect(lane.session.state().live.some(({ block }) => block.type === "tool-result" && block.pointers)).toBe(true);
    await expectRefused(lane, upto(lane, 0));
  });

  for (const summaries of ["off", "model"] as const)
    test(`where what the provider had cleared comes back (summaries: ${summaries})`, async () => {
      const lane = await played(24, read, { clearing: "provider", summaries }, "claude-sonnet-5-5");
      expect(lane.session.state().newest?.cleared?.tokens).toBeGreaterThan(0);
      const count = bodies(lane).length;
      await expectRefused(lane, upto(lane, 3));
      expect(bodies(lane)).toHaveLength(count);
    });
});

test("what a preview says is what comes of it, to the token", async () => {
  const lane = await played(12, read, { clearing: "off" });
  for (const nth of [5, 2]) {
    const scope = upto(lane, nth);
    const preview = (await lane.session.previewCompaction(scope)) ?? expect.fail("nothing to compact");
    const { tokensBefore, tokensAfter } = preview;
    expect(await lane.session.compact({ scope })).toMatchObject({ type: "compacted", tokensBefore, tokensAfter });
    expect(tokensAfter).toBeLessThan(tokensBefore);
  }
});
