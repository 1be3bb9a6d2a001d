import { laneReport } from "../../src/agent/context-of.ts";
import type { Effects } from "../../src/agent/effects.ts";
import type { Reductions } from "../../src/agent/reductions.ts";
import type { Session } from "../../src/agent/session.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import type { LedgerRow } from "../../src/ledger/row.ts";
import { cacheRuleOf, toleranceTokens } from "../../src/ledger/rules.ts";
import type { Entry, ModelChoice } from "../../src/log/entry.ts";
import type { Model, WireEvent } from "../../src/ports/model.ts";
import { toolSearchName } from "../../src/prompt/doc.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import type { BrainReply } from "../../src/testing/simulate/brain.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import type { FaultKind } from "../../src/testing/simulate/faults.ts";
import type { SimRecord } from "../../src/testing/simulate/records.ts";
import { sharedPrefix } from "../../src/testing/simulate/segment.ts";
import { createSimulation } from "../../src/testing/simulate/simulation.ts";
import type { Tool, ToolOutcome } from "../../src/tools/tool.ts";
import { foundTools, searchDeclaration } from "./found-tools.ts";
import { simulatedModel } from "./simulated-model.ts";
import { fakeTool, stream, testWorld } from "./world.ts";

/** What a random session may do besides talking: each can be switched off to look at the others alone. */
type Wildness = {
  readonly models: readonly ModelChoice[];
  /** Faults of the simulator, and streams that break off. */
  readonly troubles: boolean;
  /** Interrupts, and processes that die. */
  readonly deaths: boolean;
  readonly windowTokens?: number;
  readonly binding?: "error" | "drop_block" | "off";
  /** Tools return parts of a few texts, which overlap, instead of anything. */
  readonly reads?: true;
  readonly reductions?: Reductions;
  /** Whether the causes of misses are compared too. */
  readonly accounts?: boolean;
  /** Is shown the log and all requests at the end, for a look at what was found. */
  readonly inspect?: (
    entries: readonly Entry[],
    requests: readonly (SimRecord | undefined)[],
    getBlob: Effects["getBlob"],
  ) => void | Promise<void>;
};

/** What went wrong, in words; empty where all rules held. */
type Findings = readonly string[];

const kinds: readonly FaultKind[] = [
  "rate-limit",
  "overloaded",
  "server-error",
  "unavailable",
  "too-large",
  "too-long",
  "stream-error",
  "stream-failed",
  "stream-overflow",
  "early-end",
  "noise",
  "call-without-id",
  "call-with-empty-id",
  "empty-text",
  "unknown-block",
];

/** One session of random moves over all given models; the same seed plays the same session. */
export async function randomSession(seed: number, wild: Wildness): Promise<Findings> {
  const dice = diceOf(seed);
  const found: string[] = [];
  const simulation = createSimulation({
    brain: ({ wire }) => randomReply(dice, wire, wild.reads === true),
    binding: wild.binding ?? "error",
  });
  const sent: { readonly epoch: number; readonly record: () => SimRecord | undefined; readonly model: string }[] = [];
  let dying = false;
  let session: Session;
  const model: Model = {
    async *stream(request, signal) {
      const inner = simulatedModel(simulation, () => world.clock.now());
      const trouble = wild.troubles ? dice.below(14) : 99;
      const death = wild.deaths ? dice.below(25) : 99;
      const events: WireEvent[] = [];
      const epoch = session.state().epoch?.seq ?? 0;
      for await (const event of inner.stream(request, signal)) events.push(event);
      const n = simulation.requests().at(-1)?.n;
      const record = () => simulation.requests().find((one) => one.n === n);
      sent.push({ epoch, record, model: session.state().epoch?.model.model ?? "" });
      const end = trouble === 0 ? dice.below(events.length) : events.length;
      if (death === 0) {
        dying = true;
        await new Promise(() => {});
      }
      for (const [at, event] of events.entries()) {
        if (at >= end) {
          if (dice.below(2) === 0) yield { type: "network-error", message: "cut", timedOut: false };
          return;
        }
        if (death === 1 && at === 1) void session.interrupt("user");
        yield event;
      }
    },
  };
  const run = async (input: Record<string, unknown>): Promise<string> => {
    const death = wild.deaths ? dice.below(40) : 99;
    if (death === 0) {
      dying = true;
      await new Promise(() => {});
    }
    if (death === 1) void session.interrupt("user");
    if (dice.below(6) === 0) await change();
    if (dice.below(12) === 0) void session.prompt(text()).catch(() => {});
    return `${JSON.stringify(input).slice(0, 50)} ${result()}`;
  };
  const look = fakeTool("look", true, run, wild.reads === true ? "range" : "output");
  const write = fakeTool("Write", false, run);
  const shot = fakeTool("shot", true, run);
  const imaging = {
    ...shot,
    parse(input: unknown) {
      const parsed = shot.parse(input);
      if (parsed.type === "bad") return parsed;
      const call = async (...given: Parameters<typeof parsed.call.run>): Promise<ToolOutcome> => ({
        ...(await parsed.call.run(...given)),
        images: [{ mediaType: "image/png", data: png }],
      });
      return { type: "ok" as const, call: { ...parsed.call, run: call } };
    },
  };
  const plainSearch = fakeTool(toolSearchName, true, run);
  const searching: Tool = {
    ...plainSearch,
    declaration: searchDeclaration,
    parse(input: unknown) {
      const parsed = plainSearch.parse(input);
      if (parsed.type === "bad") return parsed;
      const call = async (...given: Parameters<typeof parsed.call.run>): Promise<ToolOutcome> => {
        const outcome = await parsed.call.run(...given);
        const tools = Array.from({ length: dice.below(4) }, () => dice.of(foundTools));
        return tools.length === 0 ? outcome : { ...outcome, notes: [{ type: "revealed", tools }] };
      };
      return { type: "ok" as const, call: { ...parsed.call, run: call } };
    },
  };
  const first = dice.of(wild.models);
  const world = await testWorld({
    model,
    tools: [look, write, imaging, searching],
    choice: first,
    windowTokens: wild.windowTokens ?? 200_000,
    stepsMax: 30,
    ...(wild.reductions === undefined ? {} : { reductions: wild.reductions }),
  });
  session = await world.open();

  const part = () => {
    const [of, from] = [dice.below(3), dice.below(150)];
    const text = Array.from(
      { length: 200 },
      (_, at) => `${at + 1}\tline ${at} of text ${of}, 漢字 and more words of it`,
    );
    return `\n${text.slice(from, from + 10 + dice.below(90)).join("\n")}\n[the end]`;
  };
  const anything = () =>
    dice.of<() => string>([
      () => "",
      () => "ok",
      () => "漢字かな交じり文 🙂👩‍👩‍👧 ".repeat(dice.below(200)),
      () => Array.from({ length: dice.below(400) }, (_, at) => `line ${at * 7} of ${seed}`).join("\n"),
      () => "\ud800 lone \udc00",
    ])();
  const result = wild.reads === true ? part : anything;
  const text = () => dice.of(["go on", "weiter 🙂", "漢".repeat(500), `word ${dice.below(100)} `.repeat(300), " "]);

  async function change(): Promise<void> {
    const what = dice.below(6);
    if (what <= 2) await session.chooseModel(dice.of(wild.models));
    else if (what === 3) await session.chooseMode(dice.of(["plan", "default", "acceptEdits"]));
    else if (what === 4) await session.chooseVerbosity(dice.of(["low", "medium", "high"]));
    else world.observed = [{ key: "date", text: `2026-12-${10 + dice.below(19)}` }, ...world.observed.slice(1)];
  }

  async function settled<T>(work: Promise<T>): Promise<T | "died"> {
    let done = false;
    const end = work.then(
      (value) => {
        done = true;
        return { value };
      },
      (error: unknown) => {
        done = true;
        return { error };
      },
    );
    for (let ticks = 0; !done && !dying; ticks++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (ticks % 20 === 19) await world.clock.advance(2_000);
      if (ticks > 20_000) throw new Error("the session stands still");
    }
    if (dying) return "died";
    const ended = await end;
    if ("error" in ended) throw ended.error;
    return ended.value;
  }

  const turns = 5 + dice.below(6);
  for (let turn = 0; turn < turns; turn++) {
    if (wild.troubles && dice.below(2) === 0)
      simulation.addFaults([
        {
          kind: dice.of(kinds),
          skip: dice.below(4),
          times: 1 + dice.below(2),
          wire: null,
          value: dice.of([null, 2, 40]),
          message: null,
        },
      ]);
    for (let changes = dice.below(3); changes > 0; changes--) await change();
    if (dice.below(5) === 0) await world.clock.advance(dice.of([60_000, 400_000, 4_000_000]));
    try {
      const ended = await settled(dice.below(6) === 0 ? session.resume() : session.prompt(text()));
      if (ended === "died") {
        dying = false;
        session = await world.open(await world.takeOver());
      } else if (ended !== null && !fine.has(ended.reason))
        found.push(`turn ${turn} ended ${ended.reason}: ${ended.detail}`);
    } catch (error) {
      found.push(`turn ${turn} threw ${error instanceof Error ? error.stack : String(error)}`);
      break;
    }
  }
  found.push(...refusals(sent), ...broken(sent), ...(wild.accounts === true ? await differing() : []));
  const records = sent.map(({ record }) => record());
  await wild.inspect?.(await world.entries(), records, world.fx.getBlob);
  return found;

  async function differing(): Promise<Findings> {
    const entries = await world.entries();
    const order = entries.flatMap((one) => (one.type === "request-sent" ? [one.request] : []));
    if (order.length !== sent.length) return [`${order.length} intents and ${sent.length} requests`];
    const { rows } = await laneReport(
      world.stores.log.read(stream, null),
      { codecFor, getBlob: world.fx.getBlob },
      { prices: {}, windowFor: () => null, now: world.clock.now() },
    );
    return rows.flatMap((row) => {
      const at = order.indexOf(row.request);
      const record = sent[at]?.record();
      return record === undefined ? [] : missOf(row, record, at);
    });
  }
}

const fine: ReadonlySet<string> = new Set([
  "done",
  "interrupted",
  "step-limit",
  "window-too-small",
  "permission-refused",
]);

function missOf({ ending, miss, model }: LedgerRow, record: SimRecord, at: number): Findings {
  if (ending !== "received" || record.status !== 200 || miss === "unknown") return [];
  const ours = miss === "none" ? { mechanism: null, tokens: 0, why: "" } : miss;
  const rounding = toleranceTokens(cacheRuleOf(record.wire, model));
  if (ours.mechanism === record.missCause && Math.abs(ours.tokens - record.missTokens) <= rounding) return [];
  return [
    `request ${at} (${record.wire} ${model}): ledger ${ours.mechanism} ${ours.tokens} (${ours.why}), simulator ${record.missCause} ${record.missTokens}`,
  ];
}

type Sent = readonly { readonly epoch: number; readonly record: () => SimRecord | undefined; readonly model: string }[];

function refusals(sent: Sent): Findings {
  return sent.flatMap(({ record }, at) => {
    const violation = record()?.violation;
    return violation == null ? [] : [`request ${at} (${record()?.wire}): ${violation.rule} ${violation.message}`];
  });
}

function broken(sent: Sent): Findings {
  return sent.flatMap(({ epoch, record }, at) => {
    const [before, now] = [sent[at - 1], record()];
    const last = before?.record();
    if (before?.epoch !== epoch || last === undefined || now === undefined) return [];
    const [a, b] = [cut(last.wire, last.body), cut(now.wire, now.body)];
    const shared = sharedPrefix(a, b);
    return shared === a.length ? [] : [`request ${at} (${now.wire}): segment ${shared} of ${a.length} changed`];
  });
}

type Dice = { below(n: number): number; of<T>(list: readonly T[]): T };

function diceOf(seed: number): Dice {
  let state = (seed * 2_654_435_761 + 12_345) >>> 0;
  const below = (n: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return n <= 0 ? 0 : state % n;
  };
  const of = <T>(list: readonly T[]): T => {
    const one = list[below(list.length)];
    if (one === undefined) throw new Error("nothing to choose from");
    return one;
  };
  return { below, of };
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

function randomReply(dice: Dice, wire: Wire, reads: boolean): BrainReply {
  const reasoning: { reasoning?: string } =
    dice.below(2) === 0 ? {} : { reasoning: dice.of(["hm", "考え中 🤔 ".repeat(30), "x".repeat(3_000)]) };
  const what = dice.below(reads ? 30 : 10);
  if (what <= 2) return { ...reasoning, text: dice.of(["done", "終わり 🙂", "long ".repeat(400)]) };
  if (what === 3) return { ...reasoning, text: "" };
  if (what === 4) return { ...reasoning, stop: dice.of(["output-limit", "end"]) };
  const count = dice.of([1, 1, 1, 2, 3, 30]);
  const id = dice.of<string | undefined>([undefined, undefined, "call_0", "a.b c/ü", "", "x".repeat(100)]);
  // Where an id was written anew, the simulator cannot know that there was no reasoning beside it.
  if (id !== undefined && wire === "anthropic" && reasoning.reasoning === undefined)
    Object.assign(reasoning, { reasoning: "hm" });
  const calls = Array.from({ length: count }, () => ({
    tool: dice.of([...(reads ? [] : [toolSearchName, "mcp__s__t2"]), ...names]),
    input: dice.of<unknown>(
      reads
        ? [{ from: dice.below(1_000) }]
        : [...objects, { big: "y".repeat(dice.below(20_000)) }, ...(wire === "gemini" ? [] : odd)],
    ),
    ...(id === undefined ? {} : { id }),
  }));
  return { ...reasoning, ...(dice.below(2) === 0 ? {} : { text: "let me see" }), calls };
}

const names = ["look", "look", "Write", "shot", "nobody", "we ird/näme", "x".repeat(150)];

const objects = [{}, { a: 1 }, { path: "src/漢字.ts", deep: [{ b: null }] }];
/** What arguments should not be. Gemini's are an object by their type. */
const odd = ["text", [1], null, 7];

export const wildModels: readonly ModelChoice[] = (
  [
    ["anthropic", "claude-opus-5-5", "adaptive", null],
    ["anthropic", "claude-opus-5-5", "adaptive", "high"],
    ["anthropic", "claude-sonnet-4-5", { budgetTokens: 2_000 }, null],
    ["anthropic", "claude-haiku-5-5", "off", null],
    ["chat", "sim-chat", "off", null],
    ["chat", "sim-reasoner", "off", null],
    ["responses", "gpt-6.2-sol", "off", null],
    ["responses", "gpt-6.2-sol", "off", "high"],
    ["responses", "gpt-6.2-sol", "off", "low"],
    ["responses", "gpt-5.6-terra", "off", null],
    ["responses", "gpt-5.5", "off", "low"],
    ["gemini", "gemini-2.5-pro", { budgetTokens: 2_000 }, null],
    ["gemini", "gemini-3.5-flash", "adaptive", null],
    ["gemini", "gemini-3.5-flash", "adaptive", "low"],
    ["gemini", "gemini-4-argon", "adaptive", "high"],
    ["gemini", "sim-gemini", "adaptive", null],
  ] as const
).map(
  ([wire, model, thinking, effort]): ModelChoice => ({
    wire: wire as Wire,
    model,
    thinking,
    effort,
    outputTokensMax: 4_000,
  }),
);
