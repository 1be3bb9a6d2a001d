/** The wires we speak: the request and stream shape, not the vendor. */
export type Wire = "anthropic" | "chat" | "responses" | "gemini";

export const wires: readonly Wire[] = ["anthropic", "responses", "gemini", "chat"];

/**
 * Tokens of one request in disjoint parts, whatever the provider's own way of counting (PROTOCOLS I, normalisation).
 * `reasoning` is a part of `output`, said apart. The whole prompt is the sum of all but `output`.
 */
export type Usage = {
  readonly uncached: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Writes whose lifetime the provider does not name. */
  readonly cacheWriteOther: number;
  readonly output: number;
  readonly reasoning: number;
};

export const noUsage: Usage = {
  uncached: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheWriteOther: 0,
  output: 0,
  reasoning: 0,
};

export function promptTokensOf(usage: Usage): number {
  return usage.uncached + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.cacheWriteOther;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    uncached: a.uncached + b.uncached,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
    cacheWriteOther: a.cacheWriteOther + b.cacheWriteOther,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
  };
}
