import { describe, expect, test } from "vitest";
import type { BrainReply, BrainRequest } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import {
  anthropic,
  assistant,
  type Body,
  call,
  fn,
  mark,
  post,
  responses,
  result,
  text,
  tokens,
  tool,
  user,
} from "./builders.ts";

const zeta = (more: Body = {}) => tool("zeta", { description: "finds zetas", ...more });
const refers = (...names: readonly string[]) => names.map((tool_name) => ({ type: "tool_reference", tool_name }));

async function seenBy(wire: "anthropic" | "responses", body: Body, reply: BrainReply = { text: "ok" }) {
  const seen: BrainRequest[] = [];
  const simulation = createSimulation({
    brain: (request) => {
      seen.push(request);
      return reply;
    },
  });
  const outcome = await simulation.handle(post(wire, body), 0);
  expect(outcome.status).toBe(200);
  return { request: seen[0], answer: outcome.frames.join("") };
}

describe("Anthropic: tools that are deferred (PROTOCOLS A.7)", () => {
  const found = [user("x"), assistant([call("a")]), user([result("a", { content: refers("zeta") })])];

  test("the model sees one only where it was referred to, and there reads its definition", async () => {
    const tools = [tool("Read"), zeta({ defer_loading: true }), tool("eta", { defer_loading: true })];
    const before = await seenBy("anthropic", anthropic({ tools, messages: [user("x")] }));
    expect(before.request?.tools.map(({ name }) => name)).toEqual(["Read"]);
    const after = await seenBy("anthropic", anthropic({ tools, messages: found }));
    expect(after.request?.tools.map(({ name }) => name)).toEqual(["Read", "zeta"]);
    expect(after.request?.messages.at(-1)?.parts).toEqual([
      { type: "result", id: "a", text: JSON.stringify(zeta()), isError: false },
    ]);
  });

  test("one that nothing refers to costs nothing, one that changes costs all behind its reference", async () => {
    const lane = (tools: readonly unknown[], more: readonly unknown[]) =>
      anthropic({
        tools: [tool("Read", { description: tokens(1_500) }), ...tools],
        messages: [...found, assistant("a"), user([text(tokens(400), mark())]), ...more],
      });
    const more = [assistant("b"), user([text("c", mark())])];
    const causes = async (first: readonly unknown[], next: readonly unknown[]) => {
      const simulation = createSimulation({ brain: () => ({ text: "ok" }) });
      const all = [lane(first, []), lane(next, more)];
      for (const [at, body] of all.entries())
        expect((await simulation.handle(post("anthropic", body), at)).status).toBe(200);
      return simulation.requests().at(-1)?.missCause;
    };
    const hidden = { defer_loading: true };
    expect(await causes([zeta(hidden)], [zeta(hidden), tool("eta", hidden)])).toBeNull();
    expect(await causes([zeta(hidden)], [zeta({ ...hidden, description: "finds more" })])).toBe("tools-changed");
    expect(await causes([zeta(hidden)], [zeta({ ...hidden, strict: false })])).toBe("tools-changed");
  });
});

describe("Responses: a search that the client runs (PROTOCOLS B.5)", () => {
  const search = {
    type: "tool_search",
    execution: "client",
    description: "finds tools",
    parameters: { type: "object", properties: { query: { type: "string" } } },
  };
  const called = { type: "tool_search_call", call_id: "s1", execution: "client", arguments: { query: "zeta" } };
  const output = (...tools: readonly unknown[]) => ({
    type: "tool_search_output",
    call_id: "s1",
    execution: "client",
    status: "completed",
    tools,
  });

  test("the model sees the search as a tool of that name, and what a search found; not what is only deferred", async () => {
    const tools = [search, fn("eta", { defer_loading: true })];
    const input = [user("x"), called, output(fn("zeta", { defer_loading: true }))];
    const { request } = await seenBy("responses", responses({ tools, input }));
    expect(request?.tools.map(({ name }) => name)).toEqual(["ToolSearch", "zeta"]);
    expect(request?.tools[0]).toMatchObject({ description: "finds tools", schema: search.parameters });
    expect(request?.messages.flatMap(({ parts }) => parts)[1]).toEqual({
      type: "call",
      id: "s1",
      tool: "ToolSearch",
      input: { query: "zeta" },
    });
  });

  test("a call of it is an item of its own kind; where none is declared, a call of a function", async () => {
    const reply: BrainReply = { calls: [{ tool: "ToolSearch", input: { query: "zeta" }, id: "s9" }] };
    const declared = await seenBy("responses", responses({ tools: [search] }), reply);
    expect(JSON.parse(declared.answer).output).toEqual([
      {
        type: "tool_search_call",
        execution: "client",
        status: "completed",
        arguments: { query: "zeta" },
        id: expect.stringMatching(/^tsc_/),
        call_id: "s9",
      },
    ]);
    const plain = await seenBy("responses", responses({ tools: [fn("ToolSearch")] }), reply);
    expect(JSON.parse(plain.answer).output).toMatchObject([{ type: "function_call", name: "ToolSearch" }]);
  });
});
