import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { percentile } from "./timing.ts";

/** One way to read a session, in a process of its own. */
export type ReadTime = { readonly ms: number; readonly rssMb: number };

const outputBytesMax = 64 * 1024 * 1024;

/** The median time and the largest memory of `times` processes that read the session that way (resume-probe.ts). */
export function readTime(
  { root, session }: { readonly root: string; readonly session: string },
  args: readonly string[],
  times: number,
): ReadTime {
  const found = Array.from({ length: times }, () => once(root, session, args));
  return {
    ms: percentile(
      found.map(({ ms }) => ms),
      0.5,
    ),
    rssMb: Math.max(...found.map(({ rssMb }) => rssMb)),
  };
}

function once(root: string, session: string, args: readonly string[]): ReadTime {
  const probe = join(import.meta.dirname, "resume-probe.ts");
  const env = { ...process.env, VARVE_HOME: root };
  const ended = spawnSync(process.execPath, [probe, root, session, ...args], {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: outputBytesMax,
  });
  const said = ended.stderr.toString();
  const last = parseJson(said.trim().split("\n").at(-1) ?? "");
  const value = last.type === "ok" && isRecord(last.value) ? last.value : {};
  if (typeof value.ms !== "number" || typeof value.rssMb !== "number") throw new Error(`${args.join(" ")}: ${said}`);
  return { ms: value.ms, rssMb: value.rssMb };
}
