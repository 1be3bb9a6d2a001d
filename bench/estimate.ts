import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { estimate } from "../src/budget/count.ts";
import { exactCounter } from "../src/budget/exact.ts";
import { isRecord } from "../src/kernel/canonical.ts";
import { parseJson } from "../src/kernel/json.ts";
import { dataIn, refused } from "./data-args.ts";
import { sessionEstimates } from "./estimate-sessions.ts";
import { estimateTable } from "./estimate-table.ts";

const charsMax = 40_000;
const roundsOfFit = 2_000;

/**
 * The run costs of `budget/count.ts`: `bench estimate --data DIR` fits them on the even rows of
 * `tool-outputs/outputs.jsonl` against o200k, and reports the error of the costs in use on even and odd rows. `sessions`:
 * predictions of recorded prompts (METRICS 5).
 */
export async function runEstimate(args: readonly string[]): Promise<object | string> {
  const data = dataIn("estimate", args);
  const outputs = (await isThere(join(data, outputsFile))) ? await outputsReport(join(data, outputsFile)) : {};
  const sessions = (await isThere(join(data, "sessions"))) ? await sessionEstimates(join(data, "sessions")) : null;
  if (sessions === null && !("rows" in outputs)) refused("estimate", `${data} holds neither tool-outputs nor sessions`);
  if (args.includes("--json") || sessions === null) return { ...outputs, ...(sessions === null ? {} : { sessions }) };
  return `${JSON.stringify(outputs, null, 2)}\n\n${estimateTable(sessions)}`;
}

const outputsFile = "tool-outputs/outputs.jsonl";

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function outputsReport(file: string): Promise<object> {
  const rows = await rowsOf(file);
  return {
    rows: rows.length,
    fitted: fitted(rows.filter((_, at) => at % 2 === 0)),
    even: errorsOf(rows.filter((_, at) => at % 2 === 0)),
    odd: errorsOf(rows.filter((_, at) => at % 2 === 1)),
  };
}

type Row = {
  readonly runs: readonly number[];
  readonly exact: number;
  readonly estimated: number;
  readonly chars4: number;
};

async function rowsOf(file: string): Promise<readonly Row[]> {
  const exact = await exactCounter();
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const parsed = parseJson(line);
    const value = parsed.type === "ok" && isRecord(parsed.value) ? parsed.value.text : undefined;
    if (typeof value !== "string") throw new Error(`bench estimate: a row of ${file} has no text`);
    const text = value.slice(0, charsMax);
    return { runs: runsOf(text), exact: exact(text), estimated: estimate(text), chars4: text.length / 4 };
  });
}

/** One count per cost: how often it is paid in a text. Bounds keep a cost from standing in for another. */
const costs = [
  { name: "word", pattern: /(?<![A-Za-z\d])[A-Z]*[a-z]*(?<=[A-Za-z])|(?<=[a-z])[A-Z]+[a-z]*/g, from: 1, to: 1.2 },
  { name: "word after a digit", pattern: /(?<=\d)[A-Za-z]+/g, from: 0.25, to: 0.5 },
  { name: "run of digits", pattern: /\d+/g, from: 0.5, to: 0.9 },
  { name: "digit", pattern: /\d/g, from: 0.25, to: 0.4 },
  { name: "white space of two and more", pattern: /[ \t]{2,}/g, from: 0.4, to: 1 },
  { name: "line ends", pattern: /[\r\n]+/g, from: 0.5, to: 1 },
  { name: "run of signs", pattern: /[!-/:-@[-`{-~]+/g, from: 0.3, to: 1 },
  {
    name: "sign behind the first",
    pattern: /(?<=[!-/:-@[-`{-~])[!-/:-@[-`{-~](?<!\1\1([-=*#._~]))/g,
    from: 0.1,
    to: 0.5,
  },
  { name: "sign of a ruler", pattern: /[-=*#._~](?<=\1\1([-=*#._~]))/g, from: 0, to: 0.1 },
  { name: "other letter or sign", pattern: /[^\0-\x7f](?<!\1([\u2500-\u259f\u2010-\u2027]))/g, from: 0.5, to: 0.75 },
  {
    name: "line that goes on",
    pattern: /[\u2500-\u259f\u2010-\u2027](?<=\1([\u2500-\u259f\u2010-\u2027]))/g,
    from: 0.06,
    to: 0.2,
  },
] as const;

function runsOf(text: string): readonly number[] {
  return costs.map(({ pattern }) => text.match(pattern)?.length ?? 0);
}

/** Coordinate descent on the relative error: each row weighs the same, however long. */
function fitted(rows: readonly Row[]): Readonly<Record<string, number>> {
  const weights: number[] = costs.map(({ from }) => from);
  for (let round = 0; round < roundsOfFit; round++) {
    for (const [at, { from, to }] of costs.entries()) {
      let above = 0;
      let below = 1e-9;
      for (const { runs, exact } of rows) {
        const share = (runs[at] ?? 0) / exact;
        const sum = runs.reduce((total, count, other) => total + count * (weights[other] ?? 0), 0);
        above += share * ((exact - sum) / exact + (weights[at] ?? 0) * share);
        below += share * share;
      }
      weights[at] = Math.min(to, Math.max(from, above / below));
    }
  }
  return Object.fromEntries(costs.map(({ name }, at) => [name, Math.round((weights[at] ?? 0) * 1_000) / 1_000]));
}

function errorsOf(rows: readonly Row[]): object {
  const sorted = (value: (row: Row) => number) =>
    rows.map((row) => Math.abs(value(row) - row.exact) / row.exact).toSorted((a, b) => a - b);
  const at = (errors: readonly number[], share: number) =>
    Math.round((errors[Math.floor(errors.length * share)] ?? 0) * 1_000) / 10;
  const own = sorted((row) => row.estimated);
  const plain = sorted((row) => row.chars4);
  return { p50: at(own, 0.5), p95: at(own, 0.95), chars4: { p50: at(plain, 0.5), p95: at(plain, 0.95) } };
}
