import type { CacheUse } from "./cache.ts";
import type { Compacted } from "./compacted.ts";
import type { Fitted } from "./fit.ts";

type Tokens = {
  readonly promptTokens: number;
  readonly use: CacheUse;
  readonly outputTokens: number;
};

/**
 * `input_tokens` is what lies behind the last breakpoint; all parts are disjoint. What a compaction took is billed and stands
 * in `iterations` only (PROTOCOLS A.2).
 */
export function anthropicUsage(
  { promptTokens, use }: Pick<Tokens, "promptTokens" | "use">,
  { outputTokens, reasoningTokens }: Fitted,
  compacted: Compacted | undefined,
): Readonly<Record<string, unknown>> {
  const own = { promptTokens, use, outputTokens };
  const details = { output_tokens_details: { thinking_tokens: reasoningTokens }, service_tier: "standard" };
  if (compacted === undefined) return { ...countsOf(own), ...details };
  const pass = { type: "compaction", ...countsOf(compacted) };
  if (!compacted.goesOn) return { ...countsOf(nothing), ...details, iterations: [pass] };
  return { ...countsOf(own), ...details, iterations: [pass, { type: "message", ...countsOf(own) }] };
}

const nothing: Tokens = {
  promptTokens: 0,
  use: { readTokens: 0, write5mTokens: 0, write1hTokens: 0, writeOtherTokens: 0, write12hTokens: 0, left: [] },
  outputTokens: 0,
};

function countsOf({ promptTokens, use, outputTokens }: Tokens) {
  const { readTokens, write5mTokens, write1hTokens } = use;
  const written = write5mTokens + write1hTokens;
  return {
    input_tokens: promptTokens - readTokens - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: readTokens,
    cache_creation: { ephemeral_5m_input_tokens: write5mTokens, ephemeral_1h_input_tokens: write1hTokens },
    output_tokens: outputTokens,
  };
}
