import { describe, expect, test } from "vitest";
import { readScript, type Script } from "../../src/testing/simulate/script.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { anthropicHeaders } from "./builders.ts";
import { start } from "./clients.ts";

function scriptOf(steps: unknown): Script {
  const script = readScript(steps);
  if (typeof script === "string") throw new Error(script);
  return script;
}

const read = { name: "Read", description: "reads", input_schema: { type: "object" } };
const user = (content: unknown) => ({ role: "user", content });
const used = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "Read", input: {} }] };
const result = (text: string) => user([{ type: "tool_result", tool_use_id: "toolu_1", content: text }]);

async function play(steps: unknown) {
  const { url, control } = await start({ script: scriptOf(steps), clock: "manual" });
  const ask = async (messages: readonly unknown[], more: object = {}) => {
    const body = JSON.stringify({ model: "sim-plain", max_tokens: 100, tools: [read], messages, ...more });
    const response = await fetch(`${url}/v1/messages`, { method: "POST", headers: anthropicHeaders, body });
    const answer = await response.json();
    return response.status === 200
      ? answer.content.map((block: { text?: string }) => block.text).join()
      : response.status;
  };
  return { ask, control, script: async () => (await control("report")).script };
}

describe("a script", () => {
  test("gives its replies in order and then says that it is over", async () => {
    const { ask, script } = await play([{ text: "one" }, { text: "two", repeat: 2 }]);
    expect(await script()).toEqual({ given: 0, left: 3, failures: [] });
    const said = [];
    for (let n = 0; n < 4; n += 1) said.push(await ask([user("hello")]));
    expect(said).toEqual(["one", "two", "two", "The script is at its end."]);
    expect(await script()).toEqual({ given: 3, left: 0, failures: [] });
  });

  test("gives a reply with a condition to the first request that meets it, and keeps it until then", async () => {
    const { ask } = await play([
      { when: { contains: "title" }, text: "A title", repeat: "always" },
      { when: { result: "Read", contains: "secret" }, text: "found" },
      { text: "first" },
      { when: { turn: 2, step: 1 }, text: "second turn" },
    ]);
    expect(await ask([user("hello")])).toBe("first");
    expect(await ask([user("a title please")])).toBe("A title");
    expect(await ask([user("hello"), used, result("the secret")])).toBe("found");
    expect(await ask([user("hello"), { role: "assistant", content: "x" }, user("more")])).toBe("second turn");
    expect(await ask([user("another title")])).toBe("A title");
  });

  test("lets faults strike and the clock move between its replies", async () => {
    const { ask, control } = await play([
      { fault: "overloaded" },
      { text: "one" },
      { advanceMs: 300_000 },
      { fault: { kind: "rate-limit", times: 2 } },
      { text: "two" },
    ]);
    const { now } = await control("clock");
    expect(await ask([user("hello")])).toBe(529);
    expect(await ask([user("hello")])).toBe("one");
    expect((await control("clock")).now - now).toBe(300_000);
    expect([await ask([user("hello")]), await ask([user("hello")]), await ask([user("hello")])]).toEqual([
      429,
      429,
      "two",
    ]);
  });

  test("checks what it expects of the next request, and reports what no request came for", async () => {
    const { ask, script } = await play([
      { expect: { turn: 1, tool: "Read", lacks: "password" } },
      { text: "one" },
      { expect: { contains: ["alpha", "beta"] } },
      { text: "two" },
      { expect: { anywhere: "never" } },
    ]);
    await ask([user("hello")]);
    await ask([user("hello"), used, result("alpha only")]);
    expect((await script()).failures).toEqual([
      'step 3: what came last should hold "beta"',
      "step 5: no request came for this expectation",
    ]);
  });

  test("an expectation waits for a request in order, not for one that is answered on the side", async () => {
    const { ask, script } = await play([
      { when: { contains: "title" }, text: "T", repeat: "always" },
      { expect: { contains: "hello" } },
      { text: "one" },
    ]);
    await ask([user("a title")]);
    await ask([user("hello")]);
    expect((await script()).failures).toEqual([]);
  });

  test.each([
    [{ wire: "chat" }, "wire should be chat, is anthropic"],
    [{ model: "other" }, "model should be other, is sim-plain"],
    [{ turn: 2 }, "turn should be 2, is 1"],
    [{ step: 1 }, "step should be 1, is 2"],
    [{ contains: "gone" }, 'what came last should hold "gone"'],
    [{ lacks: "alpha" }, 'what came last should not hold "alpha"'],
    [{ anywhere: "gone" }, 'the prompt should hold "gone"'],
    [{ nowhere: "hello" }, 'the prompt should not hold "hello"'],
    [{ tool: "Bash" }, "the list of tools should hold Bash, holds Read"],
    [{ result: "Bash" }, "the newest results should hold Bash, holds Read"],
  ])("says of a request that is not %j what it is", async (condition, why) => {
    const { ask, script } = await play([{ expect: condition }, { text: "one" }]);
    await ask([user("hello"), used, result("alpha")]);
    expect((await script()).failures).toEqual([`step 1: ${why}`]);
  });
});

describe("a script that is wrong names step, field and what was expected", () => {
  test.each<[unknown, RegExp]>([
    [{}, /a script is a JSON list/],
    [[{ text: "a" }, 7], /^step 2: must be an object, not 7/],
    [[{ txet: "a" }], /^step 1: "txet" is unknown; known: text, .*fault, advanceMs, expect/],
    [[{ text: 1 }], /^step 1: "text" must be a text, not 1/],
    [[{ calls: {} }], /"calls" must be a list of/],
    [[{ calls: [{ name: "Read" }] }], /"calls" must be a list of \{"tool"/],
    [[{ stop: "now" }], /"stop" must be one of end, output-limit/],
    [[{ raw: [{}] }], /"raw" must be a list of blocks/],
    [[{ repeat: 0 }], /"repeat" must be a whole number from 1 on, or "always", not 0/],
    [[{ when: { has: "x" } }], /^step 1: "when": "has" is unknown; known: wire, /],
    [[{ when: { turn: "1" } }], /"when": "turn" must be a whole number from 1 on, not "1"/],
    [[{ expect: { wire: "smoke" } }], /"expect": "wire" must be one of anthropic, /],
    [[{ expect: { contains: [1] } }], /"contains" must be a text or a list of texts/],
    [[{ expect: {}, text: "x" }], /^step 1: "text" cannot stand beside "expect"/],
    [[{ advanceMs: -1 }], /"advanceMs" must be a whole number of milliseconds, not -1/],
    [[{ fault: "overladen" }], /^step 1: "fault": unknown kind "overladen"; known: rate-limit/],
    [[{ fault: "overloaded@x" }], /a fault is KIND\[:value\]\[@skip\]\[xTimes\]/],
    [[{ fault: { kind: "late", delay: 3 } }], /"delay" is unknown; known: kind, value/],
    [[{ fault: { kind: "late", value: "3" } }], /"value" must be a whole number, not "3"/],
  ])("%j", (steps, why) => {
    expect(readScript(steps)).toMatch(why);
  });
});

test("one id more behaves like another, and one model alone may have another window", async () => {
  const options = { modelsLike: [["mine", "sim-plain"]], modelWindows: [["mine", 20]] } as const;
  const simulation = createSimulation(options);
  const ask = async (model: string) => {
    const body = JSON.stringify({ model, max_tokens: 10, messages: [user("word ".repeat(40))] });
    return (await simulation.handle({ method: "POST", path: "/v1/messages", headers: anthropicHeaders, body }, 0))
      .status;
  };
  expect([await ask("mine"), await ask("sim-plain"), await ask("yours")]).toEqual([400, 200, 404]);
  expect(simulation.report().overflows).toBe(1);
  expect(() => createSimulation({ modelWindows: [["yours", 20]] })).toThrow("the model table has no yours");
});
