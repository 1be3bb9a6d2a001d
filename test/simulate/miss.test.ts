import { describe, expect, test } from "vitest";
import { scriptedBrain } from "../../src/testing/simulate/brains.ts";
import type { MissCause } from "../../src/testing/simulate/miss.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import { anthropic, assistant, type Body, mark, post, text, tokens, tool, user } from "./builders.ts";

const minute = 60_000;
const head = { system: [text(tokens(1_200), mark())] };
const turn = (n: number) => [user(`question ${n} ${tokens(300)}`), assistant(`answer ${n}`)];
/** A lane of `n` finished turns and one open question, its last block marked. */
const lane = (n: number, more: Body = {}, lead: readonly unknown[] = []) =>
  anthropic({
    ...head,
    messages: [
      ...lead,
      ...Array.from({ length: n }, (_, i) => turn(i)).flat(),
      user([text(`question ${n} ${tokens(300)}`, mark())]),
    ],
    ...more,
  });
const named = { metadata: { user_id: "lane-1" } };

async function causes(steps: readonly (readonly [at: number, body: Body])[]): Promise<readonly (MissCause | null)[]> {
  const simulation = createSimulation({ brain: scriptedBrain([]) });
  for (const [at, body] of steps) expect((await simulation.handle(post("anthropic", body), at)).status).toBe(200);
  return simulation.requests().map((record) => record.missCause);
}

describe("the simulator names the cause of each miss from its own cut (METRICS 7)", () => {
  const rows: readonly {
    readonly name: string;
    readonly steps: readonly (readonly [number, Body])[];
    readonly want: readonly (MissCause | null)[];
  }[] = [
    {
      name: "the first request of all is cold, one that only grows is no miss",
      steps: [
        [0, lane(0)],
        [1, lane(1)],
        [2, lane(2)],
      ],
      want: ["cold-start", null, null],
    },
    {
      name: "idle for longer than the lifetime",
      steps: [
        [0, lane(0)],
        [5 * minute, lane(1)],
      ],
      want: ["cold-start", "expired"],
    },
    {
      name: "expired comes before what also changed",
      steps: [
        [0, lane(0)],
        [5 * minute, lane(1, { system: "other" })],
      ],
      want: ["cold-start", "expired"],
    },
    {
      name: "another model",
      steps: [
        [0, lane(0)],
        [1, lane(1, { model: "claude-sonnet-4-6" })],
      ],
      want: ["cold-start", "model-changed"],
    },
    {
      name: "thinking switched on",
      steps: [
        [0, lane(0)],
        [1, lane(1, { max_tokens: 9_000, thinking: { type: "enabled", budget_tokens: 2_000 } })],
      ],
      want: ["cold-start", "key-changed"],
    },
    {
      name: "a tool more",
      steps: [
        [0, lane(0)],
        [1, lane(1, { tools: [tool("a")] })],
      ],
      want: ["cold-start", "tools-changed"],
    },
    {
      name: "other system text",
      steps: [
        [0, lane(0)],
        [1, lane(1, { system: [text(`${tokens(1_199)}!`, mark())] })],
      ],
      want: ["cold-start", "system-changed"],
    },
    {
      name: "an edit in the middle of the conversation",
      steps: [
        [0, lane(3)],
        [
          1,
          {
            ...lane(4),
            messages: [
              ...turn(0),
              user("edited"),
              assistant("answer 1"),
              ...turn(2),
              ...turn(3),
              user([text("x", mark())]),
            ],
          },
        ],
      ],
      want: ["cold-start", "messages-changed"],
    },
    {
      name: "an edit of the very first message",
      steps: [
        [0, lane(3)],
        [
          1,
          {
            ...lane(3),
            messages: [user("edited"), assistant("answer 0"), ...turn(1), ...turn(2), user([text("x", mark())])],
          },
        ],
      ],
      want: ["cold-start", "messages-changed"],
    },
    {
      name: "a summary in place of everything, in a lane with a name",
      steps: [
        [0, lane(5, named)],
        [1, anthropic({ ...head, ...named, messages: [user([text("summary", mark())])] })],
      ],
      want: ["cold-start", "messages-changed"],
    },
    {
      name: "a marker out of reach of the last one",
      steps: [
        [0, lane(4, { system: "" })],
        [1, lane(5, { system: "" })],
        [2, lane(16, { system: "" })],
      ],
      want: ["cold-start", null, "look-back"],
    },
    {
      name: "markers left away",
      steps: [
        [0, lane(0)],
        [1, anthropic({ system: [text(tokens(1_200))], messages: [...turn(0), user("x")] })],
      ],
      want: ["cold-start", "look-back"],
    },
    {
      name: "never asked to cache",
      steps: [
        [0, anthropic()],
        [1, anthropic({ messages: [user("hello"), assistant("a"), user("b")] })],
      ],
      want: [null, null],
    },
    {
      name: "too small to be cached",
      steps: [
        [0, anthropic(mark())],
        [1, anthropic({ ...mark(), messages: [user("hello"), assistant("a"), user("b")] })],
      ],
      want: ["cold-start", "below-minimum"],
    },
    {
      name: "the same request again, after a broken answer",
      steps: [
        [0, lane(2)],
        [1, lane(2)],
      ],
      want: ["cold-start", null],
    },
    {
      name: "a side request beside the lane, and the lane after it",
      steps: [
        [0, lane(1)],
        [1, lane(2, {}, [])],
        [2, lane(3)],
      ],
      want: ["cold-start", null, null],
    },
    {
      name: "going back to an earlier state that is still cached",
      steps: [
        [0, lane(1)],
        [1, lane(2)],
        [2, lane(1)],
      ],
      want: ["cold-start", null, null],
    },
    {
      name: "a fresh lane that shares the head reads it, which is no miss",
      steps: [
        [0, lane(2)],
        [1, anthropic({ ...head, messages: [user([text("another task", mark())])] })],
      ],
      want: ["cold-start", null],
    },
    {
      name: "a fresh lane that shares nothing is cold",
      steps: [
        [0, lane(2)],
        [1, anthropic({ system: "reviewer", messages: [user([text(tokens(1_500), mark())])] })],
      ],
      want: ["cold-start", "cold-start"],
    },
    {
      name: "two lanes in turn do not disturb each other",
      steps: [
        [0, lane(0)],
        [1, anthropic({ system: "reviewer", messages: [user([text(tokens(1_500), mark())])] })],
        [2, lane(1)],
        [
          3,
          anthropic({ system: "reviewer", messages: [user(tokens(1_500)), assistant("a"), user([text("b", mark())])] }),
        ],
      ],
      want: ["cold-start", "cold-start", null, null],
    },
  ];
  test.each(rows)("$name", async ({ steps, want }) => {
    expect(await causes(steps)).toEqual(want);
  });
});

describe("the provider's own diagnosis against an earlier answer (A.2)", () => {
  async function diagnosis(before: Body, after: Body, id?: string) {
    const simulation = createSimulation({ brain: scriptedBrain([]) });
    const one = JSON.parse(
      (await simulation.handle(post("anthropic", { ...before, diagnostics: { previous_message_id: null } }), 0))
        .frames[0] ?? "",
    );
    expect(one.diagnostics).toBeNull();
    const asked = { ...after, diagnostics: { previous_message_id: id ?? one.id } };
    return JSON.parse((await simulation.handle(post("anthropic", asked), 1)).frames[0] ?? "").diagnostics;
  }

  test.each([
    ["nothing diverged", lane(0), lane(1), null],
    ["the system text", lane(0), lane(1, { system: "other" }), "system_changed"],
    ["the tools", lane(0), lane(1, { tools: [tool("a")] }), "tools_changed"],
    ["the model", lane(0), lane(1, { model: "claude-sonnet-4-6" }), "model_changed"],
    ["a message", lane(1), lane(1, {}, [user("new first")]), "messages_changed"],
    ["the thinking settings", lane(0), lane(1, { thinking: { type: "adaptive" } }), "unavailable"],
  ])("%s", async (_name, before, after, type) => {
    const found = await diagnosis(before, after);
    expect(found === null ? null : found.cache_miss_reason.type).toBe(type);
  });

  test("an answer nobody knows", async () => {
    expect(await diagnosis(lane(0), lane(1), "msg_unknown")).toEqual({
      cache_miss_reason: { type: "previous_message_not_found" },
    });
  });
});
