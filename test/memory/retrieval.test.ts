import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bounds } from "../../src/kernel/bounds.ts";
import { type Chunk, prepared, rank } from "../../src/memory/retrieval.ts";
import { rankWeights } from "../../src/memory/retrieval-weights.ts";

const chunk = (id: string, text: string, title = ""): Chunk => {
  const [doc = "", place] = id.split(":");
  return { id, doc, place: Number(place ?? 0), title, text };
};

const filler = ["alpha beta gamma", "delta epsilon zeta", "eta theta iota", "kappa lambda mu"].map((text, at) =>
  chunk(`filler${at}:0`, text),
);

const first = (query: string, chunks: readonly Chunk[], weights = {}) =>
  rank(query, prepared([...chunks, ...filler]), { ...rankWeights, ...weights })[0]?.id;

describe("each signal decides between chunks that are equal without it", () => {
  test("doc: a method is looked for in the class that was named, though only the class's beginning names it", () => {
    const chunks = [
      chunk("other:0", "class Painter"),
      chunk("other:1", "decode reads all bytes"),
      chunk("wanted:0", "class Morse"),
      chunk("wanted:1", "decode reads all bytes"),
    ];
    const query = "How does decode of Morse work?";
    const places = (weights: object) => {
      const ids = rank(query, prepared([...chunks, ...filler]), { ...rankWeights, ...weights }).map(({ id }) => id);
      return [ids.indexOf("wanted:1"), ids.indexOf("other:1")];
    };
    const isNearer = ([wanted = -1, other = -1]: readonly number[]) => wanted < other;
    expect(isNearer(places({}))).toBe(true);
    expect(isNearer(places({ doc: 0, first: 0, docNames: 0 }))).toBe(false);
  });

  test("first: what a document is for stands at its beginning", () => {
    const chunks = [chunk("a:1", "scheduler ticks"), chunk("a:0", "scheduler ticks")];
    expect(first("purpose of the scheduler", chunks)).toBe("a:0");
    expect(first("purpose of the scheduler", chunks, { first: 0 })).toBe("a:1");
  });

  test("phrase: words that stand side by side in the question", () => {
    const chunks = [chunk("a:0", "key red cache green"), chunk("b:0", "red cache key green")];
    expect(first("cache key", chunks)).toBe("b:0");
    expect(first("cache key", chunks, { phrase: 0 })).toBe("a:0");
  });

  test("names and defined: where a thing is defined comes before where it is used", () => {
    const chunks = [chunk("a:0", "x = total(cart)"), chunk("b:0", "def total(cart)")];
    expect(first("What does the total function do?", chunks)).toBe("b:0");
    expect(first("What does the total function do?", chunks, { names: 0, docNames: 0, defined: 0 })).toBe("a:0");
  });

  test("titled: what a path or a heading says", () => {
    const chunks = [chunk("a:0", "opens lease files"), chunk("b:0", "opens files files", "store/lease.ts")];
    expect(first("lease", chunks)).toBe("b:0");
  });

  test("related: a question says create where code says new", () => {
    const chunks = [chunk("a:0", "pools shrink"), chunk("b:0", "pools new")];
    expect(first("How do I instantiate pools?", chunks)).toBe("b:0");
    expect(first("How do I instantiate pools?", chunks, { related: 0 })).toBe("a:0");
  });
});

describe("ranking", () => {
  test("what has nothing of the question is left out, and a question without words finds nothing", () => {
    const all = prepared([chunk("a:0", "lease files"), ...filler]);
    expect(rank("lease", all).map(({ id }) => id)).toEqual(["a:0"]);
    expect(rank("", all)).toEqual([]);
    expect(rank("?!", all)).toEqual([]);
    expect(rank("lease", prepared([]))).toEqual([]);
  });

  test("words of any question count next to nothing, but a question of nothing else is answered", () => {
    const chunks = [chunk("a:0", "what does the how of it do"), chunk("b:0", "retry with delay")];
    expect(first("What does the retry do?", chunks)).toBe("b:0");
    expect(first("what does it do", chunks)).toBe("a:0");
  });

  test("an identifier is found however it is written", () => {
    const chunks = [chunk("a:0", "run the target"), chunk("b:0", "fn run_target(&self)")];
    expect(first("What does runTarget do?", chunks)).toBe("b:0");
    expect(first("run-target", chunks)).toBe("b:0");
  });

  test("Chinese and Japanese are found by neighbouring characters", () => {
    const chunks = [
      chunk("a:0", "删除旧文件的函数"),
      chunk("b:0", "保存会话的索引"),
      chunk("c:0", "検索の結果を並べる"),
    ];
    expect(first("索引在哪里保存", chunks)).toBe("b:0");
    expect(first("検索結果", chunks)).toBe("c:0");
  });

  test("the corpus says how rare a word is where the chunks are only candidates", () => {
    const chunks = [chunk("a:0", "lease"), chunk("b:0", "fence")];
    const corpus = (common: string) => ({ chunks: 1000, chunksWith: (term: string) => (term === common ? 900 : 2) });
    const best = (common: string) => rank("lease fence", prepared(chunks, corpus(common)))[0]?.id;
    expect(best("leas")).toBe("b:0");
    expect(best("fenc")).toBe("a:0");
  });

  test("of a question only the beginning is compared", () => {
    const all = prepared([chunk("a:0", "lease"), ...filler]);
    expect(rank(`${"x ".repeat(bounds.questionCharsMax / 2)}lease`, all)).toEqual([]);
    expect(rank(`lease ${"x ".repeat(bounds.questionCharsMax)}`, all)[0]?.id).toBe("a:0");
  });

  test("scores lie between 0 and 1, best first, and do not depend on the order of the chunks", () => {
    const word = fc.constantFrom("lease", "fence", "run_target", "的索引", "class", "def", "the", "how");
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), text, (texts, query) => {
        const chunks = texts.map((one, at) => chunk(`d${at % 3}:${Math.floor(at / 3)}`, one));
        const scores = rank(query, prepared(chunks));
        expect(scores.every(({ score }) => score > 0 && score <= 1)).toBe(true);
        expect(scores.map(({ score }) => score)).toEqual(scores.map(({ score }) => score).toSorted((a, b) => b - a));
        const byId = (list: typeof scores) => new Map(list.map(({ id, score }) => [id, Math.round(score * 1e9)]));
        expect(byId(rank(query, prepared(chunks.toReversed())))).toEqual(byId(scores));
      }),
      { numRuns: 100 },
    );
  });
});
