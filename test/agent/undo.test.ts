import { describe, expect, test } from "vitest";
import type { Reductions } from "../../src/agent/reductions.ts";
import type { Session } from "../../src/agent/session.ts";
import { brand } from "../../src/kernel/ids.ts";
import { type Wire, wires } from "../../src/kernel/usage.ts";
import type { SummaryScope } from "../../src/log/summary.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { sharedPrefix } from "../../src/testing/simulate/segment.ts";
import { entriesOf, summed, summingProvider, summingWorld, timed } from "../support/summing.ts";
import type { TestWorld } from "../support/world.ts";

/** A session in a window that nothing has to be compacted for; what it sent is compared by the provider's own segments. */
async function worked(wire: Wire, { reductions = summed, upTo = 5 }: { reductions?: Reductions; upTo?: number } = {}) {
  const provider = summingProvider();
  const world = await summingWorld({ wire, provider, windowTokens: 100_000, reductions });
  const session = await world.open();
  await look(session, world, upTo);
  const steps = () => provider.simulation.requests().filter(({ body }) => !body.includes("<summary-request"));
  const newest = () => {
    const record = steps().at(-1) ?? expect.fail("nothing was sent");
    expect(record.violation).toBeNull();
    return { body: record.body, segments: cut(wire, record.body) };
  };
  return { provider, world, session, newest };
}

const look = (session: Session, world: TestWorld, upTo: number) =>
  timed(session.prompt(`Look at each, up to file ${upTo}`), world.clock);

const compact = async (session: Session, world: TestWorld, scope: SummaryScope = { kind: "all" }) =>
  expect(await timed(session.compact({ scope }), world.clock)).toMatchObject({ type: "compacted" });

type Sent = ReturnType<Awaited<ReturnType<typeof worked>>["newest"]>;

function expectPrefix(former: Sent, next: Sent): void {
  const shared = sharedPrefix(former.segments, next.segments);
  expect(shared, `${next.segments.length} segments`).toBe(former.segments.length);
}

/** The name of what the user said in the n-th message. */
async function messagePiece(world: TestWorld, n: number): Promise<string> {
  const said = entriesOf(await world.entries(), "message-added")[n] ?? expect.fail(`there is no message ${n}`);
  return `${said.seq}.0`;
}

for (const wire of wires)
  describe(`on ${wire} undoing makes the former request a prefix of the next`, () => {
    for (const kind of ["all", "from", "upto"] as const)
      test(`of a compaction of ${kind}, also by another process`, async () => {
        for (const isReopened of [false, true]) {
          const { provider, world, session, newest } = await worked(wire, { upTo: 6 });
          await look(session, world, 12);
          const former = newest();
          const piece = await messagePiece(world, 1);
          await compact(session, world, kind === "all" ? { kind } : { kind, piece });
          expect(provider.asks()).toBe(1);
          const live = isReopened ? await world.open(await world.takeOver()) : session;
          expect(await live.undo()).toMatchObject({ type: "undone" });
          await look(live, world, 13);
          expectPrefix(former, newest());
        }
      });

    test("of the newest of two in a row, and the one before it stands", async () => {
      const { world, session, newest } = await worked(wire, { upTo: 6 });
      await compact(session, world);
      await look(session, world, 12);
      const former = newest();
      await compact(session, world);
      expect(await session.undo()).toMatchObject({ type: "undone" });
      expect(await session.undo()).toMatchObject({ type: "refused" });
      await look(session, world, 13);
      expectPrefix(former, newest());
      expect(newest().body).toContain("summary-of-earlier-work");
    });

    test("where work came after it: that stays, behind what comes back", async () => {
      const { world, session, newest } = await worked(wire, { upTo: 6 });
      const former = newest();
      await compact(session, world);
      await look(session, world, 8);
      const again = await world.open(await world.takeOver());
      expect(await again.undo()).toMatchObject({ type: "undone" });
      await look(again, world, 9);
      const next = newest();
      expectPrefix(former, next);
      for (const said of ["0 of src/f7.ts", "0 of src/f8.ts", "up to file 8"]) expect(next.body).toContain(said);
      expect(next.body).not.toContain("summary-of-earlier-work");
    });
  });

describe("results that were cleared after a compaction", () => {
  test("stay so where the compaction did not take them, and what it took comes back whole", async () => {
    const reductions: { -readonly [K in keyof Reductions]: Reductions[K] } = { ...summed, clearing: "all" };
    const { world, session, newest } = await worked("anthropic", { reductions, upTo: 8 });
    const former = newest();
    await compact(session, world);
    await look(session, world, 30);
    await world.clock.advance(20 * 60_000);
    await look(session, world, 33);
    const opened = entriesOf(await world.entries(), "epoch-opened").map(({ reason }) => reason);
    const since = opened.slice(opened.lastIndexOf("compacted") + 1);
    expect(new Set(since)).toEqual(new Set(["cleared"]));
    const again = await world.open(await world.takeOver());
    expect(await again.undo()).toMatchObject({ type: "undone" });
    // A break of its own would lie between.
    reductions.clearing = "off";
    await look(again, world, 34);
    expectPrefix(former, newest());
    expect(newest().body).toContain("Result left out");
  });
});

test("a summary that was made and not used yet goes with what is undone: it stands for another prompt", async () => {
  const { provider, world, session } = await worked("anthropic", { upTo: 6 });
  await compact(session, world);
  await look(session, world, 12);
  const { seq } = session.state();
  const request = brand<"RequestId">("r1");
  await world.fx.append(seq, [
    { type: "compaction-asked", scope: { kind: "all" }, focus: "" },
    { type: "summary-asked", request, as: "ride", scope: { kind: "all" }, why: "", text: "?" },
    {
      type: "summary-ended",
      request,
      outcome: "accepted",
      detail: "",
      text: "SEALED",
      usage: null,
      retryAfterMs: null,
    },
  ]);
  const again = await world.open(await world.takeOver());
  expect(again.state().summary.made).toBe("SEALED");
  await again.undo();
  expect(again.state().summary.made).toBeNull();
  await look(again, world, 13);
  expect(provider.simulation.requests().some(({ body }) => body.includes("SEALED"))).toBe(false);
});
