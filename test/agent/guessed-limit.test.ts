import { expect, test } from "vitest";
import { foldOnly } from "../../src/agent/reductions.ts";
import type { Entry } from "../../src/log/entry.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, testWorld } from "../support/world.ts";

const refused: ScriptedReply = {
  fail: { type: "http-error", status: 413, headers: {}, body: "<html><h1>413 Request Entity Too Large</h1></html>" },
};

/** Looks for ever; what `isRefused` says is refused without a number. */
function worker(isRefused: (tokens: number, n: number) => boolean) {
  const accepted: number[] = [];
  const refusals: number[] = [];
  let n = 0;
  const model: Model = {
    async *stream(request, signal): AsyncIterable<WireEvent> {
      const promptTokens = Math.ceil(request.body.length / 4);
      n += 1;
      if (isRefused(promptTokens, n)) {
        refusals.push(promptTokens);
        yield* scriptedModel([refused]).stream(request, signal);
        return;
      }
      accepted.push(promptTokens);
      const calls = [{ id: `c${n}`, tool: "look", input: { path: `src/f${n}.ts` } }];
      yield* scriptedModel([{ text: `step ${n}`, calls, promptTokens }]).stream(request, signal);
    },
  };
  return { ...model, accepted, refusals };
}

async function run(model: ReturnType<typeof worker>, stepsMax: number) {
  const look = fakeTool("look", true, async () => "word ".repeat(1_600), "whole");
  const world = await testWorld({ model, tools: [look], windowTokens: 60_000, reductions: foldOnly, stepsMax });
  const session = await world.open();
  const { reason } = await session.prompt("look at every file");
  return { reason, session, entries: await world.entries() };
}

const folds = (entries: readonly Entry[]) =>
  entries.filter((entry) => entry.type === "epoch-opened" && entry.reason === "compacted").length;

test("a refusal without a number that was an accident lowers the limit for a while only", async () => {
  const model = worker((_tokens, n) => n === 10);
  const { reason, session, entries } = await run(model, 60);
  expect(reason).toBe("step-limit");
  const [refusal = 0] = model.refusals;
  const learned = entries.filter(({ type }) => type === "limit-learned");
  expect(learned).toMatchObject([{ basis: "guess" }]);
  expect(model.refusals).toHaveLength(1);
  // As long as the window allows again.
  expect(Math.max(...model.accepted.slice(-25))).toBeGreaterThan(1.5 * refusal);
  expect(Object.values(session.state().limits)).toEqual([{ named: null, guess: null }]);
});

test("a limit that is never named costs one refusal in two compactions at most, and no request is sent twice", async () => {
  const model = worker((tokens) => tokens > 24_000);
  const { reason, entries } = await run(model, 80);
  expect(reason).toBe("step-limit");
  expect(model.refusals.length).toBeGreaterThan(1);
  expect(model.refusals.length).toBeLessThanOrEqual(Math.ceil(folds(entries) / 2) + 1);
  const failures = entries.flatMap(({ type }, at) => (type === "request-failed" ? [at] : []));
  for (const at of failures) {
    const next = entries.slice(at).find(({ type }) => type === "request-sent" || type === "epoch-opened");
    expect(next?.type).toBe("epoch-opened");
  }
});
