import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Outcome } from "./fake-tools.ts";
import { filesBelow } from "./files-below.ts";

type Run = { readonly outcome: Outcome; readonly files: ReadonlyMap<string, string> };

/** The same command on the same files does the same: the sample's commands read no clock. */
const known = new Map<string, Run>();

/** Runs a command for real, in a copy of the files; what it did to them is done to the map. */
export function commandIn(files: Map<string, string>, command: string): Outcome {
  const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const key = createHash("sha256")
    .update(JSON.stringify([command, entries]))
    .digest("hex");
  const run = known.get(key) ?? runCommand(files, command);
  known.set(key, run);
  for (const path of files.keys()) if (!run.files.has(path)) files.delete(path);
  for (const [path, text] of run.files) files.set(path, text);
  return run.outcome;
}

function runCommand(files: ReadonlyMap<string, string>, command: string): Run {
  const copy = mkdtempSync(join(tmpdir(), "varve-command-"));
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      writeFileSync(join(copy, path), text);
    }
    const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` };
    const run = spawnSync("bash", ["-c", command], { cwd: copy, env, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    const text = `${run.stdout}${run.stderr}`;
    return {
      outcome: { text: text === "" ? "[no output]" : text, isError: run.status !== 0 },
      files: filesBelow(copy),
    };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
