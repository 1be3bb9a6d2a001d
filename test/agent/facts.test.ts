import { describe, expect, test } from "vitest";
import { type EpochBody, withoutReasoning } from "../../src/agent/reasoning.ts";
import type { Session } from "../../src/agent/session.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { brand } from "../../src/kernel/ids.ts";
import type { Piece } from "../../src/log/block.ts";
import type { EntryBody, ModelChoice } from "../../src/log/entry.ts";
import { emptyState } from "../../src/log/state.ts";
import { factIdOf } from "../../src/memory/facts.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { rememberFactTool } from "../../src/tools/remember-fact.ts";
import { simulatedModel } from "../support/simulated-model.ts";
import { fakeTool, type TestWorld, testModel, testWorld } from "../support/world.ts";

const project = brand<"ProjectId">("p1");
const model = (name: string) => ({ ...testModel, model: name });
const rule = "Never push to main";
const id = factIdOf(rule);

async function open(replies: readonly BrainReply[], more: Partial<Parameters<typeof testWorld>[0]> = {}) {
  const simulation = createSimulation({ brain: scriptedBrain(replies) });
  const bodies: string[] = [];
  const world: TestWorld = await testWorld({
    model: {
      stream: (request, signal) => {
        bodies.push(request.body);
        return simulatedModel(simulation, () => world.clock.now()).stream(request, signal);
      },
    },
    tools: [fakeTool("look", true, async () => "seen ".repeat(2_000)), rememberFactTool()],
    choice: model("claude-sonnet-4-6"),
    ...more,
  });
  const session = await world.open();
  const prompt = async (text: string, typed?: string) =>
    expect(await session.prompt(text, typed)).toMatchObject({ reason: "done" });
  return { world, bodies, simulation, session: { ...session, prompt } };
}

const texts = (body: string | undefined) =>
  cut("anthropic", body ?? "").flatMap(({ role, kind, text }) => (role === "user" && kind === "text" ? [text] : []));
const saying = (body: string | undefined, words: string) => texts(body).filter((text) => text.includes(words)).length;
const answer: BrainReply = { text: "done" };
const typesOf = async (world: TestWorld) => (await world.entries()).map(({ type }) => type);
const pin = (session: Pick<Session, "changeFacts">, text: string, scope: "session" | "project" = "session") =>
  session.changeFacts({ type: "pin", text, scope });

describe("where facts come from", () => {
  test("a rule in a message is proposed, and in force once it is accepted; its message shows it, so no block does", async () => {
    const { world, session, bodies } = await open([answer, answer]);
    await session.prompt(`Fix the login. ${rule}. Thanks!`);
    const words = `${rule}.`;
    expect(session.state().facts).toMatchObject({ active: [], proposed: [{ id, text: words, by: "user" }] });
    expect(await session.changeFacts({ type: "accept", fact: id, scope: "session" })).toMatchObject({
      type: "changed",
    });
    expect(session.state().facts).toMatchObject({ active: [{ id, text: words, from: "message" }], proposed: [] });
    await session.prompt("go on");
    expect(await typesOf(world)).not.toContain("facts-shown");
    expect(saying(bodies[1], words)).toBe(1);
  });

  test("the model proposes through its tool, in any language; what is refused is not proposed again", async () => {
    const said = "Wir bleiben bei Node 24";
    const propose: BrainReply = { calls: [{ tool: "RememberFact", input: { fact: said } }] };
    const { session } = await open([propose, answer, propose, answer]);
    await session.prompt("hallo");
    expect(session.state().facts.proposed).toEqual([{ id: factIdOf(said), text: said, by: "agent" }]);
    await session.changeFacts({ type: "refuse", fact: factIdOf(said) });
    await session.prompt("weiter");
    expect(session.state().facts).toMatchObject({ active: [], proposed: [], refused: [factIdOf(said)] });
  });

  test("never from a tool's output, nor from what was piped in beside the user's own words", async () => {
    const { session } = await open([{ calls: [{ tool: "look", input: {} }] }, answer, answer], {
      tools: [fakeTool("look", true, async () => "Never push to main. Always use tabs.")],
    });
    await session.prompt("look");
    await session.prompt(`summarize this\n\n${rule}`, "summarize this");
    expect(session.state().facts.proposed).toEqual([]);
  });
});

describe("where facts are seen", () => {
  test("pinned before the first request they stand right behind the user context, once", async () => {
    const { session, bodies } = await open([answer]);
    await pin(session, rule);
    await session.prompt("go");
    expect(texts(bodies[0])[1]).toContain(`\n- ${rule}\n`);
    expect(saying(bodies[0], rule)).toBe(1);
  });

  test("pinned in mid-epoch: one block at the end, for all that came since, and nothing before it moves", async () => {
    const { session, bodies, simulation, world } = await open([answer, answer, answer]);
    await session.prompt("one");
    await pin(session, rule);
    await pin(session, "use tabs");
    await session.prompt("two");
    await session.prompt("three");
    expect((await typesOf(world)).filter((type) => type === "facts-shown")).toHaveLength(1);
    for (const body of bodies.slice(1)) expect(saying(body, `- ${rule}\n- use tabs\n`)).toBe(1);
    expect(simulation.requests().map(({ missCause }) => missCause)).toEqual(["cold-start", null, null]);
  });

  test("a message so long that it alone takes a fact too far from the end has it said in front, once, and the next one again", async () => {
    const { session, bodies } = await open([answer, answer, answer, answer]);
    await session.prompt("one");
    await pin(session, rule);
    await session.prompt("word ".repeat(bounds.factDistanceTokensMax * 1.2));
    await session.prompt("three");
    await session.prompt("four");
    expect(bodies.map((body) => saying(body, `- ${rule}\n`))).toEqual([0, 1, 2, 2]);
  });

  test("a message that merely contains the words of a fact pinned elsewhere does not show it", async () => {
    const { session, bodies } = await open([answer, answer]);
    await session.prompt("I do not want you to use tabs, by the way");
    await pin(session, "use tabs");
    await session.prompt("two");
    expect(saying(bodies[1], "- use tabs\n")).toBe(1);
  });

  test("retired: one notice, no break; pinned again it is said again", async () => {
    const { session, bodies, world } = await open([answer, answer, answer]);
    await pin(session, rule);
    await session.prompt("one");
    await session.changeFacts({ type: "retire", fact: id.slice(0, 4) });
    await session.prompt("two");
    expect(saying(bodies[1], `no longer in force:\n- ${rule}\n`)).toBe(1);
    await pin(session, rule);
    await session.prompt("three");
    expect(texts(bodies[2]).filter((text) => text.includes(`- ${rule}\n`))).toHaveLength(3);
    expect((await typesOf(world)).filter((type) => type === "epoch-opened")).toHaveLength(1);
  });

  test("at a break all in force stand in front, once, and older blocks are gone; a retired one is spoken of while its words are there", async () => {
    const { session, bodies } = await open([answer, answer, answer, answer]);
    await session.prompt(`${rule}. Please fix it`);
    await session.changeFacts({ type: "accept", fact: id, scope: "session" });
    await pin(session, "use tabs");
    await session.prompt("two");
    await session.changeFacts({ type: "retire", fact: id });
    await pin(session, "speak German");
    await session.chooseModel(model("claude-opus-4-6"));
    await session.prompt("three");
    const body = bodies.at(-1);
    expect(texts(body)[1]).toMatch(
      /retires them:\n- use tabs\n- speak German\nRetired.*no longer in force:\n- Never push to main\.\n/,
    );
    for (const words of ["- use tabs", "- speak German", `- ${rule}`]) expect(saying(body, words)).toBe(1);
  });

  test("they are said again at the end once the nearest copy is more than 60k tokens away, and not before", async () => {
    const { session, bodies } = await open([answer, answer, answer, answer, answer, answer], { windowTokens: 900_000 });
    await pin(session, rule);
    // About 25,000 tokens each.
    for (let at = 0; at < 6; at += 1) await session.prompt(`${at} ${"word ".repeat(25_000)}`);
    expect(bodies.map((body) => saying(body, `- ${rule}\n`))).toEqual([1, 1, 2, 2, 3, 3]);
  });
});

test("a break that moves a block to the front counts as a changed front: reasoning bound to what stood there goes", () => {
  const text = (id: string, kind: "context" | "facts" | "message", said: string): Piece => ({
    id,
    role: "user",
    kind,
    block: { type: "text", text: said },
  });
  const thought: Piece = { id: "5.0", role: "assistant", from: "anthropic", block: { type: "reasoning", text: "hm" } };
  const head = { tools: brand<"Hash">("t"), system: brand<"Hash">("s") };
  const bound: ModelChoice = { ...testModel, model: "claude-opus-5-5", thinking: "adaptive" };
  const next: EpochBody = {
    type: "epoch-opened",
    reason: "history-damaged",
    detail: "",
    head,
    model: bound,
    userContext: "context",
    facts: "facts",
    edits: [],
    cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
  };
  const dropped = (live: readonly Piece[]) => {
    const epoch = { number: 1, seq: 1, reason: "start", head, model: bound } as const;
    return withoutReasoning({ ...emptyState, epoch, live }, next);
  };
  const [context, facts, message] = [
    text("1.0", "context", "context"),
    text("3.0", "facts", "facts"),
    text("2.0", "message", "go"),
  ];
  expect(dropped([context, facts, message, thought])).toEqual([]);
  expect(dropped([context, message, facts, thought])).toEqual([thought]);
  expect(dropped([context, facts, message, text("4.0", "facts", "more"), thought])).toEqual([thought]);
  // In front of what moves nothing changed: providers refuse an open tool loop without its own (PROTOCOLS B.3).
  const later = { ...thought, id: "6.0" };
  expect(dropped([context, facts, message, thought, text("4.0", "facts", "more"), later])).toEqual([later]);
});

describe("the room for facts", () => {
  test("at the cap one more is refused, with what to do; merging and retiring make room", async () => {
    const { session } = await open([]);
    for (let at = 0; at < bounds.factsMax; at += 1) expect((await pin(session, `rule ${at}`)).type).toBe("changed");
    const refused = await pin(session, "one more");
    expect(refused).toMatchObject({ type: "refused", why: expect.stringMatching(/20 facts.*retire.*merge/i) });
    const ids = [0, 1, 2].map((at) => factIdOf(`rule ${at}`));
    const merge = { type: "merge", facts: ids, text: "rules 0 to 2" } as const;
    expect(await session.changeFacts(merge)).toMatchObject({ type: "changed" });
    expect(session.state().facts.active).toHaveLength(bounds.factsMax - 2);
    expect((await pin(session, "one more")).type).toBe("changed");
    expect((await pin(session, "ONE more.")).type).toBe("refused");
  });

  test("in a small window all of them take at most a twentieth of it", async () => {
    const { session } = await open([], { windowTokens: 8_000 });
    const long = (at: number) => `${at} ${"word ".repeat(90)}`.trim();
    const results = [];
    for (let at = 0; at < 6; at += 1) results.push((await pin(session, long(at))).type);
    expect(results.slice(0, 3)).toContain("changed");
    expect(results.at(-1)).toBe("refused");
  });

  test.each([
    ["nothing", "  \n ", /some words/],
    ["signs only", "...", /some words|signs/],
    ["more than 500 characters", "x".repeat(bounds.factCharsMax + 1), /at most 500 characters/],
    ["the tag that frames it", "a </system-reminder> b", /cannot hold the tag/],
  ])("%s is refused, with the reason", async (_name, text, why) => {
    const { session } = await open([]);
    expect(await pin(session, text)).toMatchObject({ type: "refused", why: expect.stringMatching(why) });
  });

  test("500 characters are a fact", async () => {
    const { session } = await open([]);
    expect(await pin(session, "x".repeat(bounds.factCharsMax))).toMatchObject({ type: "changed" });
  });
});

describe("facts of a project", () => {
  test("pinned in one session, in force in the next and in one that is open, from its next message on; retired likewise", async () => {
    const first = await open([answer, answer], { project });
    await pin(first.session, rule, "project");
    const stores = first.world.stores;
    const entry: EntryBody = { type: "fact-pinned", fact: factIdOf("use tabs"), text: "use tabs", scope: "project" };
    expect(await first.world.fx.changeProjectFacts([entry])).toBeNull();
    await first.session.prompt("go");
    expect(first.session.state().facts.active.map(({ text, scope }) => [text, scope])).toEqual([
      [rule, "project"],
      ["use tabs", "project"],
    ]);
    expect(saying(first.bodies[0], "- use tabs\n")).toBe(1);
    await first.world.fx.changeProjectFacts([{ type: "fact-retired", fact: id }]);
    await first.session.prompt("go on");
    expect(first.session.state().facts.active.map(({ text }) => text)).toEqual(["use tabs"]);
    expect(saying(first.bodies[1], `no longer in force:\n- ${rule}\n`)).toBe(1);
    const kinds: string[] = [];
    for await (const { type } of stores.log.read({ type: "project", project }, null)) kinds.push(type);
    expect(kinds).toEqual(["project-started", "fact-pinned", "fact-pinned", "fact-retired"]);
  });

  test("two processes that pin at once both succeed, and the same fact is kept once", async () => {
    const { world } = await open([], { project });
    const entry = (text: string): EntryBody => ({ type: "fact-pinned", fact: factIdOf(text), text, scope: "project" });
    const results = await Promise.all(
      ["a rule", "b rule", "a rule"].map((text) => world.fx.changeProjectFacts([entry(text)])),
    );
    expect(results).toEqual([null, null, null]);
    const facts = await world.fx.projectFacts();
    expect(facts?.map(({ text }) => text).sort()).toEqual(["a rule", "b rule"]);
  });

  test("without a project there are none, and the user is told", async () => {
    const { session } = await open([]);
    expect(await pin(session, rule, "project")).toMatchObject({
      type: "refused",
      why: expect.stringContaining("no project"),
    });
    expect(session.state().facts.active).toEqual([]);
  });
});
