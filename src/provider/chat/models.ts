/** Models of OpenAI's own service, by id; gateways put a vendor before it (`openai/gpt-5.5`). `gpt-oss` is open and local. */
export function isOpenAi(model: string): boolean {
  return /^(?:openai\/)?(?:gpt-(?!oss)|o[1-9](?:-|$))/.test(model);
}

/** Longest function name of this wire. */
export const toolNameCharsMax = 64;
