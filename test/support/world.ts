import { projectFacts } from "../../src/adapters/project-facts.ts";
import { memoryStore } from "../../src/adapters/store-memory.ts";
import type { AgentConfig } from "../../src/agent/config.ts";
import type { Effects } from "../../src/agent/effects.ts";
import { foldOnly, type Reductions } from "../../src/agent/reductions.ts";
import type { ServerTools } from "../../src/agent/server-tools.ts";
import { openSession, type Session } from "../../src/agent/session.ts";
import { loadState } from "../../src/agent/stored-state.ts";
import type { MemoryPolicy } from "../../src/budget/window.ts";
import { firstForm } from "../../src/digest/first-form.ts";
import { isRecord } from "../../src/kernel/canonical.ts";
import { brand, type Hash, mainLane, type ProjectId } from "../../src/kernel/ids.ts";
import { type Entry, type EntryBody, logFormat, type ModelChoice } from "../../src/log/entry.ts";
import type { Background } from "../../src/ports/background.ts";
import type { Hooks } from "../../src/ports/hooks.ts";
import type { Knowledge } from "../../src/ports/knowledge.ts";
import type { Model } from "../../src/ports/model.ts";
import type { Servers } from "../../src/ports/servers.ts";
import type { Stores, StreamId } from "../../src/ports/store.ts";
import type { Observation } from "../../src/prompt/context.ts";
import type { Assembly } from "../../src/prompt/sections.ts";
import { codecFor } from "../../src/provider/codecs.ts";
import { type ManualClock, manualClock } from "../../src/testing/manual-clock.ts";
import type { Tool, ToolOutcome } from "../../src/tools/tool.ts";
import type { Caps } from "../../src/workspace/context-budget.ts";
import { fakeBackground } from "./background.ts";

export const testModel: ModelChoice = {
  wire: "anthropic",
  model: "sim-large",
  effort: null,
  thinking: "off",
  outputTokensMax: 4_000,
};

export const stream: StreamId = { type: "lane", session: brand("20261129-100000-test0001"), lane: mainLane };

/** A tool whose behaviour a test gives; its input is any object. */
export function fakeTool(
  name: string,
  readOnly: boolean,
  run: (input: Record<string, unknown>, signal: AbortSignal) => Promise<string>,
  form: ToolOutcome["form"] = "output",
): Tool {
  return {
    declaration: { name, description: `${name} for tests`, inputSchema: '{"type":"object","properties":{}}' },
    readOnly,
    parse(input) {
      if (!isRecord(input)) return { type: "bad", why: "expected an object" };
      const outcome = (output: string): ToolOutcome => ({
        ending: "done",
        output,
        exitCode: null,
        files: [],
        images: [],
        form,
      });
      const call = async (_context: unknown, signal: AbortSignal) => outcome(await run(input, signal));
      return {
        type: "ok",
        call: { access: { type: readOnly ? "none" : "command", command: name }, title: name, run: call },
      };
    },
  };
}

/** A whole agent on memory stores: what a test changes is given, the rest is usual. */
export type TestWorld = {
  readonly stores: Stores;
  readonly clock: ManualClock;
  readonly fx: Effects;
  readonly config: AgentConfig;
  observed: readonly Observation[];
  open(fx?: Effects): Promise<Session>;
  /** A process of its own: takes the lease away from the one before, which is fenced off from then on. */
  takeOver(): Promise<Effects>;
  files: Record<string, Hash | null>;
  texts: Record<string, string>;
  /** What the user was told. */
  notes: string[];
  entries(): Promise<readonly Entry[]>;
};

export async function testWorld(given: {
  readonly model: Model;
  readonly tools?: readonly Tool[];
  readonly verdict?: "allow" | "ask" | "deny";
  /** Instead of one verdict for all. */
  readonly permission?: AgentConfig["permission"];
  readonly ask?: Effects["ask"];
  readonly windowTokens?: number;
  /** Left out: epochs, however small the window is. */
  readonly memory?: MemoryPolicy;
  readonly codecFor?: AgentConfig["codecFor"];
  readonly stepsMax?: number;
  readonly assembly?: Assembly;
  readonly caps?: Caps;
  readonly knowledge?: Knowledge;
  readonly hooks?: Hooks;
  readonly servers?: Servers;
  readonly serverTools?: ServerTools;
  readonly choice?: ModelChoice;
  /** Left out: finished work is folded, and nothing else is done. */
  readonly reductions?: Reductions;
  readonly stores?: Stores;
  readonly background?: Background;
  readonly project?: ProjectId;
}): Promise<TestWorld> {
  const clock = manualClock();
  const stores = given.stores ?? memoryStore(clock);
  let lease = await leased(stores);
  let next = 0;
  const world = {
    files: {} as Record<string, Hash | null>,
    texts: {} as Record<string, string>,
    notes: [] as string[],
    observed: [
      { key: "date", text: "2026-11-29" },
      { key: "working directory", text: "/w/app" },
    ] as readonly Observation[],
  };
  const background = given.background ?? fakeBackground();
  const facts = projectFacts(stores.log, given.project ?? null);
  const effects = (fence: number): Effects => ({
    append: (expectedSeq, entries) => stores.log.append({ stream, expectedSeq, fence, entries }),
    putBlob: (text) => stores.blobs.put(stream, text),
    getBlob: async (hash) => {
      const bytes = await stores.blobs.get(stream, hash);
      return bytes === null ? null : new TextDecoder().decode(bytes);
    },
    model: given.model,
    runTool: (call, context, signal) => call.run(context, signal),
    ask: given.ask ?? (async () => null),
    taskEnded: (task) => background.ended(task),
    stopTasks: () => background.stopAll(),
    observe: async () => world.observed,
    knowledge: given.knowledge ?? null,
    hooks: given.hooks ?? null,
    servers: given.servers ?? null,
    note: (text) => world.notes.push(text),
    projectFacts: facts.read,
    changeProjectFacts: facts.change,
    fileText: async (path) => world.texts[path] ?? null,
    fileHash: async (path) => world.files[path] ?? null,
    clock,
    ids: {
      session: () => brand("unused"),
      request: () => brand(`req_${++next}`),
      token: (length) => `${++next}`.padStart(length, "t"),
      random: () => 0.5,
    },
  });
  const fx = effects(lease.fence);
  const config: AgentConfig = {
    codecFor: given.codecFor ?? codecFor,
    cwd: "/w/app",
    tools: [...(given.tools ?? []), ...(given.serverTools?.declared ?? [])],
    serverTools: given.serverTools ?? null,
    permission: given.permission ?? (() => ({ type: given.verdict ?? "allow", why: "the test says so" })),
    firstForm,
    windowFor: () => ({ windowTokens: given.windowTokens ?? 200_000 }),
    memoryFor: () => given.memory ?? "epochs",
    caps: () => given.caps ?? null,
    reductions: given.reductions ?? foldOnly,
    prices: {},
    assembly: given.assembly ?? "append",
    stepsMax: given.stepsMax ?? 50,
  };
  const first: readonly EntryBody[] = [
    {
      type: "session-started",
      format: logFormat,
      session: sessionId(),
      lane: mainLane,
      project: given.project ?? null,
      cwd: "/w/app",
      version: "0",
    },
    { type: "model-chosen", model: given.choice ?? testModel },
  ];
  if ((await loadState(stores.log, null, stream)).state.seq === 0)
    await stores.log.append({ stream, expectedSeq: 0, fence: lease.fence, entries: first });
  return Object.assign(world, {
    stores,
    clock,
    fx,
    config,
    open: async (effects = fx) => {
      const { state, damage } = await loadState(stores.log, null, stream);
      return await openSession(config, effects, { state, damaged: damage.length > 0 });
    },
    takeOver: async () => {
      await lease.release();
      lease = await leased(stores);
      return effects(lease.fence);
    },
    entries: async () => {
      const all: Entry[] = [];
      for await (const entry of stores.log.read(stream, null)) all.push(entry);
      return all;
    },
  });
}

async function leased(stores: Stores) {
  const lease = await stores.log.lease(stream, "test");
  if (lease.type !== "leased") throw new Error("the test's store is busy");
  return lease;
}

function sessionId() {
  if (stream.type !== "lane") throw new Error("the test's stream is a lane");
  return stream.session;
}
