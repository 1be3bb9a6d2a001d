import type { AnswerFrame } from "./anthropic-reply.ts";
import type { CacheUse } from "./cache.ts";
import type { Fitted } from "./fit.ts";

/**
 * The input's count INCLUDES what was read and what was written (PROTOCOLS B.2); older models write for nothing and say 0. A
 * compaction in the answer is counted with it: there is no other place for it.
 */
export function responsesUsage(
  { promptTokens, use, model, compacted }: Pick<AnswerFrame, "promptTokens" | "use" | "model" | "compacted">,
  { outputTokens, reasoningTokens }: Pick<Fitted, "outputTokens" | "reasoningTokens">,
): Readonly<Record<string, unknown>> {
  const goesOn = compacted?.goesOn !== false;
  const passes = [
    ...(compacted === undefined ? [] : [compacted]),
    ...(goesOn ? [{ promptTokens, use, outputTokens }] : []),
  ];
  const sum = (of: (pass: (typeof passes)[number]) => number) => passes.reduce((total, pass) => total + of(pass), 0);
  const used = (of: (use: CacheUse) => number) => sum((pass) => of(pass.use));
  const isBilled = model.responses.cache === "breakpoints";
  const [input, output] = [sum((pass) => pass.promptTokens), sum((pass) => pass.outputTokens)];
  const [written, written12h] = [used((one) => one.writeOtherTokens), used((one) => one.write12hTokens)];
  const details = { ttl_30m_tokens: written - written12h, ttl_12h_tokens: written12h };
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: used((one) => one.readTokens),
      cache_write_tokens: isBilled ? written : 0,
      ...(isBilled ? { cache_write_tokens_details: details } : {}),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: input + output,
  };
}
