import { fstatSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { bounds } from "../kernel/bounds.ts";
import { UsageError } from "./exit.ts";

/**
 * What was piped in. A terminal or an empty device gives nothing. With a prompt on the command line a pipe that stays
 * silent is given up after `bounds.stdinSilentMsMax`: a parent may have left it open without meaning to write.
 */
export async function readStdin(hasPrompt: boolean): Promise<string> {
  const stat = fstatSync(0);
  if (process.stdin.isTTY || !(stat.isFIFO() || stat.isFile() || stat.isSocket())) return "";
  const chunks: Buffer[] = [];
  const input = process.stdin[Symbol.asyncIterator]();
  let bytes = 0;
  for (let first = true; ; first = false) {
    const next = input.next();
    const late =
      hasPrompt && first
        ? sleep(bounds.stdinSilentMsMax, "late" as const, { ref: false })
        : new Promise<never>(() => {});
    const result = await Promise.race([next, late]);
    if (result === "late") {
      process.stdin.destroy();
      return "";
    }
    if (result.done === true) break;
    const chunk = Buffer.from(result.value);
    bytes += chunk.length;
    if (bytes > bounds.stdinBytesMax)
      throw new UsageError(`stdin holds more than ${bounds.stdinBytesMax / 1024 / 1024} MB; name a file instead`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
