import { describe, expect, test } from "vitest";
import { type Chunk, prepared, rank } from "../../src/memory/retrieval.ts";
import { fused } from "../../src/memory/retrieval-fused.ts";
import type { Embedder } from "../../src/ports/embedder.ts";

/** Stands in for a model: each text by how often it speaks of three things, in whatever words. */
const standIn: Embedder = {
  embed: async (texts) => texts.map((text) => things.map((thing) => text.match(thing)?.length ?? 0)),
};
const things = [/car|automobile|vehicle/g, /delete|erase|wipe/g, /money|price|fee/g];

const chunks: readonly Chunk[] = [
  ["a", "wipe the automobile list"],
  ["b", "list of words"],
  ["c", "price of a ticket"],
].map(([id = "", text = ""]) => ({ id, doc: id, place: 0, title: "", text }));

async function found(query: string, embedder: Embedder = standIn): Promise<readonly string[]> {
  const ranked = rank(query, prepared(chunks));
  const vectors = await embedder.embed([query, ...chunks.map(({ text }) => text)], new AbortController().signal);
  if (vectors === null) return ranked.map(({ id }) => id);
  const [asked = [], ...rest] = vectors;
  const of = new Map(chunks.map(({ id }, at) => [id, rest[at] ?? []]));
  return fused(ranked, { query: asked, chunks: of }).map(({ id }) => id);
}

describe("words and meaning together", () => {
  test("what says the same in other words is found", async () => {
    expect(rank("erase vehicle", prepared(chunks))).toEqual([]);
    expect((await found("erase vehicle"))[0]).toBe("a");
  });

  test("what words find stays where the vectors say nothing", async () => {
    const nothing: Embedder = { embed: async (texts) => texts.map(() => [0, 0, 0]) };
    const all: Embedder = { embed: async (texts) => texts.map(() => [1, 1, 1]) };
    const broken: Embedder = { embed: async (texts) => texts.map((_, at) => (at === 0 ? [1, 1] : [Number.NaN, 1])) };
    const ragged: Embedder = { embed: async (texts) => texts.map((_, at) => (at === 0 ? [1, 1] : [1])) };
    const silent: Embedder = { embed: async () => null };
    const words = rank("price of words", prepared(chunks)).map(({ id }) => id);
    for (const embedder of [nothing, all, broken, ragged, silent])
      expect(await found("price of words", embedder)).toEqual(words);
  });

  test("the best by words is not pushed out by one that is only near", () => {
    const ranked = [
      { id: "exact", score: 0.8 },
      { id: "weak", score: 0.1 },
    ];
    const of = new Map([
      ["exact", [0, 1]],
      ["weak", [0.5, 1]],
      ["near", [1, 0]],
    ]);
    const result = fused(ranked, { query: [1, 0], chunks: of });
    expect(result.map(({ id }) => id)).toEqual(["exact", "near", "weak"]);
    expect(result.every(({ score }) => score <= 0.8)).toBe(true);
  });

  test("a chunk without a vector keeps what words say of it", () => {
    const ranked = [
      { id: "a", score: 0.6 },
      { id: "b", score: 0.2 },
    ];
    const of = new Map([
      ["b", [1, 0]],
      ["c", [0, 1]],
    ]);
    expect(fused(ranked, { query: [1, 0], chunks: of }).map(({ id }) => id)).toEqual(["a", "b"]);
  });
});
