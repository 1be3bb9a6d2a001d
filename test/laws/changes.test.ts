import { describe, expect, test } from "vitest";
import type { Session } from "../../src/agent/session.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { wireSession, wiresOfToday } from "../support/wire-session.ts";
import type { TestWorld } from "../support/world.ts";

type Change = {
  readonly name: string;
  readonly make: (session: Session, world: TestWorld) => unknown;
  /** What the newest request says of it, and no request before. */
  readonly says: RegExp;
};

const observed = (world: TestWorld, key: string, text: string) => {
  world.observed = [...world.observed.filter((one) => one.key !== key), { key, text }];
};

const changes: readonly Change[] = [
  { name: "verbosity", make: (session) => session.chooseVerbosity("low"), says: /Verbosity: low/ },
  { name: "the date", make: (_, world) => observed(world, "date", "2026-11-30"), says: /date is now: 2026-11-30/ },
  {
    name: "the working directory",
    make: (_, world) => observed(world, "working directory", "/w/app/sub"),
    says: /working directory is now: \/w\/app\/sub/,
  },
  {
    name: "the git branch",
    make: (_, world) => observed(world, "git", "branch next"),
    says: /git is now: branch next/,
  },
];

describe.each(Object.entries(wiresOfToday))("%s: things change in mid-session", (name, { effort }) => {
  // The proof: the record is keyed by wire.
  const wire = name as Wire;

  test.each(changes)("$name: nothing that was sent moves, the tail says it, nothing is missed", async (change) => {
    const game = await wireSession(wire);
    await change.make(game.session, game.world);
    const now = await game.say("and now?");
    expect(now.news(change.says)).toBe(1);
    expect(now).toMatchObject({ keptAll: true, cause: null, breaks: [] });
    expect(await game.say("and then?")).toMatchObject({ keptAll: true, cause: null, breaks: [] });
  });

  test("plan mode on and off ten times: each is said once, the head never moves, nothing is missed", async () => {
    const game = await wireSession(wire);
    for (let round = 0; round < 10; round++) {
      await game.session.chooseMode("plan");
      const on = await game.say("plan it");
      expect(on.news(/Permission mode: plan/)).toBe(1);
      await game.session.chooseMode("default");
      const off = await game.say("do it");
      expect(off.news(/Permission mode: default/)).toBe(1);
      expect([on, off]).toMatchObject([
        { keptAll: true, cause: null, breaks: [] },
        { keptAll: true, cause: null, breaks: [] },
      ]);
    }
  });

  test("effort: said in the conversation where the wire can, else one break that names it; the text never moves", async () => {
    const game = await wireSession(wire);
    const { choice } = game;
    await game.session.chooseModel({ ...choice, effort: "low" });
    const low = await game.say("quickly");
    await game.session.chooseModel({ ...choice, effort: "high" });
    const high = await game.say("now with care");
    expect([low.keptAll, high.keptAll]).toEqual([true, true]);
    if (effort === "said") {
      expect([low, high]).toMatchObject([
        { cause: null, breaks: [] },
        { cause: null, breaks: [] },
      ]);
      expect([low.news(/"effort":"low"/), high.news(/"effort":"high"/)]).toEqual([1, 1]);
    } else expect([low.breaks, high.breaks]).toEqual([["effort-changed"], ["effort-changed"]]);
    expect(await game.say("on")).toMatchObject({ keptAll: true, breaks: [] });
  });
});
