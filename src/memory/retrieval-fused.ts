import type { Ranked } from "./retrieval.ts";

export type Vectors = {
  readonly query: readonly number[];
  /** By chunk; of those that have one. */
  readonly chunks: ReadonlyMap<string, readonly number[]>;
};

/**
 * What words and what meaning say, together: of the chunks with a vector the nearest counts `meaningWeight` times what the best
 * by words does, the farthest nothing. Scores are added and not places: an embedder that cannot tell chunks apart then does
 * no harm, where places would treat its chance order as a statement.
 */
export function fused(ranked: readonly Ranked[], { query, chunks }: Vectors): readonly Ranked[] {
  const nearness = new Map(
    [...chunks].flatMap(([id, vector]) => {
      const cosine = cosineOf(query, vector);
      return cosine === null ? [] : [[id, cosine] as const];
    }),
  );
  const [least, most] = [Math.min(...nearness.values()), Math.max(...nearness.values())];
  if (nearness.size === 0 || most - least < tellsApartMin) return ranked;
  const best = ranked[0]?.score ?? 1;
  const words = new Map(ranked.map(({ id, score }) => [id, score]));
  const ids = [...new Set([...words.keys(), ...nearness.keys()])];
  const scored = ids.map((id) => {
    const near = ((nearness.get(id) ?? least) - least) / (most - least);
    return { id, score: ((words.get(id) ?? 0) + meaningWeight * best * near) / (1 + meaningWeight) };
  });
  return scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
}

const meaningWeight = 0.4;
const tellsApartMin = 1e-6;

/** null: it says nothing (another length, no direction, no numbers). */
function cosineOf(a: readonly number[], b: readonly number[]): number | null {
  if (a.length !== b.length) return null;
  let [dot, lengthA, lengthB] = [0, 0, 0];
  for (const [at, x] of a.entries()) {
    const y = b[at] ?? 0;
    dot += x * y;
    lengthA += x * x;
    lengthB += y * y;
  }
  const cosine = dot / Math.sqrt(lengthA * lengthB);
  return Number.isFinite(cosine) ? cosine : null;
}
