import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/adapters/clock.ts";
import { fileStore } from "../src/adapters/store-file.ts";
import { longSession, session } from "./long-session.ts";
import { readTime } from "./resume-time.ts";
import { rounded } from "./timing.ts";

const megabyte = 1024 * 1024;
const logMb = 70;
const blobsMb = 30;
const runs = 3;

/**
 * A session of 100 MB, log and blobs, as thousands of folded steps leave it: opening it with and without its checkpoint and
 * the commands that read it, each in a process of its own, beside `JSON.parse` of the log's lines alone.
 */
export async function runResume(): Promise<object> {
  const root = await mkdtemp(join(tmpdir(), "varve-bench-"));
  try {
    const stores = fileStore({ root, clock: systemClock, sync: false });
    const handle = await longSession(stores, { logBytes: logMb * megabyte, blobsBytes: blobsMb * megabyte });
    const { size } = await stat(join(root, "sessions", session, "main.jsonl"));
    const measured = (args: readonly string[], times: number = runs) => readTime({ root, session }, args, times);
    const parse = measured(["parse"]);
    const without = measured(["resume"]);
    const save = measured(["save"], 1);
    const withIt = measured(["resume"]);
    const context = measured(["context", session], 1);
    const rows = {
      parse,
      "resume without checkpoint": without,
      "writing the checkpoint": save,
      "resume with checkpoint": withIt,
      "varve log": measured(["log", session], 1),
      "varve log --verify": measured(["log", session, "--verify"], 1),
      "varve log --list": measured(["log", "--list", "--all"], 1),
      "varve context": context,
      "varve recall": measured(["recall", handle, "--session", session], 1),
    };
    const ratios = {
      withCheckpoint: rounded(withIt.ms / parse.ms),
      without: rounded(without.ms / parse.ms),
      context: rounded(context.ms / parse.ms),
    };
    return { logMb: Math.round(size / megabyte), blobsMb, rows, toParsingTheLog: ratios };
  } finally {
    await rm(root, { recursive: true });
  }
}
