import { bounds } from "../kernel/bounds.ts";

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
  "model_max_prompt_tokens_exceeded",
]);

export function isOverflowCode(code: string): boolean {
  return overflowCodes.has(code.toLowerCase());
}

type Wording = { readonly pattern: RegExp; readonly order?: "limit-first" | "sum" };

/**
 * Wordings of overflow, most telling first; a row's groups are prompt and limit. Each names a size *and* that it is
 * exceeded: the mere word "context" is no overflow (CASES C-121). `sum` means that input and output are given apart.
 */
const rows: readonly Wording[] = [
  // Anthropic, and gateways that copy it
  { pattern: /prompt is too long(?:: *(N) tokens? *> *(N) maximum)?/ },
  { pattern: /input length and `?max_tokens`? exceed context limit(?:: *(N) *\+ *(N) *> *(N))?/, order: "sum" },
  { pattern: /input is too long(?: for (?:requested|this) model)?/ },
  // llama.cpp, LM Studio, Ollama
  { pattern: /request \((N) tokens\) exceeds the available context size \((N) tokens\)/ },
  { pattern: /exceeds? the available context size/ },
  { pattern: /context length of only (N) tokens|greater than the context length/, order: "limit-first" },
  // OpenAI, vLLM, DeepSeek, Groq, xAI, OpenRouter
  {
    pattern:
      /maximum (?:context|prompt) length (?:is|of) (N)(?: tokens)?.*?(?:resulted in|requested|request has|contains?|passed|has) (?:about |at least )?(N)/,
    order: "limit-first",
  },
  { pattern: /maximum (?:context|prompt) length (?:is|of) (N)/, order: "limit-first" },
  { pattern: /current length is (N) while limit is (N)/ },
  // Mistral, Gemini, Copilot, Together, Moonshot, MiniMax, Zhipu
  { pattern: /contains (N) tokens.*?too large for model with (N) maximum context/ },
  { pattern: /token count (?:of )?\(?(N)\)? exceeds the (?:maximum number of tokens allowed|limit)(?: of)? \(?(N)/ },
  { pattern: /token count exceeds the maximum number of tokens allowed(?: of)? \(?(N)/, order: "limit-first" },
  { pattern: /tokens \+ `?max_new_tokens`? must be <= (N)\. given: (N)/, order: "limit-first" },
  { pattern: /exceeded (?:the )?model token limit: (N) \(requested: (N)\)/, order: "limit-first" },
  { pattern: /(?:prompt|input|messages) exceeds? (?:the )?max(?:imum)? (?:prompt |input )?length/ },
  { pattern: /context window exceeds limit/ },
  // Anybody
  { pattern: /(?:prompt|input)[^.]*?\((N)(?: tokens)?\)[^.]*? exceeds?[^.]*? (?:context|maximum|limit)[^.]*?\((N)/ },
  {
    pattern:
      /(?:prompt|input)(?: \([^)]*\))? (?:is )?(?:too long|longer than|larger than) (?:the )?(?:maximum |max )?(?:model |context )*(?:length|size|window)(?: of (N))?/,
    order: "limit-first",
  },
  {
    pattern:
      /(?:exceeds?|exceeded|over|beyond) (?:the |this |your )?(?:model'?s? |maximum |max |allowed |input )*(?:context|token)(?:[ _-]?(?:window|length|limit|size))+(?: \(?(?:of )?(N))?/,
    order: "limit-first",
  },
  { pattern: /(?:prompt|messages|conversation|input) (?:is|are) too (?:long|large)/ },
  { pattern: /reduce the length of (?:the|your) (?:messages|prompt|input)/ },
  { pattern: /(?:context|token)(?: window| length| limit)* (?:exceeded|overflow|is full)/ },
  { pattern: /too many (?:input )?tokens/ },
  { pattern: /context_?(?:length|window)_?exceeded/ },
];

const wordings = rows.map((row): Wording => ({ ...row, pattern: withNumbers(row.pattern) }));

/** A complaint about the asked-for output alone: a wrong setting, and no smaller prompt would cure it. */
const outputSetting = /\bmax_(?:completion_|output_)?tokens\b/i;
const inputWord = /\b(?:input|prompt|messages|context)\b/i;

/** null: the message does not speak of overflow. */
export function overflowSizes(text: string): Sizes | null {
  // What follows is a dump of the request or a page: nothing to learn, and long to search.
  const message = text.slice(0, bounds.errorCharsMax);
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
