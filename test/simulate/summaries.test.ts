import { describe, expect, test } from "vitest";
import type { Wire } from "../../src/kernel/usage.ts";
import type { Brain, BrainMessage, BrainRequest } from "../../src/testing/simulate/brain.ts";
import { parseFault } from "../../src/testing/simulate/fault-text.ts";
import { readFault } from "../../src/testing/simulate/faults.ts";
import { readScript } from "../../src/testing/simulate/script.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { type SummaryBehaviour, summaryBehaviours, withSummaries } from "../../src/testing/simulate/summaries.ts";
import { summaryAskOf } from "../../src/testing/simulate/summary-request.ts";
import { countTokens } from "../../src/testing/simulate/tokens.ts";
import { assistant, call, post, result, tokens, tool, user } from "./builders.ts";
import { start } from "./clients.ts";
import { says as geminiSays, postGemini } from "./gemini-builders.ts";

const names = [
  "Goal",
  "Rules in force",
  "Decisions",
  "Files: read and changed",
  "Commands",
  "Errors",
  "Open",
  "At hand",
  "Next step",
];
const headings = names.map((name, at) => `${at + 1}. ${name.split(":")[0]}`);
const instruction = [
  '<summary-request kind="all">',
  "Sum up all that came before, in at most 1,500 tokens, between <summary> and </summary>:",
  ...names.map((name, at) => `${at + 1}. ${name}`),
  "Call no tool.",
  "</summary-request>",
].join("\n");

const says = (role: BrainMessage["role"], text: string): BrainMessage => ({ role, parts: [{ type: "text", text }] });
const calls = (id: string, name: string, input: unknown): BrainMessage => ({
  role: "assistant",
  parts: [{ type: "call", id, tool: name, input }],
});
const answers = (id: string, text: string, isError = false): BrainMessage => ({
  role: "user",
  parts: [{ type: "result", id, text, isError }],
});
const work: readonly BrainMessage[] = [
  says("user", "<context>\nfolder /shop\n</context>"),
  says("user", "Rename foo to bar. Never touch the tests."),
  says("assistant", "[rename 1/3] I look at foo because it is small."),
  calls("a", "Read", { path: "src/foo.ts" }),
  answers("a", "1\texport const foo = 1;"),
  calls("b", "Edit", { path: "src/foo.ts", old: "foo", new: "bar" }),
  answers("b", "Edited src/foo.ts"),
  calls("c", "Bash", { command: "npm test" }),
  answers("c", "Error: 1 failed\nexit code 1", true),
  calls("d", "TodoWrite", {
    todos: [
      { text: "add flag", status: "done" },
      { text: "write test", status: "open" },
    ],
  }),
  answers("d", "ok"),
  says("user", "Now write the README."),
];
const asking: BrainRequest = {
  wire: "anthropic",
  model: "sim-plain",
  system: [],
  tools: [{ name: "Read", description: "", schema: { properties: { path: {} }, required: ["path"] } }],
  messages: [...work, says("user", instruction)],
  served: 0,
};
const other: Brain = () => ({ text: "other" });
const first = async (behaviour: SummaryBehaviour, request = asking) =>
  withSummaries(other, { behaviours: [behaviour], slowMs: 7 })(request);

describe("a brain that answers requests for a summary", () => {
  test("a request is one if the newest words of the user begin with the tag, whatever white space stands before it", () => {
    const asked = (...messages: readonly BrainMessage[]) => summaryAskOf({ messages }) !== null;
    expect(asked(says("user", `\n  ${instruction}`))).toBe(true);
    expect(asked(says("user", instruction), says("assistant", "x"), says("user", "go on"))).toBe(false);
    expect(asked(says("user", `what is ${instruction}`))).toBe(false);
    expect(asked(says("assistant", instruction))).toBe(false);
    expect(asked()).toBe(false);
  });

  test("headings and limit come from the instruction; what explains a heading is no part of it", () => {
    const ask = summaryAskOf(asking);
    expect(ask?.headings).toEqual(headings);
    expect(ask?.tokensMax).toBe(1_500);
    expect(summaryAskOf({ messages: [says("user", "<summary-request>")] })).toMatchObject({
      headings: expect.arrayContaining(["1. Goal", "9. Next step"]),
      tokensMax: 2_000,
    });
  });

  test("a good one has all headings and what the request shows: wishes, rules, files, commands, errors, open work, the newest request", async () => {
    const { text = "", calls: made } = await first("good");
    expect(text).toMatch(/^<summary>\n[\s\S]*\n<\/summary>$/);
    expect(text.split("\n").filter((line) => /^\d\. /.test(line))).toEqual(headings);
    for (const part of [
      "The user asked: Rename foo to bar. Never touch the tests.",
      "- Never touch the tests.",
      "because it is small",
      "src/foo.ts: changed",
      "`npm test`: failed, exit code 1",
      "Error: 1 failed",
      "write test (open)",
      "- [rename 1/3] I look at foo",
      'The newest request: "Now write the README."',
    ])
      expect(text).toContain(part);
    expect(text).not.toContain("add flag");
    expect(text).not.toContain("/shop");
    expect(made ?? []).toEqual([]);
    expect(await first("good")).toEqual({ text });
  });

  test("a good one carries on what a former summary said, and stays within its limit however long the conversation was", async () => {
    const { text: former = "" } = await first("good");
    const many = Array.from({ length: 3_000 }, (_, at) => says("user", `wish ${at} 第${at}个愿望 \u{1f600}`.repeat(9)));
    const again = (more: readonly BrainMessage[]) => ({
      ...asking,
      messages: [says("user", `<earlier-work>\n${former}\n</earlier-work>`), ...more, says("user", instruction)],
    });
    const short = (await first("good", again([says("user", "One more thing.")]))).text ?? "";
    for (const kept of ["src/foo.ts: changed", "The user asked: Rename foo to bar", "One more thing."])
      expect(short).toContain(kept);
    const long = (await first("good", again(many))).text ?? "";
    expect(countTokens(long) * 1.3).toBeLessThanOrEqual(1_500);
    expect(long.isWellFormed()).toBe(true);
  });

  test("what is quoted cannot end the summary", async () => {
    const request = { ...asking, messages: [says("user", "print </summary> please"), says("user", instruction)] };
    expect((await first("good", request)).text?.match(/<\/summary>/g)).toHaveLength(1);
  });

  test("behaviours are one for each summary, in order, then it is good; other requests go to the brain and take none", async () => {
    const brain = withSummaries(other, { behaviours: ["junk", "empty"] });
    const plain = { ...asking, messages: work };
    expect(await brain(plain)).toEqual({ text: "other" });
    expect((await brain(asking)).text).toMatch(/^Sure!/);
    expect(await brain(plain)).toEqual({ text: "other" });
    expect(await brain(asking)).toEqual({});
    expect((await brain(asking)).text).toContain(headings[0]);
  });

  const bad: Readonly<Record<Exclude<SummaryBehaviour, "good">, (reply: Awaited<ReturnType<Brain>>) => void>> = {
    empty: (reply) => expect(reply).toEqual({}),
    "tool-call": ({ calls: made }) => expect(made).toEqual([{ tool: "Read", input: { path: "README.md" } }]),
    junk: ({ text }) => expect(text).not.toContain("<summary>"),
    "error-text": ({ text }) => expect(text).toMatch(/^Error 503/),
    truncated: ({ text = "", stop }) => {
      expect(stop).toBe("output-limit");
      expect(text).toMatch(/^<summary>/);
      expect(text).not.toContain("</summary>");
    },
    larger: ({ text = "" }) => {
      expect(text).toContain("</summary>");
      expect(countTokens(text)).toBeGreaterThan(1_500 * 1.5);
      const whole = JSON.stringify(work).length;
      expect(text.length).toBeGreaterThan(whole);
    },
    echo: ({ text }) => expect(text).toBe(instruction),
    "wrong-facts": ({ text = "" }) => {
      expect(text).toContain("every item of the list is done");
      expect(text).toContain('Carry out the request: "Rename foo to bar. Never touch the tests."');
      for (const gone of ["src/foo.ts", "npm test", "README"]) expect(text).not.toContain(gone);
    },
    slow: ({ text, lateMs }) => {
      expect(lateMs).toBe(7);
      expect(text).toContain(headings[8]);
    },
    "foreign-language": ({ text = "" }) => {
      expect(text).toContain("1. 目标与用户的要求");
      expect(text).toContain("9. 下一步");
      expect(text).toContain("src/foo.ts: changed");
    },
  };
  test.each(summaryBehaviours.filter((name) => name !== "good"))("%s", async (name) => {
    // The names are the keys of the record above.
    const behaviour = name as keyof typeof bad;
    bad[behaviour](await first(behaviour));
  });

  test("without a tool to call, the call is in words", async () => {
    const { text, calls: made } = await first("tool-call", { ...asking, tools: [] });
    expect(made).toBeUndefined();
    expect(text).toContain("<tool_call>");
  });
});

const posts: Readonly<Record<Wire, (words: string) => ReturnType<typeof post>>> = {
  anthropic: (words) =>
    post("anthropic", {
      model: "sim-plain",
      max_tokens: 4_000,
      messages: [user("hello"), assistant("hi"), user(words)],
    }),
  chat: (words) => post("chat", { model: "sim-chat", messages: [user("hello"), assistant("hi"), user(words)] }),
  responses: (words) =>
    post("responses", { model: "sim-responses", input: [user("hello"), assistant("hi"), user(words)] }),
  gemini: (words) =>
    postGemini({ contents: [geminiSays("hello"), { role: "model", parts: [{ text: "hi" }] }, geminiSays(words)] }),
};
const wires = Object.keys(posts).flatMap((name) => (name in posts ? [name as Wire] : []));
const fault = (text: string) => {
  const read = parseFault(text);
  if (typeof read === "string") throw new Error(read);
  return read;
};

describe.each(wires)("faults for requests for a summary only: %s", (wire) => {
  const step = posts[wire]("go on");
  const summary = posts[wire](instruction);

  test("the default simulation sums up well, in the wire's own form", async () => {
    const simulation = createSimulation();
    const outcome = await simulation.handle(summary, 0);
    expect(outcome.status).toBe(200);
    expect(outcome.frames.join("")).toContain(headings[3]);
  });

  test.each([
    ["too-large/summary", 413],
    ["too-long/summary", 400],
    ["rate-limit:1/summary", 429],
    ["overloaded/summary", wire === "gemini" ? 503 : 529],
  ])("%s", async (text, status) => {
    const simulation = createSimulation();
    simulation.addFaults([fault(text)]);
    const statusOf = async (request: typeof step) => (await simulation.handle(request, 0)).status;
    expect([await statusOf(step), await statusOf(summary), await statusOf(step), await statusOf(summary)]).toEqual([
      200,
      status,
      200,
      200,
    ]);
  });

  test("too long so many times in a row, some summaries let through first", async () => {
    const simulation = createSimulation();
    simulation.addFaults([fault("too-long@1x2/summary")]);
    const statuses = [];
    for (const request of [summary, step, summary, step, summary, summary])
      statuses.push((await simulation.handle(request, 0)).status);
    expect(statuses).toEqual([200, 200, 400, 200, 400, 200]);
  });

  test("a broken and a stalled stream", async () => {
    const simulation = createSimulation();
    simulation.addFaults([fault("cut:40/summary"), fault("stall:40/summary")]);
    const ends = [];
    for (const request of [step, summary, step, summary, summary])
      ends.push((await simulation.handle(request, 0)).delivery.end);
    expect(ends).toEqual(["complete", "cut", "complete", "stall", "complete"]);
  });
});

describe("what strikes a summary", () => {
  test("a fault may have any condition of scripts, and a wrong one is named", () => {
    expect(readFault({ kind: "reset", when: { summary: true } })).toMatchObject({ when: { summary: true } });
    expect(readFault({ kind: "reset", when: { summary: "yes" } })).toBe(
      '"when": "summary" must be true or false, not "yes"',
    );
    expect(readFault({ kind: "reset", when: { sum: 1 } })).toMatch(/^"when": "sum" is unknown/);
    expect(parseFault("reset/other")).toMatch(/KIND/);
  });

  test("the prefix can expire between a step and the summary that rides on it: by the clock, or given up early", async () => {
    const marked = { cache_control: { type: "ephemeral" } };
    const body = (words: string) => ({
      model: "sim-plain",
      max_tokens: 4_000,
      system: [{ type: "text", text: tokens(2_000), ...marked }],
      messages: words === "go on" ? [user(words)] : [user("go on"), assistant("done"), user(words)],
    });
    const readAfter = async (ms: number, faults: readonly string[]) => {
      const simulation = createSimulation();
      simulation.addFaults(faults.map(fault));
      await simulation.handle(post("anthropic", body("go on")), 0);
      await simulation.handle(post("anthropic", body(instruction)), ms);
      const { readTokens, missCause } = simulation.requests()[1] ?? {};
      return [Number(readTokens) > 0, missCause];
    };
    expect(await readAfter(1_000, [])).toEqual([true, null]);
    expect(await readAfter(300_000, [])).toEqual([false, "expired"]);
    expect(await readAfter(1_000, ["cold-cache/summary"])).toEqual([false, "expired"]);
  });
});

describe("scripts and summaries", () => {
  const play = async (steps: unknown) => {
    const script = readScript(steps);
    if (typeof script === "string") throw new Error(script);
    const { url, control } = await start({ script, clock: "manual", summaries: ["junk"] });
    const ask = async (words: string, more: object = {}) => {
      const messages = [
        user("x"),
        assistant([call("toolu_1")]),
        user([result("toolu_1")]),
        assistant("y"),
        user(words),
      ];
      const { headers } = post("anthropic", {});
      const body = JSON.stringify({ model: "sim-plain", max_tokens: 4_000, tools: [tool("Read")], messages, ...more });
      const answer = await (await fetch(`${url}/v1/messages`, { method: "POST", headers, body })).json();
      return answer.content?.map((block: { text?: string }) => block.text).join() ?? answer.error.message;
    };
    return { ask, control, script: async () => (await control("report")).script };
  };

  test("a summary takes no reply of the order; it is answered as the simulator is told, then well", async () => {
    const { ask, script } = await play([{ text: "one" }, { expect: { lacks: "summary" } }, { text: "two" }]);
    expect(await ask("go on")).toBe("one");
    expect(await ask(instruction)).toMatch(/^Sure!/);
    expect(await ask(instruction)).toContain(headings[0]);
    expect(await ask("go on")).toBe("two");
    expect(await script()).toEqual({ given: 2, left: 0, failures: [] });
  });

  test("steps may be for summaries: replies, expectations, faults; the clock moves behind them", async () => {
    const { ask, script, control } = await play([
      { expect: { summary: true, contains: "1,500 tokens" } },
      { fault: { kind: "too-long", when: { summary: true } } },
      { text: "step" },
      { when: { summary: true }, text: "mine", lateMs: 1 },
      { advanceMs: 400_000 },
      { expect: { summary: true, lacks: "tokens" } },
    ]);
    expect(await ask("go on")).toBe("step");
    expect(await ask(instruction)).toContain("too long");
    const { now } = await control("clock");
    expect(await ask(instruction)).toBe("mine");
    expect((await control("clock")).now - now).toBe(400_000);
    expect((await script()).failures).toEqual(["step 6: no request came for this expectation"]);
    expect(await ask(instruction)).toMatch(/^Sure!/);
    expect((await script()).failures).toEqual(['step 6: what came last should not hold "tokens"']);
  });

  test("a step with another condition is not for summaries, not even one that always answers", async () => {
    const { ask } = await play([{ when: { contains: "Sum up" }, text: "title", repeat: "always" }]);
    expect(await ask("Sum up the day")).toBe("title");
    expect(await ask(instruction)).toMatch(/^Sure!/);
  });
});
