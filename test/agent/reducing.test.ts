import { expect, test } from "vitest";
import { filesAgain } from "../../src/agent/files-again.ts";
import type { Lane } from "../../src/agent/lane.ts";
import type { Prompt } from "../../src/agent/prompt.ts";
import { rides } from "../../src/agent/reducing.ts";
import { noReductions, type Reductions, usualReductions } from "../../src/agent/reductions.ts";
import { clearable } from "../../src/agent/signatures.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { wires } from "../../src/kernel/usage.ts";
import type { Piece } from "../../src/log/block.ts";
import { emptyState } from "../../src/log/state.ts";
import type { Model } from "../../src/ports/model.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { fakeTool, testModel, testWorld } from "../support/world.ts";

const forecast = { promptTokens: 10_000, marginTokens: 500, autoTokens: 0, lineTokens: 100_000, fixedTokens: 0 };

const promptOf = (pieces: readonly Piece[], usableTokens: number) =>
  // Only what is asked of a prompt here.
  ({ doc: { pieces }, forecast: { ...forecast, usableTokens } }) as unknown as Prompt;

test("a summary rides where the request and the message that asks for it fit, to the token", () => {
  const fits = 10_500 + bounds.summaryAskTokens;
  expect(rides(promptOf([], fits), emptyState)).toBe(true);
  expect(rides(promptOf([], fits - 1), emptyState)).toBe(false);
});

const read = (path: string, n: number): Piece => ({
  id: `${n}.0`,
  role: "assistant",
  from: "anthropic",
  block: { type: "tool-call", callId: brand(`c${n}`), tool: "Read", input: JSON.stringify({ path }) },
});

test("files used last are shown again by what they hold now: the newest, a bounded number, none that is still in the prompt", async () => {
  const paths = Array.from({ length: bounds.filesAgainMax + 3 }, (_, n) => `/w/app/src/file-${n}.ts`);
  const texts = new Map(paths.map((path) => [path, `content of ${path} </file> 漢字`]));
  const seen = (path: string) => ({ hash: hashOf(texts.get(path) ?? ""), announced: null });
  const state = { ...emptyState, files: Object.fromEntries(paths.map((path) => [path, seen(path)])) };
  const asked: string[] = [];
  const lane = {
    state: () => state,
    texts: { keep: async (text: string) => text },
    fx: {
      fileText: async (path: string) => {
        asked.push(path);
        return texts.get(path) ?? null;
      },
    },
  } as unknown as Lane;
  const pieces = paths.map(read);
  const drops = [[0, paths.length - 2]] as const;
  const fold = { type: "fold", drops, block: null, reasoningTokensLost: 0 } as const;
  const plan = { type: "break", reason: "compacted", fold, clips: [] } as const;
  const [entry] = await filesAgain(promptOf(pieces, 0), plan, 10_000, lane);
  const text = entry?.type === "reminder-added" ? entry.text : "";
  // The newest still stands in the prompt; of the others the newest come first.
  expect(asked).toEqual(paths.slice(0, -1).toReversed().slice(0, bounds.filesAgainMax));
  expect(String(text).match(/^<file path=/gm)).toHaveLength(bounds.filesAgainMax);
  expect(String(text).match(/^<\/file>$/gm)).toHaveLength(bounds.filesAgainMax);
  expect(await filesAgain(promptOf(pieces, 0), { ...plan, fold: { ...fold, drops: [] } }, 10_000, lane)).toEqual([]);
  // Never more than half of what the compaction saved.
  expect(await filesAgain(promptOf(pieces, 0), plan, 20, lane)).toEqual([]);
  // What it holds now, the model has not seen.
  for (const path of paths) texts.set(path, "a secret of somebody else");
  expect(await filesAgain(promptOf(pieces, 0), plan, 10_000, lane)).toEqual([]);
});

const looking = async (reductions: Reductions) => {
  const listing = Array.from(
    { length: 40 },
    (_, n) => `src/part-${n}.ts exports part${n} for the others of its kind`,
  ).join("\n");
  const own = (command: unknown) => Array.from({ length: 40 }, (_, n) => `${command} ${n}: its own words`).join("\n");
  const tool = fakeTool("Bash", true, async ({ command }) => `${listing}\n${own(command)}`, "range");
  let steps = 0;
  const model: Model = {
    async *stream(request, signal) {
      steps++;
      const calls = [{ id: `c${steps}`, tool: "Bash", input: { command: `npm run look ${steps}` } }];
      const reply = steps > 80 ? { text: "done" } : { calls };
      yield* scriptedModel([{ ...reply, promptTokens: Math.ceil(request.body.length / 4) }]).stream(request, signal);
    },
  };
  const choice = { ...testModel, model: "claude-haiku-5-5" };
  const world = await testWorld({ model, tools: [tool], choice, reductions, stepsMax: 100, windowTokens: 1_000_000 });
  await (await world.open()).prompt("look at all of it");
  const entries = await world.entries();
  return {
    breaks: entries.flatMap((entry) => (entry.type === "epoch-opened" ? [entry.reason] : [])),
    forms: entries.filter(({ type }) => type === "form-fixed").length,
    costs: entries.flatMap((entry) => (entry.type === "epoch-opened" && entry.reason === "cleared" ? [entry] : [])),
  };
};

test("with every reduction off nothing is taken away and nothing leads elsewhere: what the demo compares with", async () => {
  expect(await looking(noReductions)).toEqual({ breaks: ["start"], forms: 0, costs: [] });
});

test("with them on results are cleared where that pays, and the entry says at what price", async () => {
  const { breaks, forms, costs } = await looking(usualReductions);
  expect(breaks).toContain("cleared");
  expect(forms).toBeGreaterThan(0);
  for (const { cost, clearing } of costs) {
    expect(clearing?.prices).toBe("known");
    expect(cost.usd).toBeGreaterThan(0);
    expect(cost.tokensRewritten).toBe(clearing?.behindTokens);
  }
});

test("on Gemini the inputs of calls stay: the parts of an answer are signed together (PROTOCOLS C.2)", () => {
  for (const wire of wires)
    expect(clearable("all", { ...testModel, wire })).toBe(wire === "gemini" ? "results" : "all");
  for (const clearing of ["off", "results"] as const)
    expect(clearable(clearing, { ...testModel, wire: "gemini" })).toBe(clearing);
});
