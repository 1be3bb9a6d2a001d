import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { version } from "../src/version.ts";
import { type Part, partsIn, partsText, rowsOf } from "./results-file.ts";
import { resultsPage } from "./results-page.ts";

/**
 * `bench results [--data DIR] [--only ID,ID] [--from FOLDER]`: runs the benches, each in a process of its own, keeps what
 * they print in `docs/results.json` and writes `docs/results.md` from it. `--only` leaves the other parts as they were;
 * `--from` takes `FOLDER/ID.json` where it is there instead of a run. Without `--data` only our own data are measured.
 */
export async function runResults(args: readonly string[]): Promise<object> {
  const option = (name: string) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const data = option("--data");
  const only = option("--only")?.split(",");
  const unknown = only?.find((id) => !jobs.some((job) => job.id === id));
  if (unknown !== undefined)
    throw new Error(`bench results: --only: "${unknown}" is none of ${jobs.map(({ id }) => id).join(", ")}`);
  let parts: readonly Part[] = existsSync(jsonFile) ? partsIn(await readFile(jsonFile, "utf8")) : [];
  const failed: string[] = [];
  for (const job of jobs) {
    const isWanted = (only?.includes(job.id) ?? true) && (data !== undefined || !job.args.includes("DIR"));
    if (!isWanted) continue;
    const made = await partOf(job, data, option("--from"));
    if (made === null) failed.push(job.id);
    else parts = withPart(parts, made);
    // After each bench: a run that is ended early leaves what it has.
    await written(parts);
  }
  await written(parts);
  return { written: parts.map(({ id, date }) => `${id} (${date})`), failed };
}

/** In the order of the jobs, whatever ran when. */
function withPart(parts: readonly Part[], made: Part): readonly Part[] {
  const all = [...parts.filter(({ id }) => id !== made.id), made];
  return jobs.flatMap(({ id }) => all.find((part) => part.id === id) ?? []);
}

async function written(parts: readonly Part[]): Promise<void> {
  await writeFile(jsonFile, partsText(parts));
  await writeFile(join(docs, "results.md"), resultsPage(parts));
}

const outputBytesMax = 256 * 1024 * 1024;
const docs = join(import.meta.dirname, "..", "docs");
const jsonFile = join(docs, "results.json");

type Job = { readonly id: string; readonly args: readonly string[] };

const prices = ["0.1", "0.05", "0.025"];

/** `DIR` stands for the folder of `--data`, in the command that is printed too. */
const jobs: readonly Job[] = [
  ...prices.map((read) => ({ id: `replay-${read}`, args: ["replay", "--data", "DIR", "--read", read] })),
  ...prices.map((read) => ({ id: `own-replay-${read}`, args: ["replay", "--read", read] })),
  { id: "digest", args: ["digest", "--data", "DIR"] },
  { id: "own-digest", args: ["digest"] },
  { id: "estimate", args: ["estimate", "--data", "DIR"] },
  { id: "own-estimate", args: ["estimate"] },
  { id: "retrieval", args: ["retrieval", "--data", "DIR"] },
  { id: "own-retrieval", args: ["retrieval"] },
  { id: "toolsearch", args: ["toolsearch", "--data", "DIR"] },
  { id: "own-toolsearch", args: ["toolsearch"] },
  { id: "steps", args: ["steps"] },
  { id: "long", args: ["long"] },
  { id: "startup", args: ["startup"] },
];

async function partOf({ id, args }: Job, data: string | undefined, from: string | undefined): Promise<Part | null> {
  const command = ["npm run -s bench --", ...args, "--json"].join(" ");
  const file = from === undefined ? null : join(from, `${id}.json`);
  process.stderr.write(`results: ${command}\n`);
  const text = file !== null && existsSync(file) ? await readFile(file, "utf8") : output(args, data ?? "");
  const parsed = text === null ? null : parseJson(text);
  if (parsed?.type !== "ok" || !isRecord(parsed.value)) {
    process.stderr.write(`results: ${id} printed no JSON; its part stays as it was\n`);
    return null;
  }
  const date = new Date().toISOString().slice(0, 10);
  return { id, command, date, version, result: small(parsed.value) };
}

function output(args: readonly string[], data: string): string | null {
  const main = join(import.meta.dirname, "main.ts");
  const own = args.map((arg) => (arg === "DIR" ? data : arg));
  const { status, stdout } = spawnSync(process.execPath, [main, ...own, "--json"], {
    encoding: "utf8",
    maxBuffer: outputBytesMax,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return status === 0 ? stdout : null;
}

/** The page shows sums; what there is of each session, output and constant stays with the bench. */
function small(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const rest = without(result, ["perSession", "leftOut", "wrongAnswers", "fitted"]);
  return Array.isArray(rest.strategies)
    ? { ...rest, strategies: rowsOf(rest, "strategies").map(shownOfStrategy) }
    : rest;
}

function shownOfStrategy(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return without(row, [
    "stepMs",
    "cannotFit",
    "cacheHitsBy",
    "recallCost",
    "reasoningLost",
    "summaryCost",
    "meanTokens",
  ]);
}

function without(
  record: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
