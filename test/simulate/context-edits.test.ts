import { describe, expect, test } from "vitest";
import { isRecord } from "../../src/kernel/canonical.ts";
import { parseJson } from "../../src/kernel/json.ts";
import type { BrainRequest } from "../../src/testing/simulate/brain.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { anthropicHeaders, assistant, type Body, call, mark, post, result, text, tokens, user } from "./builders.ts";

const beta = { "anthropic-beta": "context-management-2025-06-27" };

/** So many uses of a tool, each with a result of about a thousand tokens. */
function worked(uses: number, name = "Read"): readonly Body[] {
  return Array.from({ length: uses }, (_, at) => [
    assistant([call(`${name}${at}`, { name, input: { path: `file-${at}` } })]),
    user([result(`${name}${at}`, { content: tokens(1_000) })]),
  ]).flat();
}

function service() {
  const seen: BrainRequest[] = [];
  const simulation = createSimulation({
    brain: (request) => {
      seen.push(request);
      return { text: "ok" };
    },
  });
  const send = async (messages: readonly Body[], edits: readonly Body[] | null, path = "/v1/messages") => {
    const more = edits === null ? {} : { context_management: { edits } };
    const body = { model: "sim-plain", max_tokens: 100, messages, ...more };
    const request = { ...post("anthropic", body), path, headers: { ...anthropicHeaders, ...beta } };
    const outcome = await simulation.handle(request, 0);
    const parsed = parseJson(outcome.frames.join(""));
    const answer = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    const record = simulation.requests().at(-1);
    return { status: outcome.status, answer, record, applied: appliedIn(answer) };
  };
  const results = () =>
    (seen.at(-1)?.messages ?? []).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "result" ? [part.text.startsWith("[Old") ? "cleared" : "whole"] : [])),
    );
  const inputs = () =>
    (seen.at(-1)?.messages ?? []).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "call" ? [JSON.stringify(part.input)] : [])),
    );
  return { send, results, inputs };
}

function appliedIn({ context_management: given }: Body): readonly Body[] {
  return isRecord(given) && Array.isArray(given.applied_edits) ? given.applied_edits : [];
}

const clear = (more: Body = {}) => ({
  type: "clear_tool_uses_20250919",
  trigger: { type: "input_tokens", value: 3_000 },
  ...more,
});

describe("PROTOCOLS A.4: results of tools that the service clears", () => {
  test("from the trigger on, all but the newest three give way to a placeholder; the response says how much that was", async () => {
    const { send, results } = service();
    const whole = await send([user("x"), ...worked(5)], null);
    expect(results()).toEqual(["whole", "whole", "whole", "whole", "whole"]);
    const { applied, record } = await send([user("x"), ...worked(5)], [clear()]);
    expect(results()).toEqual(["cleared", "cleared", "whole", "whole", "whole"]);
    const cleared = Number(whole.record?.promptTokens) - Number(record?.promptTokens);
    expect(cleared).toBeGreaterThan(1_900);
    expect(applied).toEqual([
      { type: "clear_tool_uses_20250919", cleared_input_tokens: cleared, cleared_tool_uses: 2 },
    ]);
  });

  test("below the trigger nothing is cleared, and an edit that did nothing is not reported", async () => {
    const { send, results } = service();
    const { applied, answer } = await send([user("x"), ...worked(5)], [clear({ trigger: undefined })]);
    expect(results()).not.toContain("cleared");
    expect([applied, answer.context_management]).toEqual([[], { applied_edits: [] }]);
  });

  test.each<[string, Body, readonly string[]]>([
    ["a trigger may count uses", { trigger: { type: "tool_uses", value: 5 } }, []],
    ["and is met by more than it says", { trigger: { type: "tool_uses", value: 4 } }, ["cleared", "cleared"]],
    [
      "fewer or none may be kept",
      { keep: { type: "tool_uses", value: 1 } },
      ["cleared", "cleared", "cleared", "cleared"],
    ],
    ["nothing is done for less than it should clear", { clear_at_least: { type: "input_tokens", value: 2_500 } }, []],
    ["but for enough", { clear_at_least: { type: "input_tokens", value: 1_500 } }, ["cleared", "cleared"]],
    ["some tools are left alone", { exclude_tools: ["Read"] }, []],
  ])("%s", async (_name, more, cleared) => {
    const { send, results } = service();
    await send([user("x"), ...worked(5)], [clear(more)]);
    expect(results().filter((one) => one === "cleared")).toEqual(cleared);
    expect(results().slice(0, cleared.length)).toEqual(cleared);
  });

  test("tools left alone do not count among those that are kept", async () => {
    const { send, results } = service();
    await send([user("x"), ...worked(4), ...worked(2, "Memory")], [clear({ exclude_tools: ["Memory"] })]);
    expect(results()).toEqual(["cleared", "whole", "whole", "whole", "whole", "whole"]);
  });

  test("inputs go only where that is asked for", async () => {
    const { send, inputs } = service();
    const cleared = async (clear_tool_inputs: unknown) => {
      await send([user("x"), ...worked(5)], [clear({ clear_tool_inputs })]);
      return inputs().filter((input) => input === "{}").length;
    };
    expect([await cleared(false), await cleared(true), await cleared(["Read"]), await cleared(["Bash"])]).toEqual([
      0, 2, 2, 0,
    ]);
  });

  test("the cache is lost from the place where it cleared, and holds where nothing new is cleared", async () => {
    const { send } = service();
    const marked = (messages: readonly Body[]) => [...messages, user([text("go on", mark())])];
    const first = [user(tokens(2_000)), ...worked(4)];
    const before = await send(marked(first), [clear()]);
    const same = await send(marked(first), [clear()]);
    expect(same.record?.readTokens).toBe(before.record?.write5mTokens);
    const more = await send(marked([...first, ...worked(1, "Grep")]), [clear()]);
    expect(more.record?.missCause).toBe("messages-changed");
    expect(more.record?.readTokens).toBe(0);
  });

  test("a prompt that fits only after clearing is accepted", async () => {
    const { send } = service();
    const huge = Array.from({ length: 5 }, (_, at) => [
      assistant([call(`c${at}`)]),
      user([result(`c${at}`, { content: tokens(60_000) })]),
    ]).flat();
    expect((await send([user("x"), ...huge], null)).status).toBe(400);
    expect((await send([user("x"), ...huge], [clear()])).status).toBe(200);
  });

  test("counting says how much it was before", async () => {
    const { send } = service();
    const messages = [user("x"), ...worked(5)];
    const count = async (edits: readonly Body[] | null) =>
      (await send(messages, edits, "/v1/messages/count_tokens")).answer;
    const [whole, cleared] = [await count(null), await count([clear()])];
    expect(cleared.context_management).toEqual({ original_input_tokens: whole.input_tokens });
    expect(Number(cleared.input_tokens)).toBeLessThan(Number(whole.input_tokens) - 1_900);
  });
});

describe("PROTOCOLS A.4: thinking that the service clears", () => {
  const thinking = { type: "clear_thinking_20251015" };

  async function thought(keep: unknown) {
    const simulation = createSimulation({
      brain: (request) => ({ reasoning: `${request.served} ${tokens(500)}`, text: "ok" }),
    });
    const send = async (messages: readonly Body[], more: Body = {}) => {
      const asked = { thinking: { type: "adaptive", display: "summarized" } };
      const body = { model: "sim-bound", max_tokens: 2_000, messages, ...asked, ...more };
      const request = { ...post("anthropic", body), headers: { ...anthropicHeaders, ...beta } };
      const parsed = parseJson((await simulation.handle(request, 0)).frames.join(""));
      return parsed.type === "ok" && isRecord(parsed.value) ? parsed.value : {};
    };
    let messages: readonly Body[] = [user("start")];
    for (let turn = 0; turn < 4; turn += 1)
      messages = [...messages, assistant((await send(messages)).content), user(`go on ${turn}`)];
    const edit = { ...thinking, ...(keep === undefined ? {} : { keep }) };
    const answer = await send(messages, { context_management: { edits: [edit] } });
    const shown = simulation
      .requests()
      .at(-1)
      ?.segments.filter(({ kind }) => kind === "reasoning").length;
    const next = await send([...messages, assistant(answer.content), user("on")]);
    return { shown, applied: appliedIn(answer)[0], transformations: next.input_transformations };
  }

  test.each<[unknown, number]>([
    [undefined, 1],
    [{ type: "thinking_turns", value: 3 }, 3],
    [{ type: "thinking_turns", value: 9 }, 4],
    ["all", 4],
    [{ type: "all" }, 4],
  ])("keep %j leaves that of so many turns, whatever the prompt's size", async (keep, left) => {
    const { shown, applied } = await thought(keep);
    expect(shown).toBe(left);
    if (left === 4) expect(applied).toBeUndefined();
    else expect(applied).toMatchObject({ type: thinking.type, cleared_thinking_turns: 4 - left });
  });

  test("the client keeps and sends the whole; that the service cleared is no change of the prefix", async () => {
    expect((await thought(undefined)).transformations).toEqual([]);
  });
});

test("a stream reports edits at its end", async () => {
  const simulation = createSimulation({ brain: () => ({ text: "ok" }) });
  const context_management = { edits: [clear()] };
  const body = { model: "sim-plain", max_tokens: 100, stream: true, messages: [user("x"), ...worked(5)] };
  const request = post("anthropic", { ...body, context_management });
  const { frames } = await simulation.handle({ ...request, headers: { ...request.headers, ...beta } }, 0);
  const reports = frames.filter((frame) => frame.includes("applied_edits"));
  expect(reports).toHaveLength(1);
  expect(reports[0]).toMatch(/^event: message_delta\n.*"cleared_tool_uses":2/);
});
