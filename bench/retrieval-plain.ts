import type { Chunk } from "../src/memory/retrieval.ts";
import { wordsOf } from "../src/memory/retrieval-terms.ts";

/** What ours is compared with: BM25 over the words of each chunk, identifiers cut into their parts, and nothing else. */
export function plainRanking(chunks: readonly Chunk[]): (query: string) => readonly string[] {
  const texts = chunks.map(({ id, title, text }) => {
    const words = plainWords(`${title}\n${text}`);
    return {
      id,
      counts: new Map([...Map.groupBy(words, (word) => word)].map(([word, { length }]) => [word, length])),
      length: words.length,
    };
  });
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  return (query) => {
    const words = [...new Set(plainWords(query))].map((word) => {
      const held = texts.filter(({ counts }) => counts.has(word)).length;
      return { word, rarity: Math.log(1 + (texts.length - held + 0.5) / (held + 0.5)) };
    });
    const scored = texts.map(({ id, counts, length }) => {
      const longer = saturation * (1 - lengthShare + (lengthShare * length) / mean);
      const score = words.reduce((sum, { word, rarity }) => {
        const count = counts.get(word) ?? 0;
        return sum + (rarity * (saturation + 1) * count) / (count + longer);
      }, 0);
      return { id, score };
    });
    const found = scored.filter(({ score }) => score > 0);
    return found.toSorted((a, b) => b.score - a.score).map(({ id }) => id);
  };
}

const saturation = 1.2;
const lengthShare = 0.75;

function plainWords(text: string): readonly string[] {
  return wordsOf(text).flatMap(({ parts }) => parts);
}
