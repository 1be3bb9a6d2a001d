import { describe, expect, test } from "vitest";
import { foldOnly, usualReductions } from "../../src/agent/reductions.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Entry } from "../../src/log/entry.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, testModel, testWorld } from "../support/world.ts";

const refused: ScriptedReply = {
  fail: { type: "http-error", status: 413, headers: {}, body: "<html><h1>413 Request Entity Too Large</h1></html>" },
};

const refusedWith = (message: string): ScriptedReply => ({
  fail: {
    type: "http-error",
    status: 400,
    headers: {},
    body: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
  },
});

type Given = Partial<Parameters<typeof testWorld>[0]>;

/** Looks for ever; what `isRefused` says is refused without a number. */
function worker(isRefused: (tokens: number, n: number) => boolean, tool = "look", said: string | null = null) {
  const accepted: number[] = [];
  const refusals: number[] = [];
  let n = 0;
  const model: Model = {
    async *stream(request, signal): AsyncIterable<WireEvent> {
      const promptTokens = Math.ceil(request.body.length / 4);
      n += 1;
      if (isRefused(promptTokens, n)) {
        refusals.push(promptTokens);
        yield* scriptedModel([said === null ? refused : refusedWith(said)]).stream(request, signal);
        return;
      }
      accepted.push(promptTokens);
      const calls = [{ id: `c${n}`, tool, input: { path: `src/f${n}.ts` } }];
      yield* scriptedModel([{ text: `step ${n}`, calls, promptTokens }]).stream(request, signal);
    },
  };
  return { ...model, accepted, refusals };
}

async function run(model: ReturnType<typeof worker>, stepsMax: number, given: Given = {}) {
  const look = fakeTool("look", true, async () => "word ".repeat(1_600), "whole");
  const world = await testWorld({
    model,
    tools: [look],
    windowTokens: 60_000,
    reductions: foldOnly,
    stepsMax,
    ...given,
  });
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

/** Rows of their own, so that no result is a pointer to another. */
const rows = fakeTool(
  "Bash",
  true,
  async ({ path }) =>
    Array.from({ length: 160 }, (_, at) => `${String(path)} ${at} word ${at * 7_919} some text`).join("\n"),
  "whole",
);

test("where clearing puts compactions off, a guess ends all the same: after bounds.guessAnswersMax answers", async () => {
  const model = worker((_tokens, n) => n === 14, "Bash");
  const reductions = { ...usualReductions, summaries: "off" } as const;
  const { reason, session, entries } = await run(model, 120, { tools: [rows], windowTokens: 200_000, reductions });
  expect(reason).toBe("step-limit");
  const [refusal = 0] = model.refusals;
  expect(Math.max(...model.accepted.slice(13, 13 + bounds.guessAnswersMax))).toBeLessThan(refusal);
  // As long as clearing lets it get.
  expect(Math.max(...model.accepted)).toBeGreaterThan(1.2 * refusal);
  expect(folds(entries)).toBe(0);
  expect(Object.values(session.state().limits)).toEqual([{ named: null, guess: null }]);
});

describe("the longest answer that is asked for", () => {
  const answers = async (limit: "named" | "unnamed") => {
    const said = limit === "named" ? "prompt is too long: 25000 tokens > 20000 maximum" : null;
    const model = worker((_tokens, n) => n === 10, "look", said);
    const choice = { ...testModel, outputTokensMax: 32_000 };
    const { reason, session, entries } = await run(model, 40, { windowTokens: 200_000, choice });
    expect(reason).toBe("step-limit");
    const chosen = entries.flatMap((entry) => (entry.type === "model-chosen" ? [entry.model.outputTokensMax] : []));
    return { chosen, now: session.state().epoch?.model.outputTokensMax };
  };

  test("is shortened for good where a refusal named the limit", async () => {
    const { chosen, now = 0 } = await answers("named");
    expect(chosen.length).toBe(2);
    expect(now).toBe(chosen.at(-1));
    expect(now).toBeLessThanOrEqual(20_000 / 5);
  });

  test("stays where the limit is guessed: a guess passes, a choice does not", async () => {
    expect(await answers("unnamed")).toEqual({ chosen: [32_000], now: 32_000 });
  });
});
