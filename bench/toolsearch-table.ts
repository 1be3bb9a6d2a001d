import { at, rowsOf } from "./results-file.ts";
import { shown, table } from "./results-tables.ts";

type Row = Readonly<Record<string, unknown>>;

/** Of the object that the bench prints; recall in %. Where it ran with `--signals`, also without each of them. */
export function toolSearchTables(result: Row): string {
  return rowsOf(result, "sets").map(setTable).join("\n\n");
}

/** Of the queries in `bench/data`, which were looked at while words were chosen. */
export function ownToolSearchTables(result: Row): string {
  return `Fitted: words that mean about the same were added after looking at what these queries missed.\n\n${toolSearchTables(result)}`;
}

function setTable(set: Row): string {
  const signals = rowsOf(set, "signals").flatMap((row) =>
    withHalves(`without ${shown(row.without)}`, row, set.queries),
  );
  const plain = line("plain BM25", set.queries, set.bm25);
  const query = `${shown(at(set, "ms", "p50"))} ms (p95 ${shown(at(set, "ms", "p95"))})`;
  const tokens = `All definitions: ${shown(at(set, "tokens", "full"))} tokens; what stands in their place: ${shown(at(set, "tokens", "deferred"))}.`;
  return [
    `${shown(set.name)}: ${shown(set.tools)} tools, indexed in ${shown(set.indexMs)} ms of processor time; a query takes ${query}. ${tokens}`,
    table(["", "queries", "recall@1", "@3", "@5"], [...withHalves("ours", set, set.queries), plain, ...signals]),
  ].join("\n\n");
}

function withHalves(what: string, row: Row, queries: unknown): readonly (readonly string[])[] {
  const half = (name: "even" | "odd") => line(`${name} half`, at(row, name, "queries"), row[name]);
  return [line(what, queries, row), half("even"), half("odd")];
}

function line(what: string, queries: unknown, recall: unknown): readonly string[] {
  const cell = (count: string) => {
    const share = at(recall, count);
    return typeof share === "number" ? share.toFixed(1) : "";
  };
  return [what, shown(queries), cell("at1"), cell("at3"), cell("at5")];
}
