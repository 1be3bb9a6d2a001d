import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { type Candidate, chosenOf } from "../../src/memory/project-choice.ts";
import { sortOf, turnOf } from "../../src/memory/project-file.ts";
import { termsOf } from "../../src/memory/retrieval-terms.ts";

/** Texts as pieces of documents of their own, in a corpus of `pieces` in which the other ones hold `usual`. */
function chosen(
  query: string,
  texts: readonly string[],
  { pieces = 500, usual = {} as Readonly<Record<string, number>>, doc = (at: number) => `${at}` } = {},
) {
  const candidates = texts.map(
    (text, at): Candidate => ({ id: `${at}`, doc: doc(at), place: at, title: "", text, weight: 1 }),
  );
  const held = (term: string) => texts.filter((text) => termsOf(text).includes(term)).length;
  const corpus = { chunks: pieces, chunksWith: (term: string) => held(term) + (usual[term] ?? 0) };
  const found = chosenOf(query, candidates, corpus, { limit: 10, vectors: null });
  return { ids: found.chosen.map(({ id }) => id), near: found.near };
}

describe("what is enough", () => {
  test("a piece with all of the words comes before one with some of them", () => {
    expect(chosen("retry payment", ["retry alone", "retry a payment"]).ids).toEqual(["1", "0"]);
  });
  test("one common word of several is not, and is named as near with what it lacks", () => {
    const { ids, near } = chosen("session quorum leader", ["a session"], { usual: { session: 200 } });
    expect([ids, near]).toEqual([[], [{ id: "0", held: expect.any(Number), lacks: ["quorum", "leader"] }]]);
  });
  test("beside a piece that holds enough, another of its document needs half as much; alone it does not do", () => {
    const texts = ["class Quorum elects a leader", "the leader of a session waits", "a leader"];
    const usual = { leader: 20 };
    const asked = "how is the leader of a quorum elected";
    expect(chosen(asked, texts, { usual, doc: () => "one" }).ids.toSorted()).toEqual(["0", "1", "2"]);
    expect(chosen(asked, texts, { usual }).ids).toEqual(["0"]);
  });
  test("a word that is written otherwise there is no reason to find nothing", () => {
    const usual = { price: 40, model: 150 };
    expect(
      chosen("how are prices of models overridden", ["prices of a model, by a file of one's own"], { usual }).ids,
    ).toEqual(["0"]);
  });
  test("a word inside another one may be chance: alone it is found, beside others it is not enough", () => {
    expect(chosen("dentit", ["const identity = 1"]).ids).toEqual(["0"]);
    expect(chosen("sourdough bread", ["const blobReader = 1"]).ids).toEqual([]);
  });
  test("another word of the trade for the same counts, the very word more", () => {
    expect(chosen("delete the account", ["erase an account", "delete an account"]).ids).toEqual(["1", "0"]);
  });
  test("small words say nothing, unless there are no others", () => {
    expect(chosen("how do I use the quorum", ["how do I use the thing", "quorum"]).ids).toEqual(["1"]);
    expect(chosen("what is this", ["what is this", "other"]).ids).toEqual(["0"]);
  });
  test("nothing asked and nothing there is nothing found", () => {
    expect(chosen("", ["a"]).ids).toEqual([]);
    expect(chosen("a", []).ids).toEqual([]);
    expect(chosen("?!", ["?!"]).ids).toEqual([]);
  });
});

describe("which files, and in which order", () => {
  test.each([
    ["README", 10, "docs"],
    ["docs/a.RST", 10, "docs"],
    ["src/a.zig", 10, "code"],
    ["Makefile", 10, "code"],
    ["a.png", 10, "binary"],
    ["package-lock.json", 10, "generated"],
    ["dist/app.min.js", 10, "generated"],
    ["data.csv", bounds.projectDataBytesMax, "code"],
    ["data.csv", bounds.projectDataBytesMax + 1, "huge"],
    ["src/big.ts", bounds.projectFileBytesMax, "code"],
    ["src/big.ts", bounds.projectFileBytesMax + 1, "huge"],
  ])("%s of %i bytes is %s", (path, bytes, wanted) => {
    const sort = sortOf(path, bytes);
    expect(sort.type === "left-out" ? sort.why : sort.type).toBe(wanted);
  });
  test("what people wrote about the project first, then other prose, then source", () => {
    const paths = [
      "src/deep/a.ts",
      "docs/other.md",
      "docs/decisions.md",
      "a.ts",
      "README.md",
      "docs/project-context.md",
    ];
    expect(paths.toSorted((a, b) => turnOf(a) - turnOf(b))).toEqual([
      ...["docs/project-context.md", "docs/decisions.md", "README.md", "docs/other.md", "a.ts", "src/deep/a.ts"],
    ]);
  });
});
