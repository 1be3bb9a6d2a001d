import { describe, expect, test } from "vitest";
import { cut } from "../../src/testing/simulate/cut.ts";
import { sharedPrefix } from "../../src/testing/simulate/segment.ts";
import { assistant, type Body, breakpoint, fn, fnCall, fnOutput, input, responses, user } from "./builders.ts";

const hashes = (body: Body) => cut("responses", JSON.stringify(body)).map(({ hash }) => hash);
const items = [{ role: "developer", content: "d" }, user("a"), assistant("b"), fnCall("c"), fnOutput("c")];
const base = responses({ tools: [fn("t")], input: items });
const output = (text: string) => ({ type: "output_text", text, annotations: [] });

describe("what the cut of a Responses request sees and does not see (B.2, B.3)", () => {
  test.each<[string, Body]>([
    ["a list of parts for a string", { input: [...items.slice(0, 1), user([input("a")]), ...items.slice(2)] }],
    [
      "breakpoints, also inside outputs",
      {
        input: [
          items[0],
          user([input("a", breakpoint("12h"))]),
          ...items.slice(2, 4),
          fnOutput("c", { output: [input("ok", breakpoint())] }),
        ],
      },
    ],
    [
      "ids, states and the order of an item's members",
      {
        input: [
          ...items.slice(0, 2),
          { type: "message", id: "msg_1", status: "completed", role: "assistant", content: [output("b")] },
          { id: "fc_1", arguments: "{}", name: "read", call_id: "c", type: "function_call", status: "completed" },
          items[4],
        ],
      },
    ],
    ["a deferred tool", { tools: [fn("t"), fn("z", { defer_loading: true })] }],
  ])("the same: %s", (_name, change) => {
    expect(hashes({ ...base, ...change })).toEqual(hashes(base));
  });

  test.each<[string, Body]>([
    ["the id of a call", { input: [...items.slice(0, 3), fnCall("e"), fnOutput("e")] }],
    ["one blank", { input: [...items.slice(0, 1), user("a "), ...items.slice(2)] }],
    ["white space in arguments", { input: [...items.slice(0, 3), fnCall("c", { arguments: "{ }" }), items[4]] }],
    ["the phase of a message", { input: [...items.slice(0, 2), { ...assistant("b"), phase: "commentary" }] }],
    ["the order of a schema's members", { tools: [fn("t", { parameters: { properties: {}, type: "object" } })] }],
  ])("another: %s", (_name, change) => {
    expect(hashes({ ...base, ...change })).not.toEqual(hashes(base));
  });

  test("tools stand first, instructions before the input on older models and behind it on newer ones", () => {
    const places = (model: string) =>
      cut("responses", JSON.stringify({ ...base, model, instructions: "i" })).map(({ path }) => path);
    expect(places("gpt-6-sol").slice(0, 3)).toEqual(["tools.0", "system.instructions", "system.0.0"]);
    expect(places("gpt-6.2-sol").at(-1)).toBe("instructions");
  });

  test("added tools are rendered where their item stands", () => {
    const more = { type: "additional_tools", role: "developer", tools: [fn("u"), fn("v")] };
    const grown = cut("responses", JSON.stringify({ ...base, input: [...items, more] }));
    expect(sharedPrefix(cut("responses", JSON.stringify(base)), grown)).toBe(grown.length - 2);
    expect(grown.slice(-2).map(({ role, kind }) => [role, kind])).toEqual([
      ["tools", "tool"],
      ["tools", "tool"],
    ]);
    const first = cut("responses", JSON.stringify({ ...base, input: [more, ...items] }));
    expect(first.map(({ path }) => path).slice(1, 4)).toEqual(["system.0.0", "system.0.1", "system.1.0"]);
  });
});
