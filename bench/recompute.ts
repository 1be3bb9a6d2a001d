import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type Count, countBy, type Price, percentOf } from "./recompute-cost.ts";
import { originalResults, type Probe, probesBySession } from "./recompute-data.ts";
import { newTraceReader, type TraceLine } from "./recompute-prompt.ts";

/**
 * The figures of `bench replay --trace FILE` from the trace, the probes and the sessions' own results alone. It imports
 * nothing of the product or of the replay, so that a mistake there is not made twice. `--against FILE` takes the replay's
 * `--json` and fails where a figure differs.
 */
export async function runRecompute(args: readonly string[]): Promise<object> {
  const options = await optionsOf(args);
  const probes = await probesBySession(options.data);
  const price: Price = {
    read: options.read,
    write: options.lifetimes === "1h" ? 2 : 1.25,
    output: 5,
    lifetimeMs: { "5m": 300_000, "1h": 3_600_000, off: null }[options.lifetimes] ?? null,
  };
  const count = await countBy(options.tokens);
  const rows = await readTrace(options.trace, options.data, { probes, price, count });
  const base = rows.get("none")?.cost ?? 0;
  const strategies = [...rows].map(([name, row]) => ({
    name,
    netCost: percentOf(row.cost, base),
    visible: percentOf(row.visible, row.visible + row.recalled + row.unreachable),
    recalled: row.recalled,
    /** Lost, or across a recorded compaction: a trace does not tell them apart. */
    unreachable: row.unreachable,
    extraSteps: percentOf(row.extraSteps, row.calls),
    faults: row.faults,
  }));
  const result = { trace: options.trace, strategies };
  if (options.against === undefined) return result;
  const differences = await differencesTo(options.against, strategies);
  process.exitCode = differences.length === 0 ? 0 : 1;
  return { ...result, differences };
}

/** What a report was made with holds for it, unless said otherwise. */
async function optionsOf(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      trace: { type: "string" },
      against: { type: "string" },
      read: { type: "string" },
      tokens: { type: "string" },
      lifetimes: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const { data, trace, against } = values;
  if (data === undefined || trace === undefined)
    throw new Error("bench recompute: --data DIR and --trace FILE are needed");
  const made: Figures = against === undefined ? {} : JSON.parse(await readFile(against, "utf8"));
  const read = Number(values.read ?? made.read ?? 0.1);
  const tokens = String(values.tokens ?? made.tokens ?? "o200k");
  const lifetimes = String(values.lifetimes ?? made.lifetimes ?? "5m");
  return { data, trace, against, tokens, lifetimes, read };
}

type Row = {
  readonly calls: number;
  readonly cost: number;
  readonly visible: number;
  readonly recalled: number;
  readonly unreachable: number;
  readonly extraSteps: number;
  /** What a trace must not hold, the first of each strategy. */
  readonly faults: readonly string[];
};

const none: Row = { calls: 0, cost: 0, visible: 0, recalled: 0, unreachable: 0, extraSteps: 0, faults: [] };

async function readTrace(
  file: string,
  data: string,
  given: {
    readonly probes: ReadonlyMap<string, readonly Probe[]>;
    readonly price: Price;
    readonly count: Count;
  },
): Promise<ReadonlyMap<string, Row>> {
  const rows = new Map<string, Row>();
  const originals = new Map<string, ReadonlyMap<string, readonly string[]>>();
  let reader = newTraceReader([], new Map(), given);
  let open = "";
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const line: TraceLine = JSON.parse(text);
    if (open !== `${line.strategy} ${line.session}`) {
      open = `${line.strategy} ${line.session}`;
      const own = originals.get(line.session) ?? (await originalResults(data, line.session));
      originals.set(line.session, own);
      reader = newTraceReader(given.probes.get(line.session) ?? [], own, given);
    }
    rows.set(line.strategy, sumOf(rows.get(line.strategy) ?? none, reader(line)));
  }
  return rows;
}

function sumOf(a: Row, b: Row): Row {
  return {
    calls: a.calls + b.calls,
    cost: a.cost + b.cost,
    visible: a.visible + b.visible,
    recalled: a.recalled + b.recalled,
    unreachable: a.unreachable + b.unreachable,
    extraSteps: a.extraSteps + b.extraSteps,
    faults: [...a.faults, ...b.faults].slice(0, 10),
  };
}

type Figures = { readonly [figure: string]: unknown };

/** Costs may differ by a tenth of a point: exact counters cut long texts at other places. */
async function differencesTo(file: string, own: readonly Figures[]): Promise<readonly string[]> {
  const report: { readonly strategies: readonly Figures[] } = JSON.parse(await readFile(file, "utf8"));
  return report.strategies.flatMap((theirs) => {
    const mine = own.find(({ name }) => name === theirs.name);
    if (mine === undefined) return [`${theirs.name}: not in the trace`];
    const unreachable = Number(theirs.lost) + Number(theirs.acrossCompaction);
    const expected: Figures = { ...theirs, unreachable };
    const differing = ["netCost", "visible", "recalled", "unreachable", "extraSteps"].filter(
      (figure) => !(Math.abs(Number(mine[figure]) - Number(expected[figure])) <= (figure === "netCost" ? 0.1 : 0.011)),
    );
    return [
      ...differing.map((figure) => `${theirs.name}: ${figure} is ${mine[figure]} here, ${expected[figure]} there`),
      ...(Array.isArray(mine.faults) ? mine.faults.map((fault) => `${theirs.name}: ${fault}`) : []).filter(
        // What a package takes away without a handle is no fault of its trace; the replay says so itself.
        (fault) => theirs.takesAway === undefined || !fault.endsWith("names no handle"),
      ),
    ];
  });
}
