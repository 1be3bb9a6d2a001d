import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellBackground } from "../src/adapters/background.ts";
import { systemClock } from "../src/adapters/clock.ts";
import { budgetFile } from "../src/adapters/context-budget.ts";
import { laneEffects } from "../src/adapters/effects.ts";
import { nodeFs } from "../src/adapters/fs.ts";
import { randomIds } from "../src/adapters/ids.ts";
import { nodeShell } from "../src/adapters/shell.ts";
import { fileStore } from "../src/adapters/store-file.ts";
import type { AgentConfig } from "../src/agent/config.ts";
import { usualReductions } from "../src/agent/reductions.ts";
import { openSession } from "../src/agent/session.ts";
import { loadState } from "../src/agent/stored-state.ts";
import { firstForm } from "../src/digest/first-form.ts";
import { canonicalJson } from "../src/kernel/canonical.ts";
import { handleOf, hashOf } from "../src/kernel/hash.ts";
import { brand, type Hash, mainLane } from "../src/kernel/ids.ts";
import type { AssistantBlock } from "../src/log/block.ts";
import { type EntryBody, logFormat } from "../src/log/entry.ts";
import type { StreamId } from "../src/ports/store.ts";
import { staticSections } from "../src/prompt/sections.ts";
import { codecFor } from "../src/provider/codecs.ts";
import { usualModel } from "../src/provider/usual-model.ts";
import { type ScriptedReply, scriptedModel } from "../src/testing/scripted-model.ts";
import type { Tool, ToolOutcome } from "../src/tools/tool.ts";
import { stepsTables } from "./results-tables.ts";
import { percentile, rounded } from "./timing.ts";

const sizes = [100, 1_000, 10_000] as const;
const stepsMeasured = 120;
/** The first steps warm up the engine and are left out. */
const stepsLeftOut = 20;
const toolOutput = Array.from({ length: 40 }, (_, n) => `line ${n} of a result of usual size`).join("\n");

/**
 * Time of one step of the agent (everything but the model and the tool) in logs of 100, 1,000 and 10,000 entries whose
 * live windows are equal: what came before is folded. Files without fsync, a scripted model, so only our own work counts.
 */
export async function runSteps(args: readonly string[]): Promise<object | string> {
  const entries = [];
  for (const n of sizes) entries.push(await measured(n));
  const [smallest] = entries;
  const largest = entries.at(-1);
  const ratio = rounded((largest?.stepMs.p50 ?? Number.NaN) / (smallest?.stepMs.p50 ?? Number.NaN));
  const result = { simulated: true, entries, largestToSmallestP50: ratio };
  return args.includes("--json") ? result : stepsTables(result);
}

async function measured(n: number) {
  const root = await mkdtemp(join(tmpdir(), "varve-bench-"));
  try {
    const stores = fileStore({ root, clock: systemClock, sync: false });
    const stream: StreamId = { type: "lane", session: brand("20261129-100000-bench000"), lane: mainLane };
    const lease = await stores.log.lease(stream, "bench");
    if (lease.type !== "leased") throw new Error("the bench's own store is busy");
    const head = {
      tools: await stores.blobs.put(stream, canonicalJson([look.declaration])),
      system: await stores.blobs.put(stream, canonicalJson(staticSections)),
    };
    await stores.log.append({ stream, expectedSeq: 0, fence: lease.fence, entries: history(n, head) });
    const started: number[] = [];
    const model = scriptedModel(replies());
    const fx = laneEffects({
      ...stores,
      stream,
      fence: lease.fence,
      model: {
        stream: (request, signal) => {
          started.push(performance.now());
          return model.stream(request, signal);
        },
      },
      fs: nodeFs(),
      clock: systemClock,
      ids: randomIds(systemClock),
      cwd: root,
      shell: "bash",
      ask: async () => null,
      background: shellBackground(nodeShell({ env: {} })),
      project: null,
      budget: budgetFile(root, () => []),
      knowledge: null,
      hooks: null,
      servers: null,
      onNote: () => {},
    });
    const { state } = await loadState(stores.log, null, stream);
    const session = await openSession(config, fx, { state, damaged: false });
    await session.prompt("go on");
    const times = started.slice(1).map((at, index) => at - (started[index] ?? at));
    const counted = times.slice(stepsLeftOut);
    const stepMs = { p50: rounded(percentile(counted, 0.5)), p95: rounded(percentile(counted, 0.95)) };
    return { n, stepMs, rssMb: Math.round(process.memoryUsage().rss / 1024 / 1024) };
  } finally {
    await rm(root, { recursive: true });
  }
}

/** `n` entries of old turns, then a fold that leaves none of them in the prompt. */
function history(n: number, head: { readonly tools: Hash; readonly system: Hash }): readonly EntryBody[] {
  const model = usualModel("sim-large", "anthropic");
  const session = brand<"SessionId">("20261129-100000-bench000");
  const first: EntryBody[] = [
    { type: "session-started", format: logFormat, session, lane: mainLane, project: null, cwd: "/w", version: "0" },
    { type: "model-chosen", model },
    { type: "message-added", text: "an old request" },
  ];
  const old: EntryBody[] = [];
  while (first.length + old.length < n - 2) old.push(...oldStep(old.length));
  // The answer that closes the old turn is the last of its pieces.
  const answer = answerOf("old", [{ type: "text", text: "done" }]);
  const to = `${first.length + old.length + 1}.0`;
  const fold: EntryBody = {
    type: "epoch-opened",
    reason: "compacted",
    detail: "the bench's own fold",
    head,
    model,
    userContext: "context",
    edits: [{ type: "dropped", from: "3.0", to }],
    cost: { tokensRewritten: 0, reasoningTokensLost: 0, usd: null },
  };
  return [...first, ...old, answer, { type: "turn-ended", reason: "done", detail: "" }, fold];
}

function oldStep(at: number): readonly EntryBody[] {
  const callId = brand<"CallId">(`old_${at}`);
  const output = `result ${at}\n${toolOutput}`.slice(0, 400);
  return [
    answerOf(`${at}`, [{ type: "tool-call", callId, tool: "look", input: `{"at":${at}}` }]),
    { type: "permission-decided", callId, allowed: true, by: "mode", why: "" },
    { type: "tool-started", callId, tool: "look" },
    {
      type: "tool-returned",
      callId,
      tool: "look",
      ending: "done",
      output,
      handle: handleOf(hashOf(output)),
      exitCode: null,
      files: [],
      images: [],
    },
  ];
}

function answerOf(name: string, blocks: readonly AssistantBlock[]): EntryBody {
  return {
    type: "response-received",
    request: brand(`req_${name}`),
    wire: "anthropic",
    model: "sim-large",
    messageId: `msg_${name}`,
    blocks,
    stop: "unknown",
    usage: null,
    firstTokenMs: null,
    report: null,
  };
}

function replies(): readonly ScriptedReply[] {
  const calls = Array.from({ length: stepsMeasured }, (_, n) => ({
    text: `step ${n}`,
    calls: [{ id: `c${n}`, tool: "look", input: { at: n } }],
  }));
  return [...calls, { text: "done" }];
}

const look: Tool = {
  declaration: { name: "look", description: "looks", inputSchema: '{"type":"object"}' },
  readOnly: true,
  parse: () => ({ type: "ok", call: { access: { type: "none" }, title: "look", run: async () => outcome } }),
};

const outcome: ToolOutcome = {
  ending: "done",
  output: toolOutput,
  exitCode: null,
  files: [],
  images: [],
  form: "output",
};

const config: AgentConfig = {
  codecFor,
  cwd: "/w",
  tools: [look],
  serverTools: null,
  permission: () => ({ type: "allow", why: "bench" }),
  firstForm,
  windowFor: () => ({ windowTokens: 1_000_000 }),
  memoryFor: () => "epochs",
  caps: () => null,
  reductions: usualReductions,
  prices: {},
  assembly: "append",
  stepsMax: 1_000,
};
