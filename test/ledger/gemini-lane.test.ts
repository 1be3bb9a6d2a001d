import { expect, test } from "vitest";
import type { ModelChoice } from "../../src/log/entry.ts";
import { meteredLane } from "../support/metered-lane.ts";
import { fakeTool } from "../support/world.ts";

const choice = (model: string, effort: ModelChoice["effort"] = null): ModelChoice => ({
  wire: "gemini",
  model,
  effort,
  thinking: "adaptive",
  outputTokensMax: 4_000,
});
const tools = [fakeTool("look", true, async () => "word ".repeat(400), "whole")];
const looks = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    reasoning: "hm ".repeat(n),
    text: `step ${n}`,
    calls: [{ tool: "look", input: {} }],
  }));

test.each([
  ["gemini-4-argon", 8],
  ["gemini-3.5-flash", 8],
  ["gemini-2.5-pro", 3],
  ["sim-gemini", 8],
])(
  "%s: our account and the service's agree, below the minimum, on hits, on a new effort and after a restart (PROTOCOLS C.1)",
  async (model, below) => {
    const replies = [...looks(12), { text: "done" }, { text: "again" }, { text: "late" }];
    const lane = await meteredLane({ choice: choice(model), tools, replies });
    await lane.session.prompt("go");
    await lane.session.chooseModel(choice(model, "low"));
    await lane.session.prompt("and");
    await lane.reopen();
    await lane.session.prompt("and now");
    const causes = await lane.causes();
    expect(causes).toEqual(["cold-start", ...Array(below).fill("below-minimum"), ...Array(14 - below).fill("none")]);
  },
);
