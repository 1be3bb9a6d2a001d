import { describe, expect, test } from "vitest";
import { scopeOf } from "../../src/cli/compact-scope.ts";
import { viewOnly } from "../../src/cli/compact-view.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { createSession } from "../../src/session/create-session.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, stream, testModel, testWorld } from "../support/world.ts";

/** Four looks to a message, then an answer. */
function worker(): Model {
  let steps = 0;
  return {
    async *stream(request, signal): AsyncIterable<WireEvent> {
      steps += 1;
      const calls = [{ id: `c${steps}`, tool: "look", input: { path: `src/f${steps}.ts` } }];
      const reply = steps % 5 === 0 ? { text: "done" } : { text: `step ${steps}`, calls };
      const promptTokens = Math.ceil(request.body.length / 4);
      yield* scriptedModel([{ ...reply, promptTokens }]).stream(request, signal);
    },
  };
}

async function worked(summaries: "model" | "off" = "model") {
  const tools = [fakeTool("look", true, async () => "word ".repeat(1_200), "whole")];
  const reductions = { clearing: "off", collapsing: "off", summaries } as const;
  const world = await testWorld({ model: worker(), tools, reductions, windowTokens: 100_000 });
  const session = await world.open();
  await session.prompt("look at four files");
  await session.prompt("and at four more");
  const seqs = async (type: string) => (await world.entries()).filter((one) => one.type === type).map(({ seq }) => seq);
  const entries = () => world.stores.log.read(stream, null);
  const scope = (kind: "from" | "upto", entry = -1) => scopeOf({ kind, entry }, session.state(), entries);
  return { world, session, seqs, scope };
}

const asItIs = {
  model: testModel,
  endpoints: {},
  cwd: import.meta.dirname,
  userFolder: null,
  listed: null,
  window: { windowTokens: 100_000 },
  reductions: { summaries: "off" },
  open: { type: "resume", session: "20261129-100000-test0001" },
} as const;

describe("a part by the number of an entry", () => {
  test("begins with the entry's first piece and ends with its last one", async () => {
    const { session, seqs, scope } = await worked();
    const answers = await seqs("response-received");
    const results = await seqs("tool-returned");
    expect(await scope("from", answers[1])).toEqual({ kind: "from", piece: `${answers[1]}.0` });
    expect(await scope("upto", answers[1])).toEqual({ kind: "upto", piece: `${answers[1]}.1` });
    const upto = await session.previewCompaction(await scope("upto", results[1]));
    expect(upto?.goes).toMatchObject({ messages: 1, calls: 2, results: 2 });
    const from = await session.previewCompaction(await scope("from", answers[3]));
    expect(from?.goes).toMatchObject({ messages: 0, calls: 5, results: 5 });
    expect(from?.stays).toMatchObject({ messages: 2, calls: 3, results: 3 });
  });

  test("is refused where the entry says nothing in the prompt, with what it is and its neighbours", async () => {
    const { session, seqs, scope } = await worked();
    const [, request = 0] = await seqs("request-sent");
    await expect(scope("from", request)).rejects.toThrow(
      new RegExp(
        `^entry ${request} \\(request-sent\\) is no part of the prompt; the nearest are \\d+ \\(tool-returned\\) and \\d+ \\(response-received\\)$`,
      ),
    );
    await expect(scope("upto", 9_999)).rejects.toThrow(
      /^there is no entry 9999, the newest is \d+; the nearest is \d+ \([a-z-]+\)$/,
    );
    const [start = 0] = await seqs("epoch-opened");
    await expect(scope("upto", start)).rejects.toThrow(/is no part of the prompt/);
    const [result = 0] = await seqs("tool-returned");
    await session.compact({ scope: await scope("upto", result) });
    await expect(scope("from", result)).rejects.toThrow(
      `entry ${result} (tool-returned) is not in the prompt any more; `,
    );
    // The block that stands for it is the break's own.
    const [, broke = 0] = await seqs("epoch-opened");
    expect(await scope("from", broke)).toMatchObject({ kind: "from" });
  });
});

describe("a preview", () => {
  test("adds up, before and after; the price is that of the longest answer", async () => {
    const { session } = await worked();
    const preview = (await session.previewCompaction()) ?? expect.fail("nothing to compact");
    const { goes, stays, headTokens, blockTokens, tokensBefore, tokensAfter, summary } = preview;
    expect(goes.tokens + stays.tokens + headTokens).toBe(tokensBefore);
    expect(Math.abs(headTokens + stays.tokens + blockTokens - tokensAfter)).toBeLessThanOrEqual(2);
    expect(summary).toMatchObject({ model: testModel.model, outputTokensMax: 3_000, cost: { type: "unknown" } });
    expect(summary?.cacheReadTokens).toBeGreaterThan(tokensBefore / 2);
    expect(summary?.promptTokens).toBeGreaterThan(tokensBefore);
  });

  test("asks no model where summaries are off, and reads nothing from a cache whose life is over", async () => {
    expect((await (await worked("off")).session.previewCompaction())?.summary).toBeNull();
    const { session, world } = await worked();
    await world.clock.advance(3_600_000);
    expect((await session.previewCompaction())?.summary?.cacheReadTokens).toBe(0);
  });

  test("of a session that another process has open, or that died, writes nothing", async () => {
    const { world } = await worked();
    const state = (await world.entries()).length;
    const task = { type: "background-started", task: "b1", callId: brand<"CallId">("c1"), command: "sleep 9" } as const;
    await world.fx.append(state, [task]);
    const before = await world.entries();
    const stores = viewOnly(world.stores);
    const viewed = await createSession({ ...asItIs, world: { stores } });
    expect(await viewed.previewCompaction()).not.toBeNull();
    await viewed.close();
    expect(await world.entries()).toEqual(before);
    expect(await stores.checkpoints.load(stream)).toBeNull();
  });
});

test("a secret of the environment in the focus is masked before it is kept", async () => {
  const { world } = await worked();
  const stores = viewOnly(world.stores);
  let told = 0;
  const onMasked = () => {
    told += 1;
  };
  const env = { MY_API_KEY: "s3cr3t-value-of-mine" };
  const session = await createSession({ ...asItIs, onMasked, world: { stores, env } });
  const kept: string[] = [];
  session.listen((event) => kept.push(JSON.stringify(event)));
  await session.compact({ focus: "whatever s3cr3t-value-of-mine opens" });
  await session.close();
  expect(kept.join("\n")).toMatch(/"compaction-asked".*whatever .* opens/);
  expect(kept.join("\n")).not.toContain("s3cr3t-value-of-mine");
  expect(told).toBe(1);
});
