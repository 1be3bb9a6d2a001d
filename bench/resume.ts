import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/adapters/clock.ts";
import { fileStore } from "../src/adapters/store-file.ts";
import { canonicalJson, isRecord } from "../src/kernel/canonical.ts";
import { handleOf, hashOf } from "../src/kernel/hash.ts";
import { brand, type Hash, mainLane } from "../src/kernel/ids.ts";
import { parseJson } from "../src/kernel/json.ts";
import { type EntryBody, logFormat } from "../src/log/entry.ts";
import type { Stores, StreamId } from "../src/ports/store.ts";
import { staticSections } from "../src/prompt/sections.ts";
import { usualModel } from "../src/provider/usual-model.ts";
import { percentile, rounded } from "./timing.ts";

const session = "20261129-100000-bench100";
const stream: StreamId = { type: "lane", session: brand(session), lane: mainLane };
const megabyte = 1024 * 1024;
const logMb = 70;
const blobsMb = 30;
const blobBytes = 20_000;
const stepsBetweenFolds = 100;
const stepsDropped = 50;
const runs = 3;

/**
 * A session of 100 MB, log and blobs, as thousands of folded steps leave it: opening it with and without its checkpoint and
 * the commands that read it, each in a process of its own, beside `JSON.parse` of the log's lines alone.
 */
export async function runResume(): Promise<object> {
  const root = await mkdtemp(join(tmpdir(), "varve-bench-"));
  try {
    const handle = await written(fileStore({ root, clock: systemClock, sync: false }));
    const { size } = await stat(join(root, "sessions", session, "main.jsonl"));
    const parse = measured(root, ["parse"]);
    const without = measured(root, ["resume"]);
    const save = measured(root, ["save"], 1);
    const withIt = measured(root, ["resume"]);
    const rows = {
      parse,
      "resume without checkpoint": without,
      "writing the checkpoint": save,
      "resume with checkpoint": withIt,
      "varve log": measured(root, ["log", session], 1),
      "varve log --verify": measured(root, ["log", session, "--verify"], 1),
      "varve log --list": measured(root, ["log", "--list", "--all"], 1),
      "varve recall": measured(root, ["recall", handle, "--session", session], 1),
    };
    const ratios = { withCheckpoint: rounded(withIt.ms / parse.ms), without: rounded(without.ms / parse.ms) };
    return { logMb: Math.round(size / megabyte), blobsMb, rows, toParsingTheLog: ratios };
  } finally {
    await rm(root, { recursive: true });
  }
}

type Figures = { readonly ms: number; readonly rssMb: number };

function measured(root: string, args: readonly string[], times: number = runs): Figures {
  const found = Array.from({ length: times }, () => once(root, args));
  return {
    ms: percentile(
      found.map(({ ms }) => ms),
      0.5,
    ),
    rssMb: Math.max(...found.map(({ rssMb }) => rssMb)),
  };
}

function once(root: string, args: readonly string[]): Figures {
  const probe = join(import.meta.dirname, "resume-probe.ts");
  const env = { ...process.env, VARVE_HOME: root };
  const ended = spawnSync(process.execPath, [probe, root, session, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: 64 * megabyte,
  });
  const said = ended.stderr.toString();
  const last = parseJson(said.trim().split("\n").at(-1) ?? "");
  const value = last.type === "ok" && isRecord(last.value) ? last.value : {};
  if (typeof value.ms !== "number" || typeof value.rssMb !== "number") throw new Error(`${args.join(" ")}: ${said}`);
  return { ms: value.ms, rssMb: value.rssMb };
}

/** A handle in the middle is returned, to be recalled. */
async function written(stores: Stores): Promise<string> {
  const lease = await stores.log.lease(stream, "bench");
  if (lease.type !== "leased") throw new Error("the bench's own store is busy");
  const head = {
    tools: await stores.blobs.put(stream, "[]"),
    system: await stores.blobs.put(stream, canonicalJson(staticSections)),
  };
  let seq = 0;
  const append = async (entries: readonly EntryBody[]) => {
    const result = await stores.log.append({ stream, expectedSeq: seq, fence: lease.fence, entries });
    if (result.type !== "appended") throw new Error(`the append was answered with ${result.type}`);
    seq = result.head.seq;
    return Number(result.head.hint?.split(":")[2]);
  };
  await append([...first, epoch(head, [])]);
  let handle = "";
  let bytes = 0;
  let oldest = seq + 2;
  for (let fold = 0; bytes < logMb * megabyte; fold += 1) {
    const from = seq + 1;
    const steps: EntryBody[] = [];
    for (let at = 0; at < stepsBetweenFolds; at += 1) {
      const output = `result ${fold}.${at}\n${"line of a result of usual size\n".repeat(16)}`;
      // Until they are used up, one result in a few is a long one.
      const long = fold * 25 + at / 4 < (blobsMb * megabyte) / blobBytes && at % 4 === 0;
      const blob = long ? await stores.blobs.put(stream, output.repeat(blobBytes / output.length)) : null;
      steps.push(...stepOf(`${fold}.${at}`, blob === null ? output : { blob, chars: blobBytes }, output));
      if (fold === 20 && at === 50) handle = handleOf(hashOf(output));
    }
    bytes = await append(steps);
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

function stepOf(
  name: string,
  output: Extract<EntryBody, { readonly type: "tool-returned" }>["output"],
  text: string,
): readonly EntryBody[] {
  const callId = brand<"CallId">(`call_${name}`);
  const request = brand<"RequestId">(`req_${name}`);
  return [
    {
      type: "request-sent",
      request,
      purpose: "step",
      attempt: 1,
      segments: 1,
      chain: hashOf(name),
      cacheKey: "k",
      marks: [],
      predicted: { promptTokens: 1_000, marginTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 },
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
      usage: null,
      firstTokenMs: null,
      report: null,
    },
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
