import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { brand } from "../../src/kernel/ids.ts";
import { itemsOf } from "../../src/kernel/vector.ts";
import type { Entry, EntryBody } from "../../src/log/entry.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import {
  choiceOf,
  compacted,
  faulty,
  isAsk,
  models,
  of,
  strayed,
  summaryIn,
  timed,
  tries,
  worked,
  worldOn,
} from "../support/summing-service.ts";

const oneEach = models.filter((_, at) => at % 2 === 1);

/** The log up to an entry, without what the store adds. */
const bodies = (entries: readonly Entry[]): readonly EntryBody[] => entries.map(({ seq: _, at: __, ...body }) => body);

describe.each(oneEach)("%s %s: a summary by the provider", (wire, model) => {
  test("death behind any entry of it: the session goes on, nothing is asked twice that is known, nothing is refused", async () => {
    const { world, simulation, requests } = await worked(wire, model, 3);
    const entries = await world.entries();
    const asked = entries.findIndex((entry) => entry.type === "summary-asked" && entry.as === "native");
    const opened = entries.findIndex((entry) => entry.type === "epoch-opened" && entry.reason === "compacted");
    expect(asked).toBeGreaterThan(0);
    for (let end = asked; end <= opened + 2; end++) {
      const stores = { ...memoryStore(manualClock()), blobs: world.stores.blobs };
      const again = await worldOn(simulation, choiceOf(wire, model), {}, stores);
      await again.fx.append(2, bodies(entries.slice(2, end)));
      let next = 0;
      const ids = { ...again.fx.ids, request: () => brand<never>(`again_${end}_${++next}`) };
      const session = await again.open({ ...again.fx, ids });
      const from = requests().length;
      expect(await timed(session.resume(), again.clock)).toMatchObject({ reason: "done" });
      const log = await again.entries();
      expect(faulty(requests().slice(from))).toEqual([]);
      expect(await strayed(again)).toEqual([]);
      // What came back is used, byte for byte; before that the turn may end without a summary.
      const isKnown = entries.slice(0, end).some(({ type }) => type === "summary-ended");
      if (isKnown) expect(compacted(log)[0]?.summary?.block.wire).toEqual(compacted(entries)[0]?.summary?.block.wire);
    }
  }, 60_000);

  test("a service that does not know it again gets its words instead, and the turn goes on", async () => {
    let isForgotten = false;
    const through = (base: Model): Model => ({
      async *stream(request, signal): AsyncIterable<WireEvent> {
        if (!isForgotten || !request.body.includes(`"type":"compaction"`)) return yield* base.stream(request, signal);
        const code = wire === "anthropic" ? "compaction_signature_invalid" : "invalid_encrypted_content";
        const error = { type: "invalid_request_error", message: "not ours", code, details: { error_code: code } };
        yield { type: "http-error", status: 400, headers: {}, body: { type: "error", error } };
      },
    });
    const { session, requests, world } = await worked(wire, model, 1, { through, windowTokens: 100_000 });
    await session.compact();
    isForgotten = true;
    const from = requests().length;
    expect(await session.prompt("task 1")).toMatchObject({ reason: "done" });
    expect(
      requests()
        .slice(from)
        .every((record) => summaryIn(record) < 0),
    ).toBe(true);
    expect(requests()[from]?.body).toContain("f0.ts");
    expect(of(await world.entries(), "epoch-opened").at(-1)?.reason).toBe("renderer-changed");
    expect(await strayed(world)).toEqual([]);
  });

  test("law 6, law 3: facts stand in every request behind it, and all it stands for is recalled by the handle beside it", async () => {
    const { session, requests } = await worked(wire, model, 1, { windowTokens: 100_000 });
    const fact = "never touch the lock file";
    await session.changeFacts({ type: "pin", text: fact, scope: "session" });
    await session.compact();
    const from = requests().length;
    expect(await session.prompt("task 1")).toMatchObject({ reason: "done" });
    const behind = requests().slice(from);
    expect(behind.every(({ body }) => body.includes(fact))).toBe(true);
    const handle = /recall handle=([a-z0-9]+) lists every step/.exec(behind[0]?.body ?? "")?.[1];
    const original = [...itemsOf(session.state().originals)].find((one) => one.handle === handle);
    expect(original?.tool).toBe("fold");
    expect(session.state().live.filter(({ block }) => block.type === "compaction")).toHaveLength(1);
  });

  test("a model chosen while it is on its way does not get it", async () => {
    const [other] = models.filter(([of, name]) => of === wire && name !== model);
    const { session, requests, world } = await worked(wire, model, 1, { windowTokens: 100_000 });
    const entries = await world.entries();
    await session.compact();
    const log = (await world.entries()).slice(entries.length);
    // Up to where it had been made and was not in the prompt yet.
    const made = log.findIndex(({ type }) => type === "summary-ended") + 1;
    const stores = { ...memoryStore(manualClock()), blobs: world.stores.blobs };
    const again = await worldOn((await worked(wire, model, 0)).simulation, choiceOf(wire, model), {}, stores);
    await again.fx.append(2, bodies([...entries.slice(2), ...log.slice(0, made)]));
    const next = await again.open();
    await next.chooseModel(choiceOf(wire, other?.[1] ?? model));
    expect(await timed(next.prompt("task 1"), again.clock)).toMatchObject({ reason: "done" });
    const compaction = compacted(await again.entries())[0];
    expect(compaction?.summary).toBeUndefined();
    expect(compaction?.detail).toMatch(wire === "anthropic" ? /^summed up/ : /^folded/);
    expect(tries(await again.entries())).toEqual(["native: accepted"]);
    expect(requests().some(isAsk)).toBe(true);
  });
});
