import fc from "fast-check";
import { expect, test } from "vitest";
import { usualReductions } from "../../src/agent/reductions.ts";
import type { Session } from "../../src/agent/session.ts";
import { choiceOf, faulty, models, of, service, strayed, timed } from "../support/summing-service.ts";

const others = [...models, ["chat", "sim-chat"], ["gemini", "gemini-4-argon"]] as const;

/** What a user does, one thing after another. */
const deed = fc.oneof(
  { arbitrary: fc.constant({ type: "prompt" as const }), weight: 4 },
  { arbitrary: fc.constantFrom({ type: "compact" as const }, { type: "undo" as const }), weight: 3 },
  { arbitrary: fc.record({ type: fc.constant("model" as const), at: fc.nat(others.length - 1) }), weight: 1 },
  {
    arbitrary: fc.record({
      type: fc.constant("part" as const),
      kind: fc.constantFrom("from" as const, "upto" as const),
      at: fc.nat(40),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ type: "restart" as const }), weight: 1 },
);

test("whatever the user does around summaries by the provider: no request is refused, no turn is lost, the log tells each again", async () => {
  const session = fc.record({
    start: fc.constantFrom(...models),
    usual: fc.boolean(),
    deeds: fc.array(deed, { minLength: 8, maxLength: 14 }),
  });
  await fc.assert(
    fc.asyncProperty(session, async ({ start: [wire, model], usual, deeds }) => {
      const less = usual ? {} : ({ clearing: "off", collapsing: "off" } as const);
      const reductions = { ...usualReductions, ...less, summaries: "provider" } as const;
      const { world, requests } = await service(wire, model, { reductions, windowTokens: 30_000 });
      let open: Session = await world.open();
      for (const [at, one] of deeds.entries()) {
        const doing = open;
        if (one.type === "prompt")
          expect(await timed(doing.prompt(`task ${at}`), world.clock)).toMatchObject({ reason: "done" });
        else if (one.type === "compact") await timed(doing.compact(), world.clock);
        else if (one.type === "undo") await doing.undo();
        else if (one.type === "model") await doing.chooseModel(choiceOf(...(others[one.at] ?? [wire, model])));
        else if (one.type === "restart") open = await world.open(await world.takeOver());
        else {
          const { live } = doing.state();
          const piece = live[one.at % Math.max(1, live.length)]?.id ?? "none";
          await timed(doing.compact({ scope: { kind: one.kind, piece } }), world.clock);
        }
      }
      expect(faulty(requests())).toEqual([]);
      expect(requests().flatMap(({ dropped }) => dropped)).toEqual([]);
      // A shortened copy is made from what stood there then, and is not told again.
      const short = new Set(of(await world.entries(), "summary-asked").map(({ as, request }) => `${as} ${request}`));
      expect((await strayed(world)).filter((request) => !short.has(`short ${request}`))).toEqual([]);
    }),
    { numRuns: 8 },
  );
}, 120_000);
