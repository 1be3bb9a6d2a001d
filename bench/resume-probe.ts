import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../src/adapters/clock.ts";
import { fileStore } from "../src/adapters/store-file.ts";
import { headOf } from "../src/agent/head.ts";
import { loadState, saveState } from "../src/agent/stored-state.ts";
import { textCache } from "../src/agent/texts.ts";
import { runProgram } from "../src/cli/program.ts";
import { brand, mainLane } from "../src/kernel/ids.ts";
import { blobsOf } from "../src/prompt/render.ts";

/** One way to read a session, in a process of its own: `node resume-probe.ts ROOT SESSION WAY...`; the figures go to stderr. */
const [root = "", session = "", way = "", ...args] = process.argv.slice(2);
const stream = { type: "lane", session: brand<"SessionId">(session), lane: mainLane } as const;

/** The floor: the log's lines through `JSON.parse`, nothing checked and nothing kept. */
async function parse(): Promise<void> {
  const text = await readFile(join(root, "sessions", session, "main.jsonl"), "utf8");
  for (const line of text.split("\n")) if (line !== "") JSON.parse(line);
}

/** What opening does before the first request: state, head, every text that the prompt shows. */
async function resume(): Promise<void> {
  const stores = fileStore({ root, clock: systemClock });
  const { state, damage } = await loadState(stores.log, stores.checkpoints, stream);
  if (damage.length > 0) throw new Error("the bench's own log is damaged");
  const getBlob = async (hash: Parameters<typeof stores.blobs.get>[1]) =>
    new TextDecoder().decode((await stores.blobs.get(stream, hash)) ?? new Uint8Array());
  const texts = textCache({ getBlob, putBlob: () => Promise.reject(new Error("reading only")) });
  await texts.load(blobsOf(state));
  if ((await headOf(state, texts)) === null) throw new Error("the bench's own session has no head");
}

async function save(): Promise<void> {
  const stores = fileStore({ root, clock: systemClock });
  const opened = await loadState(stores.log, null, stream);
  await saveState(stores.log, stores.checkpoints, stream, opened);
}

const start = performance.now();
const ways: Readonly<Record<string, () => Promise<unknown>>> = { parse, resume, save };
await (ways[way] ?? (() => runProgram(["node", "varve", way, ...args])))();
const ms = Math.round(performance.now() - start);
process.stderr.write(`\n${JSON.stringify({ ms, rssMb: Math.round(process.resourceUsage().maxRSS / 1024) })}\n`);
