import { describe, expect, test } from "vitest";
import { promptTokensOf, wires } from "../../src/kernel/usage.ts";
import { headTokensOf } from "../../src/log/state.ts";
import { entriesOf, summingProvider, summingWorld, timed } from "../support/summing.ts";
import { fakeTool } from "../support/world.ts";

/** Text of which every tokenizer makes far more than of prose of that length: what it weighs must not be taken off the head. */
const numbers = fakeTool(
  "look",
  true,
  async ({ path }) =>
    Array.from({ length: 150 }, (_, at) => `${(at * 7919) % 99_991} ${String(path)} ${at}`).join("\n"),
  "whole",
);

/** A head of some size, as every agent has one. */
const idle = Array.from({ length: 12 }, (_, at) => {
  const tool = fakeTool(`idle${at}`, true, async () => "");
  const description = `${"It is never called, and only described at length. ".repeat(20)}${at}`;
  return { ...tool, declaration: { ...tool.declaration, description } };
});

for (const wire of wires)
  describe(`on ${wire}, a process that goes on with a session`, () => {
    test("knows what the head weighs, and so the size of what comes behind a break", async () => {
      const provider = summingProvider();
      const world = await summingWorld({ wire, provider, windowTokens: 100_000, tools: [numbers, ...idle] });
      await timed((await world.open()).prompt("Look at each, up to file 1"), world.clock);
      const later = await world.open(await world.takeOver());
      expect(headTokensOf(later.state())).not.toBeNull();
      await timed(later.prompt("Look at each, up to file 8"), world.clock);
      const third = await world.open(await world.takeOver());
      await timed(third.prompt("Look at each, up to file 8"), world.clock);
      expect(await timed(third.compact(), world.clock)).toMatchObject({ type: "compacted" });
      await timed(third.prompt("Look at each, up to file 8"), world.clock);
      const entries = await world.entries();
      const broken = entriesOf(entries, "epoch-opened").at(-1) ?? expect.fail("nothing was compacted");
      const sent = entriesOf(entries, "request-sent").find(({ seq }) => seq > broken.seq);
      const came = entriesOf(entries, "response-received").find(({ request }) => request === sent?.request);
      if (sent === undefined || came?.usage == null) expect.fail("nothing was sent after it");
      const actual = promptTokensOf(came.usage);
      expect(Math.abs(sent.predicted.promptTokens - actual) / actual).toBeLessThan(0.05);
    });
  });
