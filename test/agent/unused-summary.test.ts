import { expect, test } from "vitest";
import { foldOnly } from "../../src/agent/reductions.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { EntryBody } from "../../src/log/entry.ts";
import type { ProviderSummary, SummaryEntry } from "../../src/log/summary.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { entriesOf } from "../support/summing.ts";
import { fakeTool, testModel, testWorld } from "../support/world.ts";

const refused: ScriptedReply = { fail: { type: "http-error", status: 401, headers: {}, body: "no key" } };
const native: ProviderSummary = {
  from: testModel.wire,
  model: testModel.model,
  block: { type: "compaction", text: "SEALED", wire: '{"type":"compaction","content":"SEALED"}' },
};

/** A summary is at hand, and the prompt is one request with one result that no answer has seen: nothing is finished. */
async function resumed(
  result: string,
  limitTokens: number,
  more: Partial<Extract<SummaryEntry, { type: "summary-ended" }>>,
) {
  const look = fakeTool("look", true, async () => result, "whole");
  const model = scriptedModel([{ calls: [{ id: "c1", tool: "look", input: {} }] }, refused, { text: "done" }]);
  const world = await testWorld({ model, tools: [look], reductions: foldOnly, windowTokens: 400_000 });
  const session = await world.open();
  await session.prompt("look at it");
  const request = brand<"RequestId">("side");
  const summary: readonly EntryBody[] = [
    { type: "limit-learned", model: testModel.model, inputTokensMax: limitTokens, from: "another session" },
    { type: "summary-asked", request, as: "ride", scope: { kind: "all" }, why: "", text: "?" },
    {
      type: "summary-ended",
      request,
      outcome: "accepted",
      detail: "",
      text: "SEALED",
      usage: null,
      retryAfterMs: null,
      ...more,
    },
  ];
  await world.fx.append(session.state().seq, summary);
  const again = await world.open(await world.takeOver());
  expect(again.state().summary.made).not.toBeNull();
  expect(await again.resume()).toMatchObject({ reason: "done" });
  return await world.entries();
}

test.each([
  ["of the model's", {}],
  ["of the provider's", { native }],
] as const)("a summary %s that nothing went for is not said to be in the prompt", async (_whose, more) => {
  const cut = await resumed("word ".repeat(40_000), 24_000, more);
  const [break_] = entriesOf(cut, "epoch-opened").filter(({ reason }) => reason === "compacted");
  expect(break_).toMatchObject({ detail: expect.stringMatching(/^results cut.*summary that was made is not used/) });
  expect(break_?.summary).toBeUndefined();

  const refusedOnce = await resumed("word", 24_000, more);
  expect(entriesOf(refusedOnce, "compaction-refused")).toMatchObject([
    { detail: expect.stringContaining("the summary that was made is not used") },
  ]);
});
