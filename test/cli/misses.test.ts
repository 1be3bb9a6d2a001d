import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileStore } from "../../src/adapters/store-file.ts";
import { afterBreak } from "../../src/ledger/lane.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { attempt, laneAfter, mark, received, segs, settle } from "../ledger/build.ts";
import { meteredLane } from "../support/metered-lane.ts";
import { fakeTool } from "../support/world.ts";

const anthropic: ModelChoice = {
  wire: "anthropic",
  model: "claude-sonnet-4-6",
  effort: null,
  thinking: "off",
  outputTokensMax: 4_000,
};
const chat: ModelChoice = { ...anthropic, wire: "chat", model: "gpt-5.5" };
const responses: ModelChoice = { ...anthropic, wire: "responses", model: "gpt-6.2-sol" };
/** `effort`: what a new effort costs; from 6 on OpenAI, and Anthropic, take it where it stands. */
const choices = [
  { wire: "anthropic", choice: anthropic, other: "claude-opus-4-8", livesMs: 300_000, effort: "none" },
  { wire: "chat", choice: chat, other: "gpt-5.4", livesMs: 1_800_000, effort: "break:effort-changed" },
  { wire: "responses", choice: responses, other: "gpt-6.1-sol", livesMs: 1_800_000, effort: "none" },
  {
    wire: "responses before 5.6",
    choice: { ...responses, model: "gpt-5.5" },
    other: "gpt-5.4",
    livesMs: 1_800_000,
    effort: "break:effort-changed",
  },
] as const;

/** Long enough that the first request is worth caching on every model. */
const long = (text: string) => `${text} ${"word ".repeat(1_500)}`;
const texts = (count: number): readonly BrainReply[] =>
  Array.from({ length: count }, (_, at) => ({ text: `answer ${at}` }));
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const look = (output: string) => fakeTool("look", true, async () => output);
const calls = (count: number) => Array.from({ length: count }, () => ({ tool: "look", input: {} }));
/** Gives one pixel. */
const picture: Tool = {
  ...look(""),
  parse: () => ({
    type: "ok",
    call: {
      access: { type: "none" },
      title: "look",
      run: async () => ({
        ending: "done",
        output: "an image",
        exitCode: null,
        files: [],
        images: [{ mediaType: "image/png", data: pixel }],
        form: "whole",
      }),
    },
  }),
};
const day = (text: string) => [
  { key: "date", text },
  { key: "working directory", text: "/w/app" },
];

describe.each(choices)(
  "every miss has the cause that was recorded ($wire)",
  ({ choice, other, livesMs, effort, wire }) => {
    test("cold-start: the first request; those that only grow miss nothing", async () => {
      const lane = await meteredLane({ choice, replies: [{ calls: calls(2) }, ...texts(2)], tools: [look("x")] });
      await lane.session.prompt(long("one"));
      await lane.session.prompt("two");
      expect(await lane.causes()).toEqual(["cold-start", "none", "none"]);
    });

    test("expired: the pause was longer than the cache lives; one that is shorter costs nothing", async () => {
      const lane = await meteredLane({ choice, replies: texts(3) });
      await lane.session.prompt(long("one"));
      await lane.world.clock.advance(livesMs / 4);
      await lane.session.prompt("soon");
      await lane.world.clock.advance(livesMs + 1_000);
      await lane.session.prompt("late");
      expect(await lane.causes()).toEqual(["cold-start", "none", "expired"]);
    });

    test("model-changed and key-changed: another model, and another effort where it cannot be said at the tail, are declared breaks", async () => {
      const lane = await meteredLane({ choice, replies: texts(4) });
      await lane.session.prompt(long("one"));
      await lane.session.chooseModel({ ...choice, model: other });
      await lane.session.prompt("two");
      await lane.session.prompt("three");
      await lane.session.chooseModel({ ...choice, model: other, effort: "low" });
      await lane.session.prompt("four");
      const causes = await lane.causes();
      expect(causes).toEqual(["cold-start", "break:model-changed", "none", effort]);
    });

    test("system-changed: sections rebuilt behind the boundary", async () => {
      const lane = await meteredLane({ choice, replies: texts(3), assembly: "boundary" });
      await lane.session.prompt(long("one"));
      await lane.session.prompt("same day");
      lane.world.observed = day("2026-11-30");
      await lane.session.prompt("next day");
      expect(await lane.causes()).toEqual(["cold-start", "none", "break:sections-changed"]);
    });

    test("tools-changed: other tools are adopted at the next break, and only there", async () => {
      const lane = await meteredLane({ choice, replies: texts(4), tools: [look("x")], assembly: "boundary" });
      await lane.session.prompt(long("one"));
      Object.assign(lane.world.config, { tools: [look("x"), fakeTool("more", true, async () => "y")] });
      await lane.session.prompt("no break yet");
      lane.world.observed = day("2026-11-30");
      await lane.session.prompt("next day");
      expect(await lane.causes()).toEqual(["cold-start", "none", "break:sections-changed"]);
      expect(lane.simulation.requests().map(({ missCause }) => missCause)).toEqual([
        "cold-start",
        null,
        "tools-changed",
      ]);
    });

    test("messages-changed: finished work was folded", async () => {
      const replies = [...Array.from({ length: 8 }, () => ({ calls: calls(1) })), ...texts(2)];
      let looks = 0;
      const lines = (from: number) => Array.from({ length: 200 }, (_, at) => `line ${from + 7 * at} of some output`);
      const tools = [fakeTool("look", true, async () => lines(looks++ * 2_000).join("\n"), "whole")];
      const lane = await meteredLane({ choice, replies, tools, windowTokens: 20_000 });
      await lane.session.prompt(long("work"));
      await lane.session.prompt("and on");
      const causes = await lane.causes();
      expect(causes).toContain("break:compacted");
      expect(new Set(causes)).toEqual(new Set(["cold-start", "none", "break:compacted"]));
      expect(lane.simulation.requests().map(({ missCause }) => missCause)).toContain("messages-changed");
    });

    test("below-minimum: prompts shorter than what this model caches", async () => {
      const lane = await meteredLane({ choice, replies: texts(3) });
      for (const text of ["one", "two", "three"]) await lane.session.prompt(text);
      expect(await lane.causes()).toEqual(["cold-start", "below-minimum", "below-minimum"]);
    });

    test("a failed attempt and a resumed process change no cause", async () => {
      const lane = await meteredLane({ choice, replies: texts(3) });
      await lane.session.prompt(long("one"));
      lane.simulation.addFaults([{ kind: "rate-limit", skip: 0, times: 1, wire: null, value: 0, message: null }]);
      await lane.session.prompt("two");
      await lane.reopen();
      await lane.session.prompt("three");
      expect(await lane.causes(), wire).toEqual(["cold-start", "none", "none"]);
    });
  },
);

describe("causes of one wire", () => {
  test("look-back: more than 20 blocks since the last marker; with our own markers the same step misses nothing", async () => {
    const replies = [{ calls: calls(25) }, ...texts(2)];
    const play = async (tailOnly: boolean) => {
      const lane = await meteredLane({ choice: anthropic, replies, tools: [look("x")] });
      const codec = codecFor("anthropic");
      const tail: typeof codec.placeMarks = (segments) => [{ segment: segments.length - 1, ttl: "5m" }];
      if (tailOnly) Object.assign(lane.world.config, { codecFor: () => ({ ...codec, placeMarks: tail }) });
      await lane.session.prompt(long("wide"));
      return await lane.causes();
    };
    expect(await play(true)).toEqual(["cold-start", "look-back"]);
    expect(await play(false)).toEqual(["cold-start", "none"]);
  });

  test("key-changed without a break: the first image makes this service read the messages anew", async () => {
    const replies = [{ text: "a" }, { calls: calls(1) }, ...texts(3)];
    const lane = await meteredLane({ choice: anthropic, replies, tools: [picture] });
    for (const text of [long("one"), "show it", "two"]) await lane.session.prompt(text);
    expect(await lane.causes()).toEqual(["cold-start", "none", "key-changed", "none"]);
    const onChat = await meteredLane({ choice: chat, replies, tools: [picture] });
    for (const text of [long("one"), "show it", "two"]) await onChat.session.prompt(text);
    expect(await onChat.causes()).toEqual(["cold-start", "none", "none", "none"]);
  });

  test("break:renderer-changed: a provider that refuses our reasoning makes us leave it out", async () => {
    const choice: ModelChoice = { ...anthropic, model: "claude-sonnet-5-5", thinking: "adaptive" };
    const replies = [{ reasoning: "let me think ".repeat(50), text: "one", calls: calls(1) }, ...texts(3)];
    const lane = await meteredLane({ choice, replies, tools: [look("x")] });
    await lane.session.prompt(long("one"));
    const message = "Invalid `signature` in `thinking` block: it is bound to a different prefix";
    lane.simulation.addFaults([{ kind: "bad-request", skip: 0, times: 1, wire: null, value: null, message }]);
    await lane.session.prompt("two");
    expect(await lane.causes()).toEqual(["cold-start", "none", "break:renderer-changed"]);
    const bodies = lane.simulation.requests().map(({ body }) => body);
    expect(bodies.map((body) => body.includes('"type":"thinking"'))).toEqual([false, true, true, false]);
  });

  test.each(choices)("break:history-damaged: a line of the log was lost ($wire)", async ({ choice }) => {
    const root = mkdtempSync(join(tmpdir(), "varve-misses-"));
    try {
      const stores = fileStore({ root, clock: manualClock() });
      const lane = await meteredLane({ choice, replies: texts(4), stores });
      await lane.session.prompt(long("one"));
      await lane.session.prompt("the message that is lost");
      await lane.session.prompt(long("three"));
      const log = await lane.world.takeOver().then(() => logFileIn(root));
      const lines = readFileSync(log, "utf8").split("\n");
      const lost = lines.findIndex((line) => line.includes("the message that is lost"));
      writeFileSync(log, lines.map((line, at) => (at === lost ? "\0".repeat(40) : line)).join("\n"));
      await lane.reopen();
      await lane.session.prompt("four");
      expect((await lane.causes()).at(-1)).toBe("break:history-damaged");
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe("breaks that nothing in this version makes yet, forced on the ledger alone", () => {
  test.each(["cleared", "collapsed", "undone", "window-slid", "client-changed"] as const)("break:%s", (reason) => {
    const memo = afterBreak(laneAfter("t1 s1 u1 a1 r1 a2 r2"), reason);
    const sent = attempt(segs("t1 s1 u1 r9"), { at: 10_000, marks: [mark(3)] });
    const { row } = settle(memo, sent, received({ cacheWrite5m: 4_000 }));
    expect(row.miss).toMatchObject({ cause: `break:${reason}`, mechanism: "messages-changed", tokens: 7_000 });
  });
});

function logFileIn(root: string): string {
  const found = readdirSync(root, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("main.jsonl"));
  if (found === undefined) throw new Error("the store has no log");
  return join(root, found);
}
