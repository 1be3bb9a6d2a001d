import { describe, expect, test } from "vitest";
import { laneReport } from "../../src/agent/context-of.ts";
import { settled } from "../../src/agent/pointers.ts";
import { clearingWarning } from "../../src/agent/provider-clearing.ts";
import { asksProvider } from "../../src/agent/provider-summary.ts";
import { type Reductions, reductionsIn, usualReductions } from "../../src/agent/reductions.ts";
import { textCache } from "../../src/agent/texts.ts";
import { previewText } from "../../src/cli/compact-text.ts";
import { entryLine } from "../../src/cli/entry-line.ts";
import { hashOf } from "../../src/kernel/hash.ts";
import { brand } from "../../src/kernel/ids.ts";
import { promptTokensOf } from "../../src/kernel/usage.ts";
import { contextText } from "../../src/ledger/context-text.ts";
import type { EntryBody, ModelChoice } from "../../src/log/entry.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { createAnthropicCodec } from "../../src/provider/anthropic/codec.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import { sharedPrefix } from "../../src/testing/simulate/segment.ts";
import { type MeteredLane, meteredLane } from "../support/metered-lane.ts";
import { faulty, worked } from "../support/summing-service.ts";
import { fakeTool, stream, testModel } from "../support/world.ts";

const byProvider: Reductions = { ...usualReductions, clearing: "provider", summaries: "off" };
const choice = (model: string, more: Partial<ModelChoice> = {}): ModelChoice => ({
  wire: "anthropic",
  model,
  effort: null,
  thinking: "adaptive",
  outputTokensMax: 4_000,
  ...more,
});
const sonnet = choice("claude-sonnet-5-5");
/** Reasoning whose prefix changed is an error here. */
const strict = createAnthropicCodec({ onMismatch: "error" });

/** Half of each result every other has as well: what pointers would lead to. */
const listing = Array.from({ length: 30 }, (_, at) => `src/part-${at}.ts exports part${at} for the others of its kind`);
const own = (n: unknown) =>
  Array.from(
    { length: 40 },
    (_, at) => `${n}.${at} a row that nothing else has, with words of its own ${Number(n) * at}`,
  );
const look = fakeTool("Bash", true, async ({ n }) => [...listing, ...own(n)].join("\n"), "range");
const todo = fakeTool("TodoWrite", false, async () => "the list is written: word for word, it never goes");

/** Turns of twenty answers; `words` is how much each of them says. */
function replies(steps: number, words = 5): readonly BrainReply[] {
  const said = (n: number) => Array.from({ length: words }, (_, at) => `word${(n * at) % 97}`).join(" ");
  return Array.from({ length: steps }, (_, n) => {
    if (n % 20 === 19) return { text: `done with part ${n}: ${said(n)}` };
    const tool = n === 2 ? "TodoWrite" : "Bash";
    return { reasoning: `thinking of ${n}: ${said(n)}`, calls: [{ tool, input: { n } }] };
  });
}

async function played(more: Partial<Parameters<typeof meteredLane>[0]> = {}, turns = 3): Promise<MeteredLane> {
  const lane = await meteredLane({
    choice: sonnet,
    replies: replies(400),
    tools: [look, todo],
    reductions: byProvider,
    windowTokens: 40_000,
    codecFor: (wire) => (wire === "anthropic" ? strict : codecFor(wire)),
    simulated: { windowTokens: 40_000 },
    ...more,
  });
  await goOn(lane, turns);
  return lane;
}

async function goOn(lane: MeteredLane, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) expect((await lane.session.prompt(`part ${turn}`)).reason).toBe("done");
}

const askedIn = ({ body }: SimRecord) => /"context_management":\{.*?\]\}/.exec(body)?.[0] ?? null;
const cleared = async ({ world }: MeteredLane) =>
  (await world.entries()).flatMap((entry) => (entry.type === "response-received" ? (entry.cleared ?? []) : []));
const breaks = async ({ world }: MeteredLane) =>
  (await world.entries()).flatMap((entry) => (entry.type === "epoch-opened" ? [entry] : []));

/** How much larger than predicted, margin included, each prompt was; none may be. */
async function above({ world }: MeteredLane): Promise<readonly number[]> {
  const entries = await world.entries();
  return entries.flatMap((sent) => {
    if (sent.type !== "request-sent") return [];
    const answer = entries.find((entry) => entry.type === "response-received" && entry.request === sent.request);
    if (answer?.type !== "response-received" || answer.usage === null) return [];
    const over = promptTokensOf(answer.usage) - sent.predicted.promptTokens - sent.predicted.marginTokens;
    return over > 0 ? [over] : [];
  });
}

function sound({ simulation }: MeteredLane): void {
  const records = simulation.requests();
  expect(records.filter(({ status, overflow }) => status !== 200 || overflow)).toEqual([]);
  expect(records.flatMap(({ dropped }) => dropped)).toEqual([]);
}

describe("clearing by the provider", () => {
  let first: Promise<MeteredLane> | null = null;
  const usual = () => {
    first ??= played();
    return first;
  };

  test("requests ask for the same all through an epoch and only grow; what was cleared stands in the log, and is in no forecast", async () => {
    const lane = await usual();
    sound(lane);
    const records = lane.simulation.requests();
    expect(new Set(records.map(askedIn)).size).toBe(1);
    expect(askedIn(records[0] as SimRecord)).toContain('"exclude_tools":["TodoWrite"]');
    const lists = records.map(({ wire, body }) => cut(wire, body));
    for (const [at, list] of lists.slice(1).entries())
      expect(sharedPrefix(lists[at] ?? [], list)).toBe(lists[at]?.length);
    expect((await breaks(lane)).map(({ reason }) => reason)).toEqual(["start"]);
    expect((await cleared(lane)).length).toBeGreaterThan(30);
    expect(await above(lane)).toEqual([]);
    // Same causes, and the same tokens, as the service itself has them.
    expect(new Set(await lane.causes())).toEqual(new Set(["cold-start", "none", "break:cleared"]));
    expect((await lane.world.entries()).filter(({ type }) => type === "form-fixed")).toEqual([]);
  });

  test("the log's lines and the view of the window tell it, and the view counts what is left", async () => {
    const lane = await usual();
    const entries = await lane.world.entries();
    const last = (await cleared(lane)).at(-1);
    const lines = entries.map(entryLine).filter((line) => line.includes("provider clear"));
    expect(lines.at(0)).toMatch(/epoch-opened +start; the provider clears from \d+ tokens on$/);
    expect(lines.at(-1)).toContain(`the provider cleared ${last?.results} results, ${last?.tokens} tokens`);
    const { view, rows } = await laneReport(
      lane.world.stores.log.read(stream, null),
      { codecFor, getBlob: lane.world.fx.getBlob },
      { prices: {}, windowFor: () => ({ windowTokens: 40_000 }), now: 0 },
    );
    if (view === null) throw new Error("nothing was sent");
    expect(rows.at(-1)?.cleared).toEqual(last);
    expect(view.cleared).toEqual(last);
    const read = lane.simulation.requests().at(-1)?.promptTokens ?? 0;
    expect(Math.abs(view.usedTokens - read)).toBeLessThan(read * 0.02);
    expect(contextText(view, { width: 80, color: false })).toContain(
      `${last?.results} results cleared by the provider, ${last?.tokens.toLocaleString("en-US")} tokens`,
    );
  });

  test("a process that takes over asks for the same, whatever it is set to, until a break", async () => {
    const lane = await played({}, 2);
    const before = lane.simulation.requests().map(askedIn);
    Object.assign(lane.world.config, { reductions: { ...byProvider, clearing: "off" } });
    await lane.reopen();
    await goOn(lane, 1);
    sound(lane);
    expect(new Set(lane.simulation.requests().map(askedIn))).toEqual(new Set(before));
    expect(await above(lane)).toEqual([]);
    await lane.session.chooseModel(choice("claude-opus-5-5"));
    await goOn(lane, 1);
    expect(lane.simulation.requests().map(askedIn).at(-1)).toBeNull();
  });

  test("a process that names nothing goes on with it, also where it compacts by hand; one that names another is told", async () => {
    const lane = await played({}, 2);
    const taken = async (given: Partial<Reductions>) => {
      const reductions = reductionsIn(lane.session.state(), { summaries: "off", ...given });
      Object.assign(lane.world.config, { reductions });
      await lane.reopen();
      return clearingWarning(lane.session.state(), lane.world.config);
    };
    expect(await taken({})).toBeNull();
    await lane.session.compact();
    await goOn(lane, 1);
    const asked = lane.simulation.requests().map(askedIn);
    expect(new Set(asked).size).toBe(1);
    expect(asked.at(-1)).not.toBeNull();
    expect(await taken({ clearing: "all" })).toContain("the provider goes on clearing until the prompt is begun anew");
    await lane.session.compact();
    await goOn(lane, 1);
    expect(lane.simulation.requests().map(askedIn).at(-1)).toBeNull();
    expect(await taken({})).toBeNull();
    expect(await taken({ clearing: "provider" })).toContain("Varve's own clearing goes on until");
    sound(lane);
  });

  test("what is not cleared is folded by ours when it fills the window; no prompt is larger than predicted", async () => {
    const windowTokens = 80_000;
    const lane = await played({ replies: replies(400, 250), windowTokens, simulated: { windowTokens } }, 5);
    sound(lane);
    expect((await cleared(lane)).length).toBeGreaterThan(0);
    const reasons = (await breaks(lane)).map(({ reason }) => reason);
    expect(new Set(reasons)).not.toContain("cleared");
    expect(reasons.length).toBeGreaterThan(1);
    expect((await breaks(lane)).every(({ providerClearing }) => providerClearing !== undefined)).toBe(true);
    expect(await above(lane)).toEqual([]);
    await lane.causes();
  });

  test("where a new turn hides the reasoning of the one before, what was cleared may be shown again, and is foreseen", async () => {
    const older = choice("claude-sonnet-4-5", { thinking: { budgetTokens: 2_000 } });
    const lane = await played({ choice: older, replies: replies(400, 120) }, 4);
    sound(lane);
    expect((await cleared(lane)).length).toBeGreaterThan(0);
    expect(await above(lane)).toEqual([]);
    await lane.causes();
  });

  test("a preview is of all that is sent, though the provider read less: the parts add up, and after is as it comes out", async () => {
    const lane = await played({}, 2);
    const preview = (await lane.session.previewCompaction()) ?? never();
    const { tokensBefore, tokensAfter, clearedTokens, goes, stays, headTokens } = preview;
    expect(clearedTokens).toBe((await cleared(lane)).at(-1)?.tokens);
    expect(Math.abs(goes.tokens + stays.tokens + headTokens - tokensBefore - clearedTokens)).toBeLessThan(3);
    const done = await lane.session.compact();
    if (done.type !== "compacted") return expect.fail(done.why);
    expect(done.tokensBefore).toBe(tokensBefore);
    expect(Math.abs(done.tokensAfter - tokensAfter)).toBeLessThan(done.tokensAfter * 0.2);
    expect(previewText(preview, { part: { kind: "all" }, focus: "", why: null })).toMatch(
      /tokens now without the [\d,]+ that the provider clears, about [\d,]+ after/,
    );
    return undefined;
  });

  test("a summary that our ladder asks for is told what it did not see", async () => {
    const lane = await played({ reductions: { ...byProvider, summaries: "model" } });
    await lane.session.compact({ scope: { kind: "all" }, focus: "" });
    const ends = (await lane.world.entries()).flatMap((entry) => (entry.type === "summary-ended" ? [entry] : []));
    expect(ends[0]?.cleared?.results).toBeGreaterThanOrEqual((await cleared(lane)).at(-1)?.results ?? 0);
    expect(ends.map(entryLine)[0]).toContain("the provider cleared");
    sound(lane);
  });

  test.each([
    ["another wire", choice("sim-chat", { wire: "chat", thinking: "off" })],
    ["a server of another make", choice("sim-plain", { thinking: "off" })],
  ])("with %s ours clears instead", async (_name, model) => {
    const lane = await played({ choice: model, windowTokens: 60_000, simulated: { windowTokens: 60_000 } });
    sound(lane);
    expect(new Set(lane.simulation.requests().map(askedIn))).toEqual(new Set([null]));
    expect((await breaks(lane)).map(({ reason }) => reason)).toContain("cleared");
    // Its results lead to each other as ever.
    expect((await lane.world.entries()).some((entry) => entry.type === "form-fixed" && entry.pointers)).toBe(true);
  });
});

test("what the provider has cleared is not sent to be summed up by it: with that request it could not clear", async () => {
  const lane = await played();
  const state = lane.session.state();
  const reductions: Reductions = { ...byProvider, summaries: "provider" };
  const asks = (of: State) => asksProvider({ config: { ...lane.world.config, reductions }, state: () => of });
  expect(state.newest?.cleared?.results).toBeGreaterThan(0);
  expect(asks(state)).toBe(false);
  const { cleared: _, ...newest } = state.newest ?? never();
  expect(asks({ ...state, newest })).toBe(true);
});

function never(): never {
  throw new Error("nothing was answered");
}

test("beside a summary of its own the provider is asked to clear nothing: ours does", async () => {
  const reductions: Reductions = { ...byProvider, summaries: "provider" };
  const given = { windowTokens: 100_000, reductions };
  const { session, requests, world } = await worked("anthropic", "claude-sonnet-5-5", 1, given);
  expect(await session.compact()).toMatchObject({ by: "provider" });
  expect(clearingWarning(session.state(), world.config)).toContain("beside its own summary");
  expect((await session.prompt("task 1")).reason).toBe("done");
  expect(await session.undo()).toMatchObject({ type: "undone" });
  expect((await session.prompt("task 2")).reason).toBe("done");
  expect(faulty(requests())).toEqual([]);
  const withSummary = requests().filter(({ body }) => body.includes('"type":"compaction"'));
  expect(withSummary.length).toBeGreaterThan(1);
  expect(new Set(withSummary.map(askedIn))).toEqual(new Set([null]));
});

test("as long as a result leads to lines of another, an epoch asks for nothing: those may be what would go", async () => {
  const hash = hashOf("x");
  const opened: EntryBody = {
    type: "epoch-opened",
    reason: "effort-changed",
    detail: "",
    head: { tools: hash, system: hash },
    model: testModel,
    userContext: "context",
    edits: [],
    cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
    providerClearing: { triggerTokens: 1_000, keptUses: 10, clearedTokensMin: 1, excludedTools: [] },
  };
  const texts = textCache({ getBlob: async () => null, putBlob: async (text) => hashOf(text) });
  const result = (pointers?: { readonly full: string; readonly points: readonly [] }): State["live"][number] => ({
    id: "1.0",
    role: "user",
    kind: "result",
    block: {
      type: "tool-result",
      callId: brand("c1"),
      tool: "Read",
      text: "lines",
      isError: false,
      ...(pointers === undefined ? {} : { pointers }),
    },
  });
  const asks = async (live: State["live"]) => {
    const [entry] = await settled([opened], { state: () => ({ ...emptyState, live }), texts });
    return entry?.type === "epoch-opened" && entry.providerClearing !== undefined;
  };
  expect(await asks([result()])).toBe(true);
  expect(await asks([result({ full: "all of the lines", points: [] })])).toBe(false);
});
