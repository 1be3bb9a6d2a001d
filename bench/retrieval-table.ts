import { at, rowsOf } from "./results-file.ts";
import { shown, table } from "./results-tables.ts";

type Row = Readonly<Record<string, unknown>>;

/** Of the object that the bench prints; recall in %. Where it ran with `--signals`, also without each of them. */
export function retrievalTables(result: Row): string {
  return rowsOf(result, "sets").map(setTable).join("\n\n");
}

function setTable(set: Row): string {
  const signals = rowsOf(set, "signals").flatMap((row) =>
    withHalves(`without ${shown(row.without)}`, row, set.queries),
  );
  const plain = line("plain BM25", set.queries, set.bm25);
  const query = `${shown(at(set, "queryMs", "p50"))} ms (p95 ${shown(at(set, "queryMs", "p95"))})`;
  return [
    `${shown(set.name)}: ${shown(set.docs)} chunks, read in ${shown(set.indexMs)} ms; a query takes ${query}.`,
    table(["", "queries", "recall@5", "@10", "@20"], [...withHalves("ours", set, set.queries), plain, ...signals]),
  ].join("\n\n");
}

function withHalves(what: string, row: Row, queries: unknown): readonly (readonly string[])[] {
  const half = (name: "even" | "odd") => line(`${name} half`, at(row, name, "queries"), at(row, name, "recall"));
  return [line(what, queries, row.recall), half("even"), half("odd")];
}

function line(what: string, queries: unknown, recall: unknown): readonly string[] {
  const cell = (count: string) => {
    const share = at(recall, count);
    return typeof share === "number" ? share.toFixed(1) : "";
  };
  return [what, shown(queries), cell("5"), cell("10"), cell("20")];
}
