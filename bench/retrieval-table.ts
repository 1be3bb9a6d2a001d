import { shown, table } from "./results-tables.ts";
import type { Recall, SetRow, Signal } from "./retrieval.ts";

/** For people. Recall in %. */
export function retrievalTable({ signals = [], ...row }: SetRow & { readonly signals?: readonly Signal[] }): string {
  const { name, docs, queries, indexMs, queryMs } = row;
  const ours = (what: string, { recall, even, odd }: Pick<SetRow, "recall" | "even" | "odd">) => [
    [what, shown(queries), ...cells(recall)],
    ["even half", shown(even.queries), ...cells(even.recall)],
    ["odd half", shown(odd.queries), ...cells(odd.recall)],
  ];
  const rows = [
    ...ours("ours", row),
    ["plain BM25", shown(queries), ...cells(row.bm25)],
    ...signals.flatMap((signal) => ours(`without ${signal.without}`, signal)),
  ];
  return [
    `${name}: ${docs} chunks, ${queries} queries; reading all ${shown(indexMs)} ms, a query ${shown(queryMs.p50)} ms (p95 ${shown(queryMs.p95)})`,
    table(["", "queries", "recall@5", "@10", "@20"], rows),
  ].join("\n\n");
}

function cells(recall: Recall | null): readonly string[] {
  return recall === null ? ["", "", ""] : [recall["5"], recall["10"], recall["20"]].map((share) => share.toFixed(1));
}
