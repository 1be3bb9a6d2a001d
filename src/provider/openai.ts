/** Models of OpenAI's own service, by id; gateways put a vendor before it (`openai/gpt-5.5`). `gpt-oss` is open and local. */
export function isOpenAi(model: string): boolean {
  return /^(?:openai\/)?(?:gpt-(?!oss)|o[1-9](?:-|$))/.test(model);
}

/** The generation a name carries: 6.02 for `gpt-6.2-sol`; 0 where it carries none. */
export function openAiGeneration(model: string): number {
  const name = /^(?:openai\/)?gpt-(\d+)(?:\.(\d{1,2}))?(?![\w.])/.exec(model);
  return name === null ? 0 : Number(name[1]) + Number(name[2] ?? 0) / 100;
}

/** From here on Chat Completions refuses function tools together with an effort; Responses takes both (PROTOCOLS B.1). */
export function needsResponses(model: string): boolean {
  return openAiGeneration(model) >= 5.04;
}
