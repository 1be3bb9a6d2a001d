import { bounds } from "../kernel/bounds.ts";
import type { Searchable } from "./tool-search-fields.ts";
import { nearTools, toolsAsked } from "./tool-search-names.ts";
import { toolRanking } from "./tool-search-rank.ts";

export type { Searchable };

/** `near`: names like one that was asked for and is not there. */
type ToolHits<T> = { readonly hits: readonly T[]; readonly near: readonly string[] };

export type ToolIndex<T> = {
  /** Best first; nothing where nothing fits. */
  search(query: string, limit: number): ToolHits<T>;
};

/**
 * Finds tools among many: those that are named exactly first (`mcp__x__y`, the server's own name, `select:a,b`), then by what
 * was said (docs/decisions/0045-tool-search.md). `+word` leaves only tools with that word in their name or server's name.
 */
export function toolIndex<T extends Searchable>(tools: readonly T[]): ToolIndex<T> {
  // Most sessions never search, and a query that names tools needs no ranking.
  let ranking: ReturnType<typeof toolRanking> | null = null;
  return {
    search: (query, limit) => {
      const { named, missing, said, only } = toolsAsked(query.slice(0, bounds.questionCharsMax), tools);
      ranking ??= toolRanking(tools);
      const ranked = said === null ? [] : ranking(said).flatMap(({ tool }) => tools[tool] ?? []);
      const hits = [...new Set([...named, ...ranked.filter(only)])].slice(0, limit);
      const wanted = hits.length === 0 && said !== null ? [said] : missing;
      return { hits, near: nearTools(wanted, tools) };
    },
  };
}
