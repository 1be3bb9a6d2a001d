import { compact } from "../../src/agent/compact.ts";
import type { AgentConfig } from "../../src/agent/config.ts";
import { effortReminder, modelNow } from "../../src/agent/effort.ts";
import { openEpoch } from "../../src/agent/epochs.ts";
import { factsDue, settingOf, showFacts } from "../../src/agent/facts.ts";
import { loadHead } from "../../src/agent/head.ts";
import type { Lane } from "../../src/agent/lane.ts";
import { modeReminder } from "../../src/agent/news.ts";
import { planOf } from "../../src/agent/planned.ts";
import { renderPrompt } from "../../src/agent/prompt.ts";
import { recoveryOf } from "../../src/agent/recover.ts";
import { usualReductions } from "../../src/agent/reductions.ts";
import { reduced } from "../../src/agent/shrink.ts";
import { prepareStep } from "../../src/agent/step.ts";
import { textCache } from "../../src/agent/texts.ts";
import type { MemoryPolicy } from "../../src/budget/window.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { bounds } from "../../src/kernel/bounds.ts";
import { canonicalJson } from "../../src/kernel/canonical.ts";
import { handleOf, hashOf } from "../../src/kernel/hash.ts";
import { brand, type CallId, type Handle, type Hash, mainLane } from "../../src/kernel/ids.ts";
import type { Wire } from "../../src/kernel/usage.ts";
import { emptyLedger } from "../../src/ledger/ledger.ts";
import type { AssistantBlock, Text } from "../../src/log/block.ts";
import { type Entry, type EntryBody, logFormat, type ModelChoice } from "../../src/log/entry.ts";
import { reduce } from "../../src/log/reduce.ts";
import type { RevealedTool } from "../../src/log/revealed.ts";
import { emptyState, type State } from "../../src/log/state.ts";
import { type FactCommand, factChange } from "../../src/memory/fact-commands.ts";
import { proposals } from "../../src/memory/fact-proposals.ts";
import { changeText } from "../../src/prompt/context.ts";
import { toolSearchName } from "../../src/prompt/doc.ts";
import type { Head } from "../../src/prompt/render.ts";
import { createAnthropicCodec } from "../../src/provider/anthropic/codec.ts";
import { chatCodec } from "../../src/provider/chat/codec.ts";
import type { Codec } from "../../src/provider/codec.ts";
import { geminiCodec } from "../../src/provider/gemini/codec.ts";
import { responsesCodec } from "../../src/provider/responses/codec.ts";
import { bindingPrefix, signThinking } from "../../src/testing/simulate/binding.ts";
import { cut } from "../../src/testing/simulate/cut.ts";
import { createMemory, type Memory } from "../../src/testing/simulate/memory.ts";
import { encryptReasoning } from "../../src/testing/simulate/responses-reasoning.ts";
import { defaultCaps } from "../../src/workspace/context-budget.ts";
import { type Answer, streamOf } from "./arbitrary-answer.ts";
import type { Move, Result } from "./arbitrary-log.ts";
import { foundTools, searchDeclaration } from "./found-tools.ts";
import { geminiStream } from "./gemini-answer.ts";
import { sealedSummary } from "./sealed-summary.ts";
import { fakeTool } from "./world.ts";

/** A whole log, as an agent wrote it that spoke with a provider which signs and remembers what it says. */
export type RandomLog = {
  readonly entries: readonly Entry[];
  readonly texts: ReadonlyMap<Hash, string>;
  /** All that tools returned. */
  readonly returned: readonly { readonly handle: Handle; readonly output: string }[];
  readonly bodies: readonly string[];
  readonly memory: Memory;
};

/** Models by wire, with what each may be asked for. */
export const models: Readonly<Record<Wire, readonly ModelChoice[]>> = {
  anthropic: [
    choice("anthropic", "claude-opus-5-5", "adaptive"),
    choice("anthropic", "claude-opus-5-5", "adaptive", "high"),
    choice("anthropic", "claude-opus-4-6", "adaptive"),
    choice("anthropic", "claude-sonnet-4-5", { budgetTokens: 2_000 }),
    choice("anthropic", "claude-haiku-5-5", "off"),
  ],
  chat: [
    choice("chat", "sim-chat", "off"),
    choice("chat", "gpt-5.5", "off"),
    choice("chat", "sim-reasoner", "off"),
    choice("chat", "sim-llama", "off"),
  ],
  responses: [
    choice("responses", "gpt-6.2-sol", "off"),
    choice("responses", "gpt-6.2-sol", "off", "high"),
    choice("responses", "gpt-6-luna", "off"),
    choice("responses", "gpt-5.6-terra", "off"),
    choice("responses", "gpt-5.5", "off"),
  ],
  gemini: [
    choice("gemini", "gemini-2.5-pro", { budgetTokens: 2_000 }),
    choice("gemini", "gemini-3.5-flash", "adaptive"),
    choice("gemini", "gemini-3.5-flash", "adaptive", "low"),
    choice("gemini", "gemini-4-argon", "adaptive", "high"),
    choice("gemini", "gemini-3.1-pro-preview", "off"),
  ],
};

/** The provider's errors are wanted here: dropping reasoning in silence would hide a broken prefix. */
const codecs: Readonly<Record<Wire, Codec>> = {
  anthropic: createAnthropicCodec({ onMismatch: "error" }),
  chat: chatCodec,
  responses: responsesCodec,
  gemini: geminiCodec,
};
export const lawCodec = (wire: Wire): Codec => codecs[wire];

/** Which models give reasoning that goes back. */
const reasoning: Partial<Readonly<Record<Wire, (model: string, thinking: ModelChoice["thinking"]) => boolean>>> = {
  anthropic: (_model, thinking) => thinking !== "off",
  chat: (model) => model === "sim-reasoner" || model === "sim-llama",
  responses: () => true,
};

const search = { ...fakeTool(toolSearchName, true, async () => ""), declaration: searchDeclaration };
const tools = [fakeTool("look", true, async () => ""), fakeTool("run", false, async () => ""), search];
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

/** Plays the moves as the agent's own code would: its renderer, its epochs, its folds, its stream decoders. */
export async function play(wire: Wire, moves: readonly Move[], policy: MemoryPolicy = "epochs"): Promise<RandomLog> {
  const game = createGame(wire, policy);
  await game.start();
  for (const one of moves) await game.make(one);
  return game.log();
}

function createGame(wire: Wire, policy: MemoryPolicy) {
  const blobs = new Map<Hash, string>();
  const texts = textCache({
    putBlob: async (text) => {
      blobs.set(hashOf(text), text);
      return hashOf(text);
    },
    getBlob: async (hash) => blobs.get(hash) ?? null,
  });
  const memory = createMemory();
  const entries: Entry[] = [];
  const bodies: string[] = [];
  /** More than the agent looks at (the live ones): the provider's memory here knows calls by their ids for good. */
  const called = new Set<string>();
  const returned: { handle: Handle; output: string }[] = [];
  let state: State = emptyState;
  let head: Head | null = null;
  let ids = 0;
  let chosen = 0;
  const lane = laneOf();

  return { start, make, log: (): RandomLog => ({ entries, texts: blobs, returned, bodies, memory }) };

  function laneOf(): Lane {
    const never = () => {
      throw new Error("a random log is written without effects");
    };
    const config: AgentConfig = {
      codecFor: lawCodec,
      cwd: "/w/app",
      tools,
      serverTools: null,
      permission: never,
      firstForm,
      windowFor: () => ({ windowTokens: 40_000 }),
      memoryFor: () => policy,
      reductions: { ...usualReductions, summaries: "off" },
      prices: {},
      // Few rounds, so that a random log slides.
      caps: () => (policy === "window" ? { ...defaultCaps, windowRounds: 2, summaryTokens: 60 } : null),
      assembly: "append",
      stepsMax: 50,
    };
    const fx = {
      clock: { now: () => Date.UTC(2026, 10, 29), sleep: never },
      note: () => {},
      ids: { session: never, request: () => brand<"RequestId">(`req_${++ids}`), token: () => "", random: () => 0 },
    };
    const lane = {
      config,
      fx,
      texts,
      state: () => state,
      head: () => head ?? never(),
      ledger: () => emptyLedger,
      prompt: () => renderPrompt(lane as unknown as Lane),
      outgoing: new Map(),
      record: never,
      emit: () => {},
    };
    // Only what rendering, marking and folding ask of a lane is here; anything else is undefined and would throw.
    return lane as unknown as Lane;
  }

  async function record(...bodies: readonly EntryBody[]): Promise<void> {
    for (const body of bodies) {
      const entry: Entry = { seq: state.seq + 1, at: 1_795_000_000_000 + state.seq, ...body };
      entries.push(entry);
      state = reduce(state, entry);
      if (entry.type === "epoch-opened" && state.epoch !== null) head = await loadHead(state.epoch, texts);
    }
  }

  async function start(): Promise<void> {
    const session = brand<"SessionId">("20261129-100000-laws0001");
    await record(
      { type: "session-started", format: logFormat, session, lane: mainLane, project: null, cwd: "/w", version: "0" },
      { type: "model-chosen", model: modelAt(0) },
      { type: "context-observed", key: "date", text: "2026-11-29" },
    );
  }

  function modelAt(at: number): ModelChoice {
    const list = models[wire];
    const model = list[at % list.length];
    if (model === undefined) throw new Error("there is no model of this wire");
    return model;
  }

  async function make(one: Move): Promise<void> {
    if (one.type === "step") return step(one);
    if (one.type === "message") return await record({ type: "message-added", text: await texts.keep(one.text) });
    if (one.type === "observe") return await observe(one.key, one.text);
    if (one.type === "mode") return await mode(one.mode);
    if (one.type === "model") return await choose(one.at);
    if (one.type === "damage")
      return await record({ type: "line-unreadable", line: state.seq + 1, bytes: 9, why: "not JSON" });
    if (one.type === "interrupt") return await interrupt();
    if (one.type === "pin") return await pin(one);
    if (one.type === "retire") return await retire(one.at);
    if (one.type === "summed" && (await summed(one.text))) return;
    if (state.epoch !== null && state.turn !== null && state.live.length > 0) {
      const entries = await reduced(planOf(lane.prompt(), lane, "hard"), lane.prompt(), "a test wants it", lane);
      await record(...entries);
    }
  }

  /** Whether the provider summed the work up; where it cannot, it is folded. */
  async function summed(said: string): Promise<boolean> {
    const { epoch } = state;
    if (epoch === null || state.turn === null || said.trim() === "") return false;
    if (policy === "window") return await rolled(said);
    const { wire: from, model } = epoch.model;
    if (lawCodec(from).abilities(model).sumsUp !== true) return false;
    const block = sealedSummary(lane.prompt().doc, said.toWellFormed());
    const request = lane.fx.ids.request();
    const kept = { ...block, text: await texts.keep(String(block.text)), wire: await texts.keep(String(block.wire)) };
    await record(
      { type: "summary-asked", request, as: "native", scope: { kind: "all" }, why: "", text: "" },
      {
        type: "summary-ended",
        request,
        outcome: "accepted",
        detail: "",
        text: kept.text,
        native: { from, model, block: kept },
        usage: null,
        retryAfterMs: null,
      },
    );
    await record(...(await compact({ type: "compact", pressure: "hard", why: "", unasked: "" }, lane)));
    return true;
  }

  /** A rolling summary is finished; the window may slide a while later. */
  async function rolled(said: string): Promise<true> {
    const [request, upto] = [lane.fx.ids.request(), state.live.at(-1)?.id ?? "0.0"];
    const text = await texts.keep(said.toWellFormed());
    await record(
      { type: "summary-asked", request, as: "rolling", scope: { kind: "upto", piece: upto }, why: "", text: "" },
      { type: "summary-made", request, upto, text },
      { type: "summary-ended", request, outcome: "accepted", detail: "", text, usage: null, retryAfterMs: null },
    );
    return true;
  }

  /**
   * Never back to a former model: it would want its reasoning again, which went with the first change. In an open loop of
   * the chat wire not even forward, for the same reason.
   */
  async function choose(at: number): Promise<void> {
    if (wire === "chat" && state.calls.length > 0) return;
    chosen = Math.max(chosen, at % models[wire].length);
    const model = modelAt(chosen);
    await record({ type: "model-chosen", model }, ...effortReminder(state, model, lane.config));
  }

  async function observe(key: string, text: string): Promise<void> {
    if (state.observed[key] === text) return;
    const said: EntryBody = { type: "reminder-added", source: "context", text: changeText([{ key, text }]) };
    await record({ type: "context-observed", key, text }, ...(state.epoch === null ? [] : [said]));
  }

  async function mode(next: "plan" | "acceptEdits" | "default"): Promise<void> {
    if (state.mode === next) return;
    await record({ type: "mode-chosen", mode: next }, ...modeReminder(state, next, "append"));
  }

  async function interrupt(): Promise<void> {
    if (state.turn === null) return;
    await record({ type: "interrupted", by: "user" }, { type: "turn-ended", reason: "interrupted", detail: "" });
  }

  /** One step request to its end: an epoch where one is due, perhaps trouble, the answer, the results of its calls. */
  async function step({ answer, results, trouble }: Move & { readonly type: "step" }): Promise<void> {
    if (state.turn === null) await record({ type: "message-added", text: "go on" });
    await breakIfDue();
    const first = await send(1);
    if (trouble === "interrupted") {
      await failed(first.id, "interrupted", "Let me");
      return await interrupt();
    }
    if (trouble === "broken") await failed(first.id, "broken-stream", "Let me");
    if (trouble === "restart") await record(...recoveryOf(state));
    const sent = trouble === "none" || trouble === "restart-in-call" ? first : await send(2);
    await receive(sent, answer);
    await runCalls(results, trouble === "restart-in-call");
    if (state.calls.length === 0) await record({ type: "turn-ended", reason: "done", detail: "" });
  }

  async function breakIfDue(): Promise<void> {
    const { epoch, model, damage } = state;
    const reason =
      epoch === null
        ? "start"
        : damage.lines > damage.declared
          ? "history-damaged"
          : model !== null && model.model !== epoch.model.model
            ? "model-changed"
            : canonicalJson(model) !== canonicalJson(modelNow(state))
              ? "effort-changed"
              : null;
    if (reason === null) return;
    await record(...(await openEpoch({ reason, detail: "", sent: "stands" }, state, lane.config, texts)));
  }

  /** As the session does it: by command, or by accepting what the user said. */
  async function pin({ text, said }: Move & { readonly type: "pin" }): Promise<void> {
    const before = state.live.findLast((piece) => piece.role === "user" && piece.kind === "message")?.block;
    const words = before?.type === "text" && typeof before.text === "string" && said ? before.text : text;
    const proposed = said ? proposals(state.facts, [words], "user") : [];
    await record(...proposed);
    const [id] = proposed.flatMap((entry) => (entry.type === "fact-proposed" ? [entry.fact] : []));
    await change(
      id === undefined
        ? { type: "pin", text: words, scope: "session" }
        : { type: "accept", fact: id, scope: "session" },
    );
  }

  async function retire(at: number): Promise<void> {
    const fact = state.facts.active[at % Math.max(1, state.facts.active.length)];
    if (fact !== undefined) await change({ type: "retire", fact: fact.id });
  }

  async function change(command: FactCommand): Promise<void> {
    const changed = factChange(state.facts, command, settingOf(state, lane.config));
    if (changed.type === "changed") await record(...changed.session);
  }

  async function send(attempt: number) {
    if (factsDue(lane).length > 0) await record(...(await showFacts(lane)));
    const ready = prepareStep(lane.prompt(), attempt, lane);
    await record(ready.intent);
    bodies.push(ready.wire.body);
    return ready;
  }

  async function failed(
    request: ReturnType<typeof prepareStep>["id"],
    kind: "interrupted" | "broken-stream",
    partial: string,
  ) {
    const none = { status: null, retryAfterMs: null, promptTokens: null, limitTokens: null };
    await record({ type: "request-failed", request, failure: { class: kind, message: kind, ...none }, partial });
  }

  async function receive(sent: ReturnType<typeof prepareStep>, answer: Answer): Promise<void> {
    const { model, thinking } = sent.prompt.doc.model;
    const reasons = reasoning[wire]?.(model, thinking) ?? false;
    const sign = wire === "responses" ? encryptReasoning : signThinking;
    const bound = (text: string) => sign({ model, prefix: bindingPrefix(cut(wire, sent.wire.body)), text });
    const n = ++ids;
    const gemini = wire === "gemini" ? geminiStream(answer, n, model) : null;
    if (gemini !== null) memory.keepTurn(gemini.turn.id, gemini.turn.form);
    const { events, blocks } = gemini ?? streamOf(wire, answer, n, reasons ? bound : null);
    const decoder = lawCodec(wire).decoder(
      () => `made_${++ids}`,
      (id) => called.has(id),
    );
    for (const event of events) decoder.push(event);
    const end = decoder.end();
    if (end.type === "failed") throw new Error(`the random stream is broken: ${end.failure.message}`);
    memory.keepBlocks(blocks);
    await record({
      type: "response-received",
      request: sent.id,
      wire,
      model,
      messageId: end.messageId,
      blocks: await Promise.all(end.blocks.map(kept)),
      stop: end.stop,
      usage: end.usage,
      firstTokenMs: 5,
      report: null,
    });
    for (const { callId } of state.calls) called.add(callId);
    memory.keepReasoning(
      state.calls.map(({ callId }) => callId),
      reasoningSent(answer, blocks, reasons),
    );
  }

  function reasoningSent(answer: Answer, blocks: readonly unknown[], reasons: boolean): readonly unknown[] {
    if (!reasons || answer.reasoning === "none") return [];
    return wire === "chat" ? [answer.thought.toWellFormed()] : blocks.slice(0, 1);
  }

  async function kept(block: AssistantBlock): Promise<AssistantBlock> {
    const keep = async (text: Text) => (typeof text === "string" ? await texts.keep(text) : text);
    const wire = "wire" in block && block.wire !== undefined ? { wire: await keep(block.wire) } : {};
    if (block.type === "opaque") return { ...block, ...wire };
    if (block.type === "tool-call") return { ...block, ...wire, input: await keep(block.input) };
    return { ...block, ...wire, text: await keep(block.text) };
  }

  async function keptTool(tool: RevealedTool): Promise<RevealedTool> {
    return { ...tool, declaration: await texts.keep(String(tool.declaration)) };
  }

  async function runCalls(results: readonly Result[], restart: boolean): Promise<void> {
    const order = state.calls.map(({ callId, tool }, at) => ({ callId, tool, result: results[at % results.length] }));
    const sorted = order.toSorted((a, b) => Number(a.result?.late ?? false) - Number(b.result?.late ?? false));
    for (const [at, { callId, tool, result }] of sorted.entries()) {
      if (result === undefined) continue;
      if (result.ending === "refused") {
        await record({ type: "permission-decided", callId, allowed: false, by: "user", why: "no" });
      } else {
        await record({ type: "tool-started", callId, tool });
        if (restart && at === 0) {
          await record(...recoveryOf(state));
          continue;
        }
      }
      await returnResult(callId, tool, result);
    }
  }

  async function returnResult(
    callId: CallId,
    tool: string,
    { output: raw, ending, image, form, found }: Result,
  ): Promise<void> {
    const output = raw.toWellFormed();
    const handle = handleOf(hashOf(output));
    const images = image ? [{ mediaType: "image/png", data: png }] : [];
    const kept = await texts.keep(output, bounds.inlineOutputCharsMax);
    returned.push({ handle, output });
    await record({
      type: "tool-returned",
      callId,
      tool,
      ending,
      output: kept,
      handle,
      exitCode: null,
      files: [],
      images,
    });
    const shown =
      form === "short"
        ? { whole: false, text: `${[...output].slice(0, 9).join("")} [rest: recall handle=${handle}]` }
        : firstForm({ tool, text: output, exitCode: 1, form, handle });
    if (!shown.whole) await record({ type: "form-fixed", callId, handle, text: await texts.keep(shown.text) });
    const tools = tool === toolSearchName ? found.flatMap((at) => foundTools[at] ?? []) : [];
    if (tools.length > 0)
      await record({ type: "tools-revealed", callId, tools: await Promise.all(tools.map(keptTool)) });
  }
}

function choice(
  wire: Wire,
  model: string,
  thinking: ModelChoice["thinking"],
  effort: ModelChoice["effort"] = null,
): ModelChoice {
  return { wire, model, thinking, effort, outputTokensMax: 4_000 };
}
