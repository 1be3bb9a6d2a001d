import { spawnSync } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/adapters/clock.ts";
import { fileStore } from "../src/adapters/store-file.ts";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { longSession, session } from "./long-session.ts";
import { percentile, rounded } from "./timing.ts";

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
    const parse = measured(root, ["parse"]);
    const without = measured(root, ["resume"]);
    const save = measured(root, ["save"], 1);
    const withIt = measured(root, ["resume"]);
    const context = measured(root, ["context", session], 1);
    const rows = {
      parse,
      "resume without checkpoint": without,
      "writing the checkpoint": save,
      "resume with checkpoint": withIt,
      "varve log": measured(root, ["log", session], 1),
      "varve log --verify": measured(root, ["log", session, "--verify"], 1),
      "varve log --list": measured(root, ["log", "--list", "--all"], 1),
      "varve context": context,
      "varve recall": measured(root, ["recall", handle, "--session", session], 1),
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
