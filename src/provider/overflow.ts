/** What an error says of sizes: the prompt's and the limit's tokens, where it names them. */
export type Sizes = { readonly promptTokens: number | null; readonly limitTokens: number | null };

/** Structured names of "the input is larger than the window", compared without case. */
const overflowCodes: ReadonlySet<string> = new Set([
  "context_length_exceeded",
  "model_context_window_exceeded",
  "exceed_context_size_error",
  "context_window_exceeded",
  "contextwindowexceedederror",
  "prompt_too_long",
  "request_too_large",
  "input_too_long",
  "string_above_max_length",
]);

export function isOverflowCode(code: string): boolean {
  return overflowCodes.has(code.toLowerCase());
}

/**
 * Wordings of overflow, most telling first; a row's groups are prompt and limit. Each names a size *and* that it is
 * exceeded: the mere word "context" is no overflow (CASES C-121). `sum` means that input and output are given apart.
 */
const wordings: readonly { readonly pattern: RegExp; readonly order?: "limit-first" | "sum" }[] = [
  // Anthropic, and gateways that copy it
  { pattern: /prompt is too long(?:: *(N) tokens? *> *(N) maximum)?/ },
  { pattern: /input length and `?max_tokens`? exceed context limit(?:: *(N) *\+ *(N) *> *(N))?/, order: "sum" },
  { pattern: /input is too long(?: for (?:requested|this) model)?/ },
  // llama.cpp, LM Studio, Ollama
  { pattern: /request \((N) tokens\) exceeds the available context size \((N) tokens\)/ },
  { pattern: /exceeds? the available context size/ },
  { pattern: /(?:prompt|input)[^.]*?\((N)(?: tokens)?\)[^.]*? exceeds?[^.]*? (?:context|maximum|limit)[^.]*?\((N)/ },
  {
    pattern:
      /context (?:length|size|window) (?:of|is) (?:only )?(N)[^.]*(?:exceed|overflow|not enough|too (?:long|large))/,
    order: "limit-first",
  },
  // OpenAI, vLLM, DeepSeek, Mistral, Groq, OpenRouter
  {
    pattern:
      /maximum context length (?:is|of) (N)(?: tokens)?.*?(?:resulted in|requested|request has|contains?|passed|has) (?:about |at least )?(N)/,
    order: "limit-first",
  },
  { pattern: /maximum context length (?:is|of) (N)/, order: "limit-first" },
  { pattern: /contains (N) tokens.*?too large for model with (N) maximum context/ },
  { pattern: /prompt contains (N) tokens.*?(?:maximum|limit)[^0-9]*(N)/ },
  {
    pattern:
      /(?:prompt|input)(?: \([^)]*\))? (?:is )?(?:too long|longer than|larger than) (?:the )?(?:maximum |max )?(?:model |context )*(?:length|size|window)(?: of (N))?/,
    order: "limit-first",
  },
  { pattern: /input token count \(?(N)\)? exceeds the maximum number of tokens allowed \(?(N)/ },
  {
    pattern:
      /(?:exceeds?|exceeded|over|beyond) (?:the |this |your )?(?:model'?s? |maximum |max |allowed |input )*(?:context|token)(?:[ _-]?(?:window|length|limit|size))+(?: \(?(?:of )?(N))?/,
    order: "limit-first",
  },
  { pattern: /(?:prompt|messages|conversation|input) (?:is|are) too (?:long|large)/ },
  { pattern: /(?:please )?reduce the length of (?:the|your) (?:messages|prompt|input)/ },
  { pattern: /(?:context|token)(?: window| length| limit)* (?:exceeded|overflow|is full)/ },
  { pattern: /too many (?:input )?tokens/ },
].map((row) => ({ ...row, pattern: withNumbers(row.pattern) }) as { pattern: RegExp; order?: "limit-first" | "sum" });

/** A complaint about the asked-for output alone: a wrong setting, and no smaller prompt would cure it. */
const outputSetting = /\bmax_(?:completion_|output_)?tokens\b/i;
const inputWord = /\b(?:input|prompt|messages|context)\b/i;

/** null: the message does not speak of overflow. */
export function overflowSizes(message: string): Sizes | null {
  if (outputSetting.test(message) && !inputWord.test(message)) return null;
  for (const { pattern, order } of wordings) {
    const match = pattern.exec(message);
    if (match !== null) return sizesOf(match.slice(1).map(numberOf), order);
  }
  return null;
}

function sizesOf(numbers: readonly (number | null)[], order: "limit-first" | "sum" | undefined): Sizes {
  const [first = null, second = null, third = null] = numbers;
  if (order === "sum") return { promptTokens: first, limitTokens: third };
  if (order === "limit-first") return { promptTokens: second, limitTokens: first };
  return { promptTokens: first, limitTokens: second };
}

function withNumbers(pattern: RegExp): RegExp {
  return new RegExp(pattern.source.replaceAll("N", "[0-9][0-9,_]*"), "is");
}

function numberOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text.replaceAll(/[,_]/g, ""));
}
