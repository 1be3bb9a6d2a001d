import { describe, expect, test } from "vitest";
import { effortNow } from "../../src/agent/effort.ts";
import type { Reductions } from "../../src/agent/reductions.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { choiceOf, faulty, of, timed, tries, worked } from "../support/summing-service.ts";

type Named = readonly [wire: Wire, model: string];

/** Both ways between models that tie reasoning to its prefix or do not, and from each wire to another. */
const switches: readonly (readonly [from: Named, to: Named])[] = [
  [
    ["anthropic", "claude-sonnet-5-5"],
    ["anthropic", "claude-opus-5"],
  ],
  [
    ["anthropic", "claude-opus-5"],
    ["anthropic", "claude-sonnet-5-5"],
  ],
  [
    ["responses", "gpt-6-sol"],
    ["responses", "gpt-6.2-sol"],
  ],
  [
    ["responses", "gpt-6.2-sol"],
    ["anthropic", "claude-sonnet-5-5"],
  ],
  [
    ["anthropic", "claude-sonnet-5-5"],
    ["gemini", "gemini-4-argon"],
  ],
  [
    ["gemini", "gemini-4-argon"],
    ["responses", "gpt-6.2-sol"],
  ],
  [
    ["chat", "sim-reasoner"],
    ["anthropic", "claude-sonnet-5-5"],
  ],
];

const chosen = ([wire, model]: Named): ModelChoice => choiceOf(wire, model);

async function atWork([wire, model]: Named, summaries: Reductions["summaries"]) {
  const made = await worked(wire, model, 2, {
    windowTokens: 100_000,
    reductions: { clearing: "off", collapsing: "off", summaries },
  });
  const { session, world, requests } = made;
  const { clock } = world;
  return {
    ...made,
    compact: () => timed(session.compact(), clock),
    say: (text: string) => timed(session.prompt(text), clock),
    opened: async () =>
      of(await world.entries(), "epoch-opened").map(({ reason, model: m }) => `${reason}: ${m.model}`),
    /** Nothing was refused, and no reasoning thrown away by the service. */
    sound() {
      expect(faulty(requests())).toEqual([]);
      expect(requests().flatMap(({ dropped }) => dropped)).toEqual([]);
    },
  };
}

for (const summaries of ["off", "model", "provider"] as const) {
  // Whoever sums up: two pairs show that it makes no difference.
  const pairs = summaries === "provider" ? switches : switches.slice(0, 2);
  describe(`a model is chosen and the work compacted by hand, summaries ${summaries}`, () => {
    test.each(pairs)(
      "from %s to %s: the other model is a break of its own, and it is the one that is asked",
      async (from, to) => {
        const { session, compact, say, opened, sound, world, requests } = await atWork(from, summaries);
        await session.chooseModel(chosen(to));
        const before = requests().length;
        expect(await compact()).toMatchObject({ type: "compacted" });
        expect((await opened()).slice(-2)).toEqual([`model-changed: ${to[1]}`, `compacted: ${to[1]}`]);
        const asked = requests().slice(before);
        expect(asked.length).toBe(tries(await world.entries()).length);
        expect(new Set(asked.map(({ model }) => model))).toEqual(new Set(asked.length === 0 ? [] : [to[1]]));
        expect(await say("task 2")).toMatchObject({ reason: "done" });
        sound();
      },
    );

    test.each(pairs)("from %s to %s: undone, nothing of the former model's reasoning is sent", async (from, to) => {
      const { session, compact, say, opened, sound } = await atWork(from, summaries);
      await session.chooseModel(chosen(to));
      await compact();
      expect(await session.undo()).toMatchObject({ type: "undone" });
      expect(await say("task 2")).toMatchObject({ reason: "done" });
      expect((await opened()).at(-1)).toBe(`undone: ${to[1]}`);
      sound();
    });

    test.each(pairs.slice(0, 2))(
      "from %s to %s behind the compaction: it is undone as it was, then the model is another",
      async (from, to) => {
        const { session, compact, say, opened, sound } = await atWork(from, summaries);
        await compact();
        await session.chooseModel(chosen(to));
        expect(await session.undo()).toMatchObject({ type: "undone" });
        expect(await say("task 2")).toMatchObject({ reason: "done" });
        expect((await opened()).slice(-2)).toEqual([`undone: ${from[1]}`, `model-changed: ${to[1]}`]);
        sound();
      },
    );
  });
}

test("the preview is of the model that was chosen, which has nothing cached", async () => {
  const { session } = await atWork(["anthropic", "claude-sonnet-5-5"], "model");
  expect((await session.previewCompaction())?.summary).toMatchObject({ model: "claude-sonnet-5-5" });
  expect((await session.previewCompaction())?.summary?.cacheReadTokens).toBeGreaterThan(0);
  await session.chooseModel(chosen(["anthropic", "claude-opus-5"]));
  expect((await session.previewCompaction())?.summary).toMatchObject({ model: "claude-opus-5", cacheReadTokens: 0 });
});

test("another longest answer is a break of its own as well, and the compaction behind it can be undone", async () => {
  const from = ["anthropic", "claude-sonnet-5-5"] as const;
  const { session, compact, say, opened, sound } = await atWork(from, "off");
  await session.chooseModel({ ...chosen(from), outputTokensMax: 3_000 });
  await compact();
  expect(await session.undo()).toMatchObject({ type: "undone" });
  expect(await say("task 2")).toMatchObject({ reason: "done" });
  expect(await opened()).toEqual(
    ["start", "effort-changed", "compacted", "undone"].map((reason) => `${reason}: ${from[1]}`),
  );
  sound();
});

test("an effort that was chosen since outlives undoing", async () => {
  const from = ["anthropic", "claude-sonnet-5-5"] as const;
  const { session, compact, say, opened, sound } = await atWork(from, "off");
  await compact();
  await session.chooseModel({ ...chosen(from), effort: "low" });
  expect(await session.undo()).toMatchObject({ type: "undone" });
  expect(session.state().model).toMatchObject({ effort: "low" });
  expect(await say("task 2")).toMatchObject({ reason: "done" });
  expect((await opened()).at(-1)).toMatch("undone");
  expect(effortNow(session.state())).toBe("low");
  sound();
});

test("a compaction of an older log that changed the model without a word cannot be undone", async () => {
  const { session, compact, world } = await atWork(["anthropic", "claude-opus-5"], "off");
  await compact();
  const made = of(await world.entries(), "epoch-opened").at(-1) ?? expect.fail("nothing was compacted");
  await session.undo();
  const { seq, at: _, ...entry } = made;
  await world.fx.append(session.state().seq, [{ ...entry, model: chosen(["anthropic", "claude-sonnet-5-5"]) }]);
  const again = await world.open(await world.takeOver());
  expect(again.state().undoable).toBeNull();
  expect(await again.undo()).toMatchObject({ type: "refused" });
});
