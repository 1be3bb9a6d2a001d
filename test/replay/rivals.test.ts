import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent, tool } from "langchain";
import { describe, expect, test } from "vitest";
import { rivals } from "../../bench/rivals/rivals.ts";
import { rivalSession } from "../../bench/rivals/session.ts";
import { turnsOf } from "../../bench/rivals/turns.ts";
import { replay } from "../../src/replay/replay.ts";
import { whole } from "../../src/replay/shown.ts";
import type { Decision, Shown, Strategy } from "../../src/replay/strategy.ts";
import { chainOf, decided, linesOf, type Made, recorded, terms } from "../support/recorded.ts";

/** Asks for one result after the other, and says what it was sent. */
class LookingModel extends BaseChatModel {
  readonly looks: number;
  readonly sent: (messages: readonly BaseMessage[]) => void;
  asked = 0;

  constructor(looks: number, sent: (messages: readonly BaseMessage[]) => void) {
    super({});
    this.looks = looks;
    this.sent = sent;
  }

  _llmType(): string {
    return "looking";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]) {
    this.sent(messages);
    const call = { id: `c${this.asked}`, name: "look", args: { n: this.asked }, type: "tool_call" as const };
    const message = new AIMessage({ content: "", tool_calls: this.asked++ < this.looks ? [call] : [] });
    return { generations: [{ text: "", message }] };
  }
}

const strategy = (name: string): Strategy => {
  const found = rivals.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no rival ${name}`);
  return found;
};
const resultsIn = (decision: Decision | undefined) =>
  decision?.shown.filter(({ kind }) => kind === "tool-result") ?? [];
const textsOf = (shown: readonly Shown[]) => shown.map(({ text }) => text);
/** About 25,000 tokens by four characters each, as these packages count. */
const large = (name: string) => linesOf(2_300, name);

describe("what a package does not touch comes back as the segments it went in as", () => {
  const made: readonly Made[] = [
    { said: "go on", thought: "well", asks: [{ callId: "c0", input: '{"a": {"b": [1, 2]}}' }, { callId: "c1" }] },
    {
      results: [
        { callId: "c0", text: "first" },
        { callId: "c1", text: "" },
      ],
      asks: [{ callId: "c2", tool: "apply_patch", input: "*** Begin Patch" }],
    },
    { results: [{ callId: "c2", text: "done" }], said: "and then?" },
  ];
  const calls = recorded(made);
  const blocks = [...calls.flatMap(({ before, answer }) => [...before, ...answer])];
  const untouched = rivals.filter(({ name }) => name !== "ai-sdk-prune");
  test.each(untouched.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    const decisions = await decided(one, calls);
    expect(decisions.at(-1)?.shown).toEqual(blocks.map((block) => whole(block, terms().tokensOf)));
    expect(decisions.every(({ break: reason, calls: own }) => reason === null && own.length === 0)).toBe(true);
  });
});

describe("LangChain's context editing", () => {
  test("above 100,000 tokens all results but the newest three are cleared, and stay so below it", async () => {
    const texts = Array.from({ length: 7 }, (_, at) => large(`r${at}`));
    const decisions = await decided(strategy("langchain-context-editing"), recorded(chainOf(texts)));
    const cleared = decisions.map((one) => resultsIn(one).filter(({ text }) => text === "[cleared]").length);
    // Five are more than 100,000 tokens; six of which two are cleared are less, and the two stay cleared.
    expect(cleared).toEqual([0, 0, 0, 0, 0, 2, 2, 4]);
    expect(decisions.map((one) => one.break)).toEqual([null, null, null, null, null, "cleared", null, "cleared"]);
  });

  test("in its own agent too the state keeps what was cleared: below the trigger it does not come back", async () => {
    const seen: (readonly string[])[] = [];
    const look = tool(async (input) => `result ${JSON.stringify(input)} ${"x".repeat(600)}`, {
      name: "look",
      description: "looks",
      schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
    });
    const edits = [new ClearToolUsesEdit({ trigger: { tokens: 400 }, keep: { messages: 1 } })];
    const middleware = [contextEditingMiddleware({ edits })];
    const model = new LookingModel(5, (messages) => seen.push(messages.map(toolText)));
    await createAgent({ model, tools: [look], middleware }).invoke({ messages: [new HumanMessage("go")] });
    const cleared = seen.map((texts) => texts.filter((text) => text === "[cleared]").length);
    // Three results of 600 characters pass 400 tokens; with two cleared the fourth does not, and nothing comes back.
    expect(cleared).toEqual([0, 0, 0, 2, 2, 4]);
  });

  const toolText = (message: BaseMessage) => (message.getType() === "tool" ? message.text : "");
});

describe("LangChain's summarisation", () => {
  test("at 0.8 of the window the older part becomes one message, paid as a prompt of its own", async () => {
    const texts = Array.from({ length: 9 }, (_, at) => `${large(`r${at}`)}\nsrc/lib/file${at}.ts`);
    const decisions = await decided(strategy("langchain-summarize"), recorded(chainOf(texts)));
    const at = decisions.findIndex((one) => one.break !== null);
    const [first, ...rest] = decisions[at]?.shown ?? [];
    expect(first?.text?.startsWith("Here is a summary of the conversation to date:")).toBe(true);
    expect(rest.map(({ kind }) => kind)).toEqual(["tool-call", "tool-result", "tool-call", "tool-result"]);
    expect(decisions[at]?.calls).toHaveLength(1);
    // It shows the writer of the summary the newest 4,000 tokens of what goes.
    expect((decisions[at]?.calls[0]?.writeTokens ?? 0) * 1.25).toBeLessThan(5_000);
    expect(decisions[at - 1]?.shown).toHaveLength(1 + 2 * (at - 1));
    expect(decisions[at + 1]?.shown[0]).toEqual(first);
  });

  test("with the trigger of its first example it summarises all but the newest 20 messages again and again", async () => {
    const texts = Array.from({ length: 20 }, (_, at) => linesOf(60, `r${at}`));
    const decisions = await decided(strategy("langchain-summarize-4k"), recorded(chainOf(texts)));
    expect(decisions.filter((one) => one.calls.length === 1).length).toBeGreaterThan(3);
    expect(decisions.at(-1)?.shown.length).toBeLessThanOrEqual(22);
  });
});

test("LangChain's trimming keeps the newest whole answers that fit, without a word of the rest", async () => {
  const texts = Array.from({ length: 10 }, (_, at) => large(`r${at}`));
  const decisions = await decided(strategy("langchain-trim"), recorded(chainOf(texts)));
  const last = decisions.at(-1)?.shown ?? [];
  expect(last[0]?.kind).toBe("tool-call");
  expect(textsOf(resultsIn(decisions.at(-1)))).toEqual(texts.slice(-resultsIn(decisions.at(-1)).length));
  expect(last.reduce((sum, { tokens }) => sum + tokens, 5_000)).toBeLessThan(200_000);
  expect(last.length).toBeLessThan(20);
});

test("Deep Agents' summary names the file of what it stands for, which leads back to every result that went", async () => {
  const texts = Array.from({ length: 40 }, (_, at) => linesOf(500, `r${at}`));
  const decisions = await decided(strategy("deepagents-summarize"), recorded(chainOf(texts)));
  const at = decisions.findIndex((one) => one.break !== null);
  const summary = decisions[at]?.shown[0];
  const handle = summary?.handles[0];
  expect(summary?.text).toContain(handle?.handle);
  const kept = resultsIn(decisions[at]).flatMap(({ callId }) => callId ?? []);
  expect([...(handle?.callIds ?? []), ...kept]).toEqual(texts.slice(0, at).map((_, n) => `c${n}`));
  expect(kept.length).toBeGreaterThan(1);
});

describe("the AI SDK's pruning", () => {
  const texts = ["one", "two", "three", "four"];
  test("as documented it leaves of tool calls and results only those of the last two messages", async () => {
    const decisions = await decided(strategy("ai-sdk-prune"), recorded(chainOf(texts)));
    const [said, ...rest] = decisions.at(-1)?.shown ?? [];
    expect(said?.text).toBe("go on");
    expect(rest.map(({ kind, callId }) => [kind, callId])).toEqual([
      ["tool-call", "c3"],
      ["tool-result", "c3"],
    ]);
  });

  test("reasoning goes with the calls it led to", async () => {
    const made = chainOf(texts).map((one) => ({ ...one, thought: "well" }));
    const decisions = await decided(strategy("ai-sdk-prune"), recorded(made));
    expect(decisions.at(-1)?.shown.filter(({ kind }) => kind === "reasoning")).toEqual([]);
  });

  test("the results of one answer are one message", async () => {
    const asks = ["a", "b", "c"].map((callId) => ({ callId }));
    const results = asks.map(({ callId }) => ({ callId, text: callId }));
    const decisions = await decided(strategy("ai-sdk-prune"), recorded([{ said: "go on", asks }, { results }]));
    expect(textsOf(resultsIn(decisions.at(-1)))).toEqual(["a", "b", "c"]);
  });
});

test("what a rival lost runs again: counted as lost, charged as a step and the whole result", async () => {
  const texts = Array.from({ length: 7 }, (_, at) => large(`r${at}`));
  const probes = [{ callId: "c7", kind: "ident", text: "r0 line 1000 says", source: "c0" }];
  const input = {
    recording: { session: "s", headTokens: 5_000, calls: recorded(chainOf(texts)) },
    terms: terms(),
    now: () => 0,
    onCall: () => {},
  };
  const one = strategy("langchain-context-editing");
  const done = await replay({ ...input, probes, strategy: one });
  expect({ lost: done.lost, recalled: done.recalled, steps: done.extraSteps }).toEqual({
    lost: 1,
    recalled: 0,
    steps: 1,
  });
  expect(done.recallCost).toBeGreaterThan(terms().tokensOf(texts[0] ?? "") * 1.25);
  const { takesAway: _none, ...forgiven } = one;
  expect((await replay({ ...input, probes, strategy: forgiven })).recallCost).toBe(0);
});

test("what ran again stands in the messages as a call of its own, of which only the result is shown", async () => {
  const calls = recorded(chainOf(["one", "two"]));
  const blocks = calls.flatMap(({ before }) => before);
  const again = blocks.flatMap((block) =>
    block.callId === "c0" ? [{ ...block, id: -1, kind: "recalled" as const }] : [],
  );
  expect(turnsOf(again).map(({ type }) => type)).toEqual(["answered", "returned"]);
  for (const one of rivals) {
    const step = one.open(terms(), { session: "s", calls, probes: [] });
    const { shown } = await step({ n: 0, blocks: again, unseenFrom: 0, restarted: false, idleMs: null });
    expect(textsOf(shown)).toEqual(["one"]);
  }
});

test("a break is declared where what was sent changed, and not at a restart of the recording", async () => {
  const said = (text: string): Shown => ({ role: "user", kind: "text", callId: null, text, tokens: 1, handles: [] });
  const prompts = [[said("a")], [said("a"), said("b")], [said("c")], [said("d")]];
  const work = { came: () => {}, restarted: () => {}, sent: async () => ({ shown: prompts.shift() ?? [], calls: [] }) };
  const step = rivalSession(work, "cleared");
  const reasons: (string | null)[] = [];
  for (const restarted of [false, false, false, true]) {
    const moment = { n: 0, blocks: [], unseenFrom: 0, restarted, idleMs: null };
    reasons.push((await step(moment)).break);
  }
  expect(reasons).toEqual([null, null, "cleared", null]);
});

test("the stand-in's summary is the same each time, and of a size that real ones have", async () => {
  const { StandInModel } = await import("../../bench/rivals/stand-in.ts");
  const model = new StandInModel(200_000);
  const prompt = Array.from(
    { length: 900 },
    (_, at) => `src/part/file${at}.ts "command": "npm run step${at}" someName${at}`,
  );
  const [a, b] = [await model.invoke(prompt.join("\n")), await model.invoke(prompt.join("\n"))];
  expect(a.text).toBe(b.text);
  expect(a.text.length).toBeGreaterThan(5_000);
  expect(a.text.length).toBeLessThan(6_200);
  expect(a).toBeInstanceOf(AIMessage);
});
