/**
 * Places texts where nearness is nearness of meaning. Optional: without one, and whenever it has no answer, words alone decide
 * what is found. None comes with the program.
 */
export interface Embedder {
  /** One vector for each text, all of one length; null: not to be had now. Never throws. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[] | null>;
}
