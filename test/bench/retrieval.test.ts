import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownData } from "../../bench/data-args.ts";
import { measured } from "../../bench/retrieval.ts";
import { retrievalSetsIn } from "../../bench/retrieval-data.ts";

const sets = await retrievalSetsIn(ownData);

test("our own data have at least 40 questions, each with its answer among the chunks", () => {
  for (const { queries, chunks, skipped } of sets) {
    expect(skipped).toEqual([]);
    expect(queries.length).toBeGreaterThanOrEqual(40);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(chunks.length);
  }
});

test("M-67 · on our own data answers stand nearer to the top than with plain BM25, in either half", () => {
  for (const set of sets) {
    const { recall, bm25, even, odd } = measured(set);
    for (const count of ["5", "10", "20"] as const) expect(recall[count]).toBeGreaterThan(bm25[count]);
    for (const { recall: half } of [even, odd]) expect(half?.["10"]).toBeGreaterThan(bm25["10"]);
    expect(recall["5"]).toBeGreaterThanOrEqual(90);
  }
});

test("a folder may be a set itself; what is no row is named, and a query without an answer is no query", async () => {
  const folder = await mkdtemp(join(tmpdir(), "varve-retrieval-"));
  try {
    const chunks = [{ id: "d:10", content: "ten" }, { id: "d:2", content: "two" }, { id: "no text" }];
    const queries = [
      { query: "two?", gold: ["d:2", "gone:1"] },
      { query: "lost?", gold: ["gone:1"] },
    ];
    await writeFile(join(folder, "chunks.jsonl"), `${chunks.map((one) => JSON.stringify(one)).join("\n")}\nnot JSON\n`);
    await writeFile(join(folder, "queries.jsonl"), queries.map((one) => JSON.stringify(one)).join("\n"));
    const [set] = await retrievalSetsIn(folder);
    expect(set?.chunks.map(({ id, doc, place }) => ({ id, doc, place }))).toEqual([
      { id: "d:2", doc: "d", place: 0 },
      { id: "d:10", doc: "d", place: 1 },
    ]);
    expect(set?.queries).toEqual([{ query: "two?", gold: ["d:2"] }]);
    expect(set?.skipped).toHaveLength(3);
    await expect(retrievalSetsIn(join(folder, "none"))).rejects.toThrow("holds no folder");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
