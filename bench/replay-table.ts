import { isRecord } from "../src/kernel/canonical.ts";

/** The result of a run for a reader: one line per strategy. */
export function replayTable(result: { readonly [key: string]: unknown }): string {
  const rows = Array.isArray(result.strategies) ? result.strategies.filter(isRecord) : [];
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => shown(value(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const table = lines.map((line) =>
    line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("  "),
  );
  const leftOut = Array.isArray(result.leftOut) ? result.leftOut.filter(isRecord) : [];
  return [
    `${result.sessions} sessions, ${result.calls} calls, read ${result.read}, ${result.tokens}, lifetimes ${result.lifetimes}; costs in %, append-only = 100`,
    "",
    ...table,
    ...leftOut.map(({ session, why }) => `left out: ${session}: ${why}`),
    "",
  ].join("\n");
}

type Row = Readonly<Record<string, unknown>>;

const columns: readonly { readonly title: string; readonly value: (row: Row) => unknown }[] = [
  { title: "strategy", value: ({ name }) => name },
  { title: "net cost", value: ({ netCost }) => netCost },
  { title: "even", value: ({ even }) => even },
  { title: "odd", value: ({ odd }) => odd },
  { title: "halves p90", value: ({ halves }) => (isRecord(halves) ? halves.p90 : null) },
  { title: "comparable", value: ({ comparable }) => comparable },
  { title: "input", value: ({ inputCost }) => inputCost },
  { title: "visible %", value: ({ visible }) => visible },
  { title: "lost", value: ({ lost }) => lost },
  { title: "across", value: ({ acrossCompaction }) => acrossCompaction },
  { title: "extra %", value: ({ extraSteps }) => extraSteps },
  { title: "breaks/100", value: ({ breaksPer100 }) => breaksPer100 },
  { title: "cache hits %", value: ({ cacheHits }) => cacheHits },
  { title: "mean peak", value: ({ meanPeak }) => meanPeak },
  { title: "over 200k", value: ({ overflows }) => (isRecord(overflows) ? overflows["200k"] : null) },
  { title: "over h32k", value: ({ overflows }) => (isRecord(overflows) ? overflows.h32k : null) },
  { title: "ms p95", value: ({ stepMs }) => (isRecord(stepMs) ? stepMs.p95 : null) },
];

function shown(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return typeof value === "number" && !Number.isInteger(value) ? value.toFixed(1) : String(value);
}
