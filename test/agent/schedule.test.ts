import fc from "fast-check";
import { expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Piece } from "../../src/log/block.ts";
import type { Entry } from "../../src/log/entry.ts";
import { reduce, reduceAll } from "../../src/log/reduce.ts";
import { emptyState } from "../../src/log/state.ts";
import type { Model } from "../../src/ports/model.ts";
import { wellformed } from "../../src/prompt/wellformed.ts";
import { manualDrive } from "../../src/testing/manual-drive.ts";
import { type ScriptedReply, scriptedModel } from "../../src/testing/scripted-model.ts";
import { decodedBody, segmentsOf } from "../support/bodies.ts";
import { settled } from "../support/gated.ts";
import { fakeTool, testModel, testWorld } from "../support/world.ts";

/** What a test does next: let the n-th parked effect happen, move the clock, or something from outside. */
const move = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant("release" as const), nth: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("prompt" as const, "interrupt" as const, "clock" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("mode" as const, "model" as const, "crash" as const) }) },
);
type Move = {
  readonly do: "release" | "prompt" | "interrupt" | "clock" | "mode" | "model" | "crash";
  readonly nth?: number;
};

const reply = fc.oneof(
  fc.constant<ScriptedReply>({ text: "an answer" }),
  fc.constantFrom("look", "change", "nope").map((tool): ScriptedReply => ({ calls: [{ id: "x", tool, input: {} }] })),
  fc.constant<ScriptedReply>({
    text: "three",
    calls: ["look", "look", "change"].map((tool, n) => ({ id: `${n}`, tool, input: {} })),
  }),
  fc.constant<ScriptedReply>({ fail: { type: "http-error", status: 529, headers: {}, body: "busy" } }),
);

type Game = {
  readonly bodies: readonly string[];
  play(one: Move): Promise<void>;
  /** Everything that is open comes to its end. */
  finish(): Promise<readonly Entry[]>;
};

async function newGame(replies: readonly ScriptedReply[]): Promise<Game> {
  const bodies: string[] = [];
  const script = scriptedModel(replies);
  const model: Model = {
    async *stream(request, signal) {
      bodies.push(request.body);
      yield* script.stream(request, signal);
    },
  };
  const tool = (name: string, readOnly: boolean) =>
    fakeTool(name, readOnly, async (_input, signal) => (signal.aborted ? "stopped" : `${name}ed`));
  const world = await testWorld({ model, tools: [tool("look", true), tool("change", false)] });
  let drive = manualDrive(world.fx);
  let session = await world.open(drive.fx);
  let prompts = 0;

  const moves: { readonly [M in Move["do"]]: (nth: number) => unknown } = {
    release(nth) {
      const parked = drive.parked();
      return void parked[nth % Math.max(1, parked.length)]?.release();
    },
    prompt: () => void session.prompt(`message ${prompts++}`),
    interrupt: () => void session.interrupt("test"),
    clock: () => world.clock.advance(bounds.abandonMsMax + 1_000),
    mode: () => void session.chooseMode(session.state().mode === "plan" ? "default" : "plan"),
    model: () => void session.chooseModel({ ...testModel, effort: session.state().model?.effort ? null : "high" }),
    async crash() {
      drive.die();
      drive = manualDrive(await world.takeOver());
      const opening = world.open(drive.fx);
      let isOpen = false;
      void opening.finally(() => {
        isOpen = true;
      });
      while (!isOpen) {
        await settled();
        for (const parked of drive.parked()) await parked.release();
      }
      session = await opening;
      void session.resume();
    },
  };

  async function calm(): Promise<void> {
    for (let turns = 0; turns < 12; turns++) {
      await settled();
      await world.clock.advance(100_000);
    }
  }

  return {
    bodies,
    async play({ do: what, nth = 0 }) {
      await moves[what](nth);
      await settled();
    },
    async finish() {
      drive.releaseAll();
      await calm();
      const last = session.prompt("the last one");
      await calm();
      await last;
      return await world.entries();
    },
  };
}

test("in any order of events, with crashes anywhere: one result per call, legal requests, no message lost, prefixes kept", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 8 }),
      fc.array(move, { minLength: 10, maxLength: 60 }),
      async (replies, moves) => {
        const game = await newGame(replies);
        await game.play({ do: "prompt" });
        for (const one of moves) await game.play(one);
        check(await game.finish(), game);
      },
    ),
    { numRuns: 80 },
  );
});

function check(entries: readonly Entry[], { bodies }: Game): void {
  const called = entries.flatMap((one) =>
    one.type === "response-received"
      ? one.blocks.flatMap((block) => (block.type === "tool-call" ? [block.callId] : []))
      : [],
  );
  const results = entries.flatMap((one) =>
    one.type === "tool-returned" || (one.type === "outcome-unknown" && one.what === "tool") ? [one.callId] : [],
  );
  expect(results.toSorted()).toEqual(called.toSorted());
  const started = entries.flatMap((one) => (one.type === "tool-started" ? [one.callId] : []));
  expect(new Set(started).size).toBe(started.length);
  for (const body of bodies) expect(wellformed(decodedBody(body))).toBeNull();
  const said = entries.flatMap((one) => (one.type === "message-added" ? [String(one.text)] : []));
  const last = bodies.at(-1) ?? "";
  for (const text of said) expect(last).toContain(`"${text}"`);
  expect(entries.at(-1)?.type).toBe("turn-ended");
  expectAnswersInPlace(entries);
  expectWholeIntents(entries, bodies[0] ?? "");
  expectPrefixes(entries, bodies);
}

/** What was said while an answer came stands behind that answer: it was not in what is answered. */
function expectAnswersInPlace(entries: readonly Entry[]): void {
  const order = reduceAll(emptyState, entries).live.map(({ id }) => Number.parseInt(id, 10));
  let sentAt = 0;
  for (const one of entries) {
    if (one.type === "request-sent") sentAt = one.seq;
    if (one.type !== "response-received" || one.blocks.length === 0) continue;
    const meanwhile = entries.filter(({ type, seq }) => type === "message-added" && seq > sentAt && seq < one.seq);
    for (const { seq } of meanwhile) expect(order.indexOf(seq)).toBeGreaterThan(order.indexOf(one.seq));
  }
}

/** An intent says what is sent: with it exactly the blocks of its body become part of the prompt. */
function expectWholeIntents(entries: readonly Entry[], body: string): void {
  const head = segmentsOf(body).filter(({ role }) => role === "tools" || role === "system").length;
  let state = emptyState;
  for (const one of entries) {
    state = reduce(state, one);
    if (one.type === "request-sent") expect(one.segments).toBe(head + state.live.length + unanswered(state.live));
  }
}

/** A system text that got no answer before more was said has words in the answer's place (prompt/heal.ts). */
function unanswered(live: readonly Piece[]): number {
  return live.filter((piece, at) => piece.role === "user" && piece.kind !== "result" && live[at - 1]?.role === "system")
    .length;
}

/** Law 2 on what was sent: within an epoch each body begins with the blocks of the one before. */
function expectPrefixes(entries: readonly Entry[], bodies: readonly string[]): void {
  const hashes = bodies.map((body) => segmentsOf(body).map(({ hash }) => hash));
  const byStart = entries.filter(({ type }) => type === "request-sent" || type === "epoch-opened");
  let at = 0;
  let before: readonly string[] = [];
  for (const one of byStart) {
    if (one.type === "epoch-opened") before = [];
    if (one.type !== "request-sent") continue;
    // An intent whose process died before the first byte has no body.
    const next = hashes.findIndex((list, index) => index >= at && list.length === one.segments);
    if (next !== at) continue;
    expect(hashes[at]?.slice(0, before.length)).toEqual(before);
    before = hashes[at] ?? [];
    at++;
  }
}
