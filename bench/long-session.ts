import { canonicalJson } from "../src/kernel/canonical.ts";
import { handleOf, hashOf } from "../src/kernel/hash.ts";
import { brand, type Hash, mainLane } from "../src/kernel/ids.ts";
import { noUsage } from "../src/kernel/usage.ts";
import { type EntryBody, logFormat } from "../src/log/entry.ts";
import { reduceAll } from "../src/log/reduce.ts";
import { emptyState, type State } from "../src/log/state.ts";
import type { Stores, StreamId } from "../src/ports/store.ts";
import { chainHashes } from "../src/prompt/chain.ts";
import { docOf } from "../src/prompt/render.ts";
import { staticSections } from "../src/prompt/sections.ts";
import { codecFor } from "../src/provider/codecs.ts";
import { usualModel } from "../src/provider/usual-model.ts";
import { tokensOf } from "../src/reduction/segment-tokens.ts";

export const session = "20261129-100000-bench100";
const stream: StreamId = { type: "lane", session: brand(session), lane: mainLane };
const blobBytes = 20_000;
const stepsBetweenFolds = 100;
const stepsDropped = 50;

/**
 * Writes a session as thousands of folded steps leave it, each request as it would have been sent: its segments, its chain
 * and what a provider reports of it. A handle in the middle is returned, to be recalled.
 */
export async function longSession(
  stores: Stores,
  size: { readonly logBytes: number; readonly blobsBytes: number },
): Promise<string> {
  const lease = await stores.log.lease(stream, "bench");
  if (lease.type !== "leased") throw new Error("the bench's own store is busy");
  const head = {
    tools: await stores.blobs.put(stream, "[]"),
    system: await stores.blobs.put(stream, canonicalJson(staticSections)),
  };
  const texts = new Map<Hash, string>();
  let state = emptyState;
  const append = async (entries: readonly EntryBody[]) => {
    const result = await stores.log.append({ stream, expectedSeq: state.seq, fence: lease.fence, entries });
    if (result.type !== "appended") throw new Error(`the append was answered with ${result.type}`);
    state = reduceAll(state, result.entries);
    return Number(result.head.hint?.split(":")[2]);
  };
  await append([...first, epoch(head, [])]);
  let handle = "";
  let bytes = 0;
  let blobs = 0;
  let oldest = state.seq + 2;
  for (let fold = 0; bytes < size.logBytes; fold += 1) {
    const from = state.seq + 1;
    for (let at = 0; at < stepsBetweenFolds; at += 1) {
      const output = `result ${fold}.${at}\n${"line of a result of usual size\n".repeat(16)}`;
      const long = output.repeat(blobBytes / output.length);
      // Until they are used up, one result in a few is a long one.
      const blob = blobs < size.blobsBytes && at % 4 === 0 ? await stores.blobs.put(stream, long) : null;
      if (blob !== null) texts.set(blob, long);
      if (blob !== null) blobs += blobBytes;
      const sent = requestOf(`${fold}.${at}`, state, texts);
      bytes = await append([
        ...sent,
        ...callOf(`${fold}.${at}`, blob === null ? output : { blob, chars: long.length }, output),
      ]);
      if (fold === 1 && at === 50) handle = handleOf(hashOf(output));
    }
    // Only the newest steps stay in the prompt, as after a fold.
    const last = from + entriesPerStep * stepsDropped - 1;
    await append([epoch(head, [{ type: "dropped", from: `${oldest}.0`, to: `${last}.0` }])]);
    oldest = last + 2;
  }
  await append([{ type: "turn-ended", reason: "done", detail: "" }]);
  await lease.release();
  return handle;
}

const model = usualModel("sim-large", "anthropic");
const first: readonly EntryBody[] = [
  {
    type: "session-started",
    format: logFormat,
    session: brand(session),
    lane: mainLane,
    project: null,
    cwd: "/w",
    version: "0",
  },
  { type: "model-chosen", model },
  { type: "message-added", text: "a request" },
];

function epoch(
  head: { readonly tools: Hash; readonly system: Hash },
  edits: Extract<EntryBody, { readonly type: "epoch-opened" }>["edits"],
): EntryBody {
  const cost = { tokensRewritten: 0, reasoningTokensLost: 0, usd: null };
  return {
    type: "epoch-opened",
    reason: edits.length === 0 ? "start" : "compacted",
    detail: "",
    head,
    model,
    userContext: "context",
    edits,
    cost,
  };
}

const entriesPerStep = 5;

/** The request of a step and its answer. The provider reads what the request before left, and writes the rest. */
function requestOf(name: string, state: State, texts: ReadonlyMap<Hash, string>): readonly EntryBody[] {
  const segments = codecFor("anthropic").segmentsOfDoc(docOf(state, { tools: [], system: staticSections }, texts));
  const promptTokens = segments.reduce((sum, segment) => sum + tokensOf(segment), 0);
  const cacheRead = state.sent?.predicted.promptTokens ?? 0;
  const usage = { ...noUsage, cacheRead, cacheWrite5m: promptTokens - cacheRead, output: 100 };
  const request = brand<"RequestId">(`req_${name}`);
  const callId = brand<"CallId">(`call_${name}`);
  return [
    {
      type: "request-sent",
      request,
      purpose: "step",
      attempt: 1,
      segments: segments.length,
      chain: chainHashes(segments).at(-1) ?? hashOf(""),
      cacheKey: "k",
      marks: [segments.length - 1],
      predicted: { promptTokens, marginTokens: 10, cacheReadTokens: cacheRead, cacheWriteTokens: usage.cacheWrite5m },
    },
    {
      type: "response-received",
      request,
      wire: "anthropic",
      model: "sim-large",
      messageId: `msg_${name}`,
      blocks: [
        { type: "text", text: `I look at ${name}. ${"What it says is taken in and thought about. ".repeat(8)}` },
        { type: "tool-call", callId, tool: "look", input: `{"at":"${name}"}` },
      ],
      stop: "tool-use",
      usage,
      firstTokenMs: 500,
      report: null,
    },
  ];
}

function callOf(
  name: string,
  output: Extract<EntryBody, { readonly type: "tool-returned" }>["output"],
  text: string,
): readonly EntryBody[] {
  const callId = brand<"CallId">(`call_${name}`);
  return [
    { type: "permission-decided", callId, allowed: true, by: "mode", why: "" },
    { type: "tool-started", callId, tool: "look" },
    {
      type: "tool-returned",
      callId,
      tool: "look",
      ending: "done",
      output,
      handle: handleOf(hashOf(text)),
      exitCode: null,
      files: [],
      images: [],
    },
  ];
}
