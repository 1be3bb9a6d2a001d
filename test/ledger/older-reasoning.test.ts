import { expect, test } from "vitest";
import type { ModelChoice } from "../../src/log/entry.ts";
import { meteredLane } from "../support/metered-lane.ts";
import { fakeTool } from "../support/world.ts";

const rows: readonly (readonly [name: string, choice: ModelChoice])[] = [
  [
    "Claude up to 4.5",
    {
      wire: "anthropic",
      model: "claude-sonnet-4-5",
      effort: null,
      thinking: { budgetTokens: 2_000 },
      outputTokensMax: 4_000,
    },
  ],
  [
    "GPT up to 5.5",
    { wire: "responses", model: "gpt-5.5", effort: "medium", thinking: "adaptive", outputTokensMax: 4_000 },
  ],
];

test.each(rows)(
  "%s reads the newest turn's reasoning alone: a new turn costs a miss that says so",
  async (_name, choice) => {
    const reasoning = "A longer thought about what has to be done here. ".repeat(30);
    const look = { reasoning, text: "I look.", calls: [{ tool: "look", input: {} }] };
    const lane = await meteredLane({
      choice,
      tools: [fakeTool("look", true, async () => "seen ".repeat(400))],
      replies: [look, look, { reasoning, text: "done" }, { reasoning, text: "again" }],
    });
    await lane.session.prompt("look around ".repeat(800));
    await lane.session.prompt("and now?");
    expect(await lane.causes()).toEqual(["cold-start", "none", "none", "messages-changed"]);
  },
);
