import { join } from "node:path";

/** The small data of the repository's own: what runs when no `--data` is given. */
export const ownData = join(import.meta.dirname, "data");

/** The folder to measure, of a bench that takes `--data DIR` and `--json` and nothing else. */
export function dataIn(bench: string, args: readonly string[]): string {
  const stranger = args.find((arg, at) => arg !== "--json" && arg !== "--data" && args[at - 1] !== "--data");
  if (stranger !== undefined) refused(bench, `expected --data DIR and --json; got "${stranger}"`);
  if (!args.includes("--data")) return ownData;
  const data = args[args.indexOf("--data") + 1];
  return data === undefined || data.startsWith("--") ? refused(bench, "--data: expected a folder") : data;
}

/** A wrong argument is a mistake of the caller, not a failed run. */
export function refused(bench: string, why: string): never {
  process.stderr.write(`bench ${bench}: ${why}\n`);
  process.exit(2);
}
