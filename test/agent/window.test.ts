import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import { laneReport } from "../../src/agent/context-of.ts";
import { memoryNow } from "../../src/agent/memory-now.ts";
import { estimate } from "../../src/budget/count.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Entry, ModelChoice } from "../../src/log/entry.ts";
import { reduceAll } from "../../src/log/reduce.ts";
import type { Model } from "../../src/ports/model.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { manualClock } from "../../src/testing/index.ts";
import type { Brain } from "../../src/testing/simulate/brain.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type SummaryBehaviour, withSummaries } from "../../src/testing/simulate/summaries.ts";
import { defaultCaps } from "../../src/workspace/context-budget.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, stream, type TestWorld, testModel, testWorld } from "../support/world.ts";

const rule = "Never push to main";
const filler = "the parser reads a token and hands it to the next stage of the route ".repeat(12);
const brain: Brain = () => ({ text: `Understood. ${filler}` });

type Given = Partial<Parameters<typeof testWorld>[0]> & {
  readonly brain?: Brain;
  readonly behaviours?: readonly SummaryBehaviour[];
  /** Lets a summary's answer wait. */
  readonly gate?: () => Promise<void>;
};

/** A window of six rounds that slides to three, in a large model. */
async function sliding({ brain: mind = brain, behaviours = [], gate = async () => {}, ...given }: Given = {}) {
  const simulation = createSimulation({ brain: withSummaries(mind, { behaviours }) });
  const bodies: { readonly steps: string[]; readonly summaries: string[] } = { steps: [], summaries: [] };
  const model: Model = {
    async *stream(request, signal) {
      const isSummary = request.body.includes("<summary-request");
      bodies[isSummary ? "summaries" : "steps"].push(request.body);
      if (isSummary) await gate();
      yield* simulatedModel(simulation, () => world.clock.now()).stream(request, signal);
    },
  };
  const world: TestWorld = await testWorld({
    model,
    memory: "window",
    caps: { ...defaultCaps, windowRounds: 6 },
    reductions: { clearing: "all", collapsing: "on", summaries: "model" },
    choice: { ...testModel, model: "claude-sonnet-4-6" },
    ...given,
  });
  const session = await world.open();
  const rounds = async (from: number, upto: number) => {
    for (let n = from; n <= upto; n++)
      expect(await session.prompt(`Round ${n}: ${filler}`)).toMatchObject({ reason: "done" });
  };
  return { world, session, bodies, simulation, rounds };
}

const ofType = <T extends Entry["type"]>(entries: readonly Entry[], type: T) =>
  entries.filter((entry): entry is Extract<Entry, { readonly type: T }> => entry.type === type);
const slides = (entries: readonly Entry[]) =>
  ofType(entries, "epoch-opened").filter(({ reason }) => reason === "window-slid");
const userTexts = (body: string | undefined) =>
  cut("anthropic", body ?? "").flatMap(({ role, kind, text }) =>
    role === "user" && kind === "text" ? [text ?? ""] : [],
  );
/** What runs beside a turn is at its end once nothing is open any more. */
async function settled(world: TestWorld, ends: number) {
  for (let tries = 0; tries < 200 && ofType(await world.entries(), "summary-ended").length < ends; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("M-60 to M-64 · a window that slides", () => {
  test("appends up to its rounds, then slides once to half of them: user context, facts, summary, recent rounds", async () => {
    const { world, session, bodies, rounds } = await sliding();
    await session.changeFacts({ type: "pin", text: rule, scope: "session" });
    await rounds(1, 6);
    expect(slides(await world.entries())).toEqual([]);
    await rounds(7, 7);
    await settled(world, 1);
    await rounds(8, 11);
    const entries = await world.entries();
    expect(slides(entries).map(({ detail }) => detail)).toEqual(["4 rounds left, 3 stay", "4 rounds left, 3 stay"]);
    const [context, facts, block, ...recent] = userTexts(bodies.steps.at(-1));
    expect(context).toContain("working directory");
    expect(facts).toContain(rule);
    expect(block).toMatch(/^<earlier-rounds>\n/);
    expect(block).toContain("<summary-text>");
    expect(recent.map((text) => text.slice(0, 8))).toEqual(["Round 9:", "Round 10", "Round 11"]);
    expect(session.state().rolling.made).not.toBeNull();
    expect(world.notes).toEqual([expect.stringContaining("holds 6 rounds")]);
  });

  test("without a finished summary a list stands in, and every line of it can be recalled", async () => {
    const { world, bodies, rounds } = await sliding({ gate: () => new Promise(() => {}) });
    await rounds(1, 8);
    const block = userTexts(bodies.steps.at(-1)).find((text) => text.startsWith("<earlier-rounds>")) ?? "";
    expect(block).not.toContain("<summary-text>");
    expect(block).toContain("User: Round 4:");
    const handle = /recall handle=([0-9a-f]{12})/.exec(block)?.[1];
    const edits = slides(await world.entries()).flatMap(({ edits }) => edits);
    expect(edits.flatMap((edit) => (edit.type === "inserted" ? [edit.original.handle] : []))).toContain(handle);
  });

  test("results shrink before rounds leave", async () => {
    const look: Brain = ({ messages }) =>
      messages.at(-1)?.parts.some(({ type }) => type === "result") === true
        ? { text: "Read." }
        : { calls: [{ tool: "look", input: {} }] };
    const tool = fakeTool("look", true, async () => `${Math.random()} ${"a line of output\n".repeat(400)}`);
    const { world, rounds } = await sliding({ brain: look, tools: [tool], windowTokens: 9_000 });
    await rounds(1, 6);
    const [first] = ofType(await world.entries(), "epoch-opened").filter(({ reason }) => reason !== "start");
    const left = first?.edits.filter(({ type }) => type === "replaced").length ?? 0;
    expect(left).toBeGreaterThan(0);
  });

  test("what the open turn began with stays, whatever was said in it since", async () => {
    const calls = { count: 0 };
    const busy: Brain = () =>
      calls.count++ % 12 === 11 ? { text: "Done." } : { text: filler, calls: [{ tool: "look", input: {} }] };
    const given = { session: null as null | { prompt(text: string): Promise<unknown> } };
    const tool = fakeTool("look", true, async () => {
      if (calls.count % 3 === 0) void given.session?.prompt(`Beside it, note ${calls.count}. ${filler}`);
      return filler;
    });
    const { world, session, bodies } = await sliding({
      brain: busy,
      tools: [tool],
      caps: { ...defaultCaps, windowRounds: 2 },
    });
    given.session = session;
    await session.prompt(`The task: rename every route. ${filler}`);
    expect(slides(await world.entries()).length).toBeGreaterThan(0);
    expect(bodies.steps.filter((body) => !body.includes("The task: rename every route."))).toEqual([]);
  });

  test("undo says that what left the window is recalled, not brought back", async () => {
    const { session, rounds } = await sliding();
    await rounds(1, 7);
    expect(await session.undo()).toMatchObject({ type: "refused", why: expect.stringContaining("slid the window") });
  });

  test("no result leads to lines of another: they would soon be gone", async () => {
    const text = Array.from({ length: 40 }, (_, at) => `line ${at} of a file that is read again and again`).join("\n");
    const twice: Brain = ({ served }) =>
      served % 3 === 2 ? { text: "Done." } : { calls: [{ tool: `look${served % 3}`, input: {} }] };
    const tools = ["look0", "look1"].map((name) => fakeTool(name, true, async () => text));
    const { world, rounds } = await sliding({ brain: twice, tools });
    await rounds(1, 1);
    expect(ofType(await world.entries(), "form-fixed").filter(({ pointers }) => pointers !== undefined)).toEqual([]);
  });
});

describe("M-63 · the rolling summary", () => {
  test("is made beside the turn: the turn ends without it, and it is shown from the next break on", async () => {
    const gate = Promise.withResolvers<void>();
    const { world, session, bodies, rounds } = await sliding({ gate: () => gate.promise });
    await rounds(1, 8);
    const before = await world.entries();
    expect(ofType(before, "summary-asked").map(({ as, scope }) => [as, scope.kind])).toEqual([["rolling", "upto"]]);
    expect(ofType(before, "summary-ended")).toEqual([]);
    const shownBefore = bodies.steps.at(-1);
    gate.resolve();
    await settled(world, 1);
    const made = ofType(await world.entries(), "summary-made");
    expect(made).toHaveLength(1);
    await rounds(9, 9);
    // Nothing moved in front of what was sent.
    expect(userTexts(bodies.steps.at(-1)).slice(0, userTexts(shownBefore).length)).toEqual(userTexts(shownBefore));
    await rounds(10, 11);
    expect(session.state().epoch?.reason).toBe("window-slid");
    expect(bodies.steps.at(-1)).toContain("<summary-text>");
  });

  test("is made of the summary before it and of what was said since, and never of what tools returned", async () => {
    const look: Brain = ({ messages }) =>
      messages.at(-1)?.parts.some(({ type }) => type === "result") === true
        ? { text: `I saw it. ${filler}` }
        : { calls: [{ tool: "look", input: { path: "a.ts" } }] };
    const { world, bodies, rounds } = await sliding({
      brain: look,
      tools: [fakeTool("look", true, async () => "SECRET OUTPUT")],
    });
    await rounds(1, 7);
    await settled(world, 1);
    await rounds(8, 14);
    await settled(world, 2);
    const [first, second] = bodies.summaries.map((body) => userTexts(body)[0] ?? "");
    // What left the window in the same turn is in it, too.
    expect(first).toContain("User: Round 4:");
    expect(first).toContain("User: Round 6:");
    expect(first).toContain("Assistant: I saw it.");
    expect(first).toContain("Did: look");
    expect(first).not.toContain("<former-summary>\n");
    expect(second).toContain("<former-summary>\n1. Wishes that still count");
    expect(second).not.toContain("User: Round 1:");
    expect([first, second].join()).not.toContain("SECRET OUTPUT");
  });

  test("keeps to its cap, which context-budget.md may set; what is larger is refused and asked for once more, more strictly", async () => {
    const caps = { ...defaultCaps, windowRounds: 6, summaryTokens: 300 };
    const { world, bodies, rounds } = await sliding({ caps, behaviours: ["larger", "good"] });
    await rounds(1, 7);
    await settled(world, 2);
    const entries = await world.entries();
    expect(ofType(entries, "summary-ended").map(({ outcome }) => outcome)).toEqual(["larger", "accepted"]);
    // Less is asked for, since a model counts otherwise, and still less of one that said too much.
    expect(bodies.summaries[0]).toContain("At most 255 tokens");
    expect(bodies.summaries[1]).toContain("At most 180 tokens");
    expect(bodies.summaries[1]).toContain("could not be used");
    for (const { text } of ofType(entries, "summary-made")) expect(estimate(String(text))).toBeLessThanOrEqual(300);
  });

  test.each<SummaryBehaviour>(["empty", "tool-call", "error-text", "echo", "truncated"])(
    "an answer that is none (%s) is asked for bounds.rollingTriesMax times, then waits for as many rounds again",
    async (behaviour) => {
      const { world, session, rounds } = await sliding({ behaviours: [behaviour, behaviour, "good"] });
      await rounds(1, 7);
      await settled(world, bounds.rollingTriesMax);
      await rounds(8, 12);
      expect(ofType(await world.entries(), "summary-asked")).toHaveLength(bounds.rollingTriesMax);
      expect(session.state().rolling.made).toBeNull();
      await rounds(13, 13);
      await settled(world, bounds.rollingTriesMax + 1);
      expect(session.state().rolling.made).not.toBeNull();
    },
  );

  test("a process that died over it: its outcome is unknown, and it is not asked for again at once", async () => {
    const { world, rounds } = await sliding({ gate: () => new Promise(() => {}) });
    await rounds(1, 7);
    const [asked] = ofType(await world.entries(), "summary-asked");
    const again = await world.open(await world.takeOver());
    expect(ofType(await world.entries(), "outcome-unknown")).toMatchObject([
      { what: "request", request: asked?.request },
    ]);
    expect(again.state().rolling).toMatchObject({ asked: null, made: null });
    await again.prompt(`Round 8: ${filler}`);
    expect(ofType(await world.entries(), "summary-asked")).toHaveLength(1);
  });

  test("an end that could not be stored is said, and the next one is made all the same", async () => {
    const stores = memoryStore(manualClock());
    let fails = 1;
    const log: typeof stores.log = {
      ...stores.log,
      append: async (given) => {
        if (!given.entries.some(({ type }) => type === "summary-ended") || fails-- <= 0)
          return await stores.log.append(given);
        throw new Error("no room");
      },
    };
    const { world, session, rounds } = await sliding({ stores: { ...stores, log } });
    await rounds(1, 7);
    for (let tries = 0; tries < 200 && fails > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 5));
    await rounds(8, 14);
    await settled(world, 1);
    expect(world.notes).toContainEqual(
      expect.stringContaining("rolling summary of the window could not be made: no room"),
    );
    expect(session.state().rolling).toMatchObject({ asked: null, made: {} });
  });

  test("the end of a session waits for it for bounds.rollingCloseMsMax, then stops it, and the next turn may ask again", async () => {
    const { world, session, rounds } = await sliding({ gate: () => new Promise(() => {}) });
    await rounds(1, 7);
    const closed = session.close();
    const end = { at: null as number | null };
    const from = world.clock.now();
    void closed.then(() => {
      end.at = world.clock.now();
    });
    while (end.at === null) await world.clock.advance(100);
    expect(end.at - from).toBeGreaterThanOrEqual(bounds.rollingCloseMsMax);
    expect(ofType(await world.entries(), "summary-ended")).toMatchObject([{ outcome: "interrupted" }]);
    expect(session.state().rolling).toMatchObject({ asked: null, triedAt: 0 });
  });

  test("of a long history no more than bounds.rollingAskTokensMax goes into the request, the newest of it", async () => {
    const { world, session, bodies, rounds } = await sliding({ caps: { ...defaultCaps, windowRounds: 30 } });
    await rounds(1, 9);
    await session.prompt(`Round 10: ${filler.repeat(20)}`);
    for (let n = 11; n <= 13; n++) await session.prompt(`Round ${n}: ${filler.repeat(12)}`);
    await settled(world, 1);
    const text = userTexts(bodies.summaries[0])[0] ?? "";
    expect(estimate(text)).toBeLessThan(bounds.rollingAskTokensMax + 700);
    expect(text).toContain("User: Round 10:");
  });

  test.each<readonly [Wire, string, ModelChoice["thinking"], ModelChoice["effort"]]>([
    ["anthropic", "claude-sonnet-4-6", "off", null],
    ["anthropic", "claude-opus-5-5", "adaptive", "high"],
    ["anthropic", "claude-sonnet-4-5", { budgetTokens: 2_000 }, null],
    ["chat", "sim-llama", "off", null],
    ["chat", "deepseek-v4-pro", "off", null],
    ["responses", "gpt-5.5", "off", null],
    ["responses", "gpt-6.2-sol", "off", "high"],
    ["gemini", "gemini-3.5-flash", "adaptive", "low"],
    ["gemini", "gemini-2.5-pro", { budgetTokens: 2_000 }, null],
  ])(
    "is a request that the service takes, and the ledger does not judge by the lane's: %s, %s",
    async (wire, model, thinking, effort) => {
      const choice: ModelChoice = { wire, model, effort, thinking, outputTokensMax: 4_000 };
      const { world, simulation, rounds } = await sliding({ choice });
      await rounds(1, 7);
      await settled(world, 1);
      expect(ofType(await world.entries(), "summary-ended")).toMatchObject([
        { outcome: "accepted", usage: expect.anything() },
      ]);
      expect(simulation.report()).toMatchObject({ refused: 0 });
      const tools = { codecFor, getBlob: world.fx.getBlob };
      const { rows } = await laneReport(world.stores.log.read(stream, null), tools, {
        prices: {},
        windowFor: () => null,
        now: 0,
      });
      const [own] = rows.filter(({ purpose }) => purpose === "side");
      expect(own).toMatchObject({ segments: 1, miss: "none", firstChange: null, breaks: [] });
      // Nor are steps by it.
      const causes = rows.flatMap(({ miss }) => (typeof miss === "string" ? [] : [miss.cause]));
      expect(causes.filter((cause) => /^(?:tools|system|key)-changed/.test(cause))).toEqual([]);
    },
  );
});

describe("how a lane chooses", () => {
  test.each([
    ["no cheaper read", { input: 1, read: 1 }, "window-slid"],
    ["a cheaper read", { input: 1, read: 0.1 }, null],
  ] as const)("by itself, by the model's price: %s", async (_name, { input, read }, reason) => {
    const { world, rounds } = await sliding();
    const rates = { input, read, write5m: input, write1h: input, writeOther: input, output: 4 };
    const price = {
      type: "listed",
      tiers: [{ promptTokensFrom: 0, ...rates }],
      peak: null,
      regional: null,
      batch: null,
    } as const;
    const row = { id: "claude-sonnet-4-6", from: null, until: null, price, source: "a test", read: "", note: null };
    Object.assign(world.config, { memoryFor: () => null, prices: { overrides: [row] } });
    await rounds(1, 8);
    expect(slides(await world.entries())[0]?.reason ?? null).toBe(reason);
  });

  test("by itself, where the window has no room for an epoch", async () => {
    const { world, rounds } = await sliding({ windowTokens: 12_000 });
    Object.assign(world.config, { memoryFor: () => null });
    await rounds(1, 8);
    expect(slides(await world.entries())).not.toEqual([]);
  });

  test("not by a guess at the window, which is given up again", async () => {
    const { world } = await sliding();
    Object.assign(world.config, { memoryFor: () => null });
    const session = await world.open();
    await session.prompt("hello");
    const said = {
      type: "limit-learned",
      model: "claude-sonnet-4-6",
      inputTokensMax: 9_000,
      from: "the test",
    } as const;
    const policyAfter = async (basis: "guess" | "named") => {
      const state = reduceAll(session.state(), [
        { seq: 1_000, at: 0, ...said, ...(basis === "guess" ? { basis } : {}) },
      ]);
      return memoryNow({ config: world.config, fx: world.fx, state: () => state }, 2_000);
    };
    expect([await policyAfter("guess"), await policyAfter("named")]).toEqual(["epochs", "window"]);
  });
});
