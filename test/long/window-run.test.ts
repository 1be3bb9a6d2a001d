import { describe, expect, test } from "vitest";
import { estimate } from "../../src/budget/count.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import type { ModelChoice } from "../../src/log/entry.ts";
import { defaultCaps } from "../../src/workspace/context-budget.ts";
import { asked, messageOf, playWindow, rule, told, type WindowRun } from "./window-session.ts";

const model: ModelChoice = { wire: "chat", model: "sim-llama", thinking: "off", effort: null, outputTokensMax: 500 };
const turns = 300;

const entriesOf = <T extends WindowRun["entries"][number]["type"]>({ entries }: WindowRun, type: T) =>
  entries.flatMap((entry) => (entry.type === type ? [entry as Extract<typeof entry, { readonly type: T }>] : []));

describe.each([
  { name: "8k, by itself", windowTokens: 8_000 },
  { name: "32k, by the setting", windowTokens: 32_000, memory: "window" as const },
])("M-60 to M-64 · 300 turns in a window that slides, $name", ({ windowTokens, memory }) => {
  test("nothing is too long, the rule of turn 1 is in every request, and what was said 200 turns ago is found with its source", async () => {
    const run = await playWindow({ turns, windowTokens, model, ...(memory === undefined ? {} : { memory }) });
    expect(run.ends.filter((end) => end !== "done")).toEqual([]);
    expect(entriesOf(run, "request-failed")).toEqual([]);
    const breaks = entriesOf(run, "epoch-opened").map(({ reason }) => reason);
    expect(new Set(breaks.slice(1))).toEqual(new Set(["window-slid"]));
    // In batches: far fewer slides than turns.
    expect(breaks.length).toBeLessThan(turns / 4);
    expect(run.steps.filter(({ body }) => !body.includes(rule))).toEqual([]);
    expect(run.steps.filter(({ turn, body }) => !body.includes(messageOf(turn)))).toEqual([]);
    const made = entriesOf(run, "summary-made").map(({ text }) => estimate(String(text)));
    expect(made.length).toBeGreaterThanOrEqual(Math.floor(turns / bounds.rollingRounds) - 1);
    expect(Math.max(...made)).toBeLessThanOrEqual(defaultCaps.summaryTokens);
    const [question] = run.steps.filter(({ turn }) => turn === asked.turn);
    expect(question?.body).not.toContain(told.port);
    expect(run.answers[asked.turn]).toMatch(new RegExp(`listens on port ${told.port}.*source: [0-9a-f]{12}`));
  }, 300_000);
});
