import { expect, test } from "vitest";
import type { Model } from "../../src/ports/model.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { testWorld } from "../support/world.ts";

/** Refuses what is larger than its window, counted at four characters to a token. */
function strictModel(windowTokens: number, answers: readonly string[]) {
  const bodies: string[] = [];
  const refused: string[] = [];
  const model: Model = {
    async *stream(request, signal) {
      const promptTokens = Math.ceil(request.body.length / 4);
      if (promptTokens > windowTokens) {
        refused.push(request.body);
        const message = `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`;
        yield {
          type: "http-error",
          status: 400,
          headers: {},
          body: { error: { type: "invalid_request_error", message } },
        };
        return;
      }
      bodies.push(request.body);
      const text = answers[bodies.length - 1] ?? "done";
      yield* scriptedModel([{ text, promptTokens }]).stream(request, signal);
    },
  };
  return { model, bodies, refused };
}

test("C-005 · an answer larger than the window is folded before the next message: the session goes on", async () => {
  const { model, bodies, refused } = strictModel(20_000, ["word ".repeat(100_000)]);
  const world = await testWorld({ model, windowTokens: 20_000 });
  const session = await world.open();
  expect(await session.prompt("write a very long text")).toMatchObject({ reason: "done" });
  expect(await session.prompt("and now a short one")).toMatchObject({ reason: "done", text: "done" });
  expect(await (await world.open()).prompt("still there?")).toMatchObject({ reason: "done" });
  // The answer's size is reported wrongly here, so that it shows with the first refusal only.
  expect(refused.length).toBeLessThanOrEqual(1);
  expect(bodies.at(-1)).toContain("still there?");
});
