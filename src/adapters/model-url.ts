/** The Messages SDK adds `/v1/messages` itself, so a base that ends in any part of it is cut back. */
export function anthropicBase(baseUrl: string): string {
  return trimmed(baseUrl).replace(/\/v1(?:\/messages)?$/, "");
}

/**
 * The OpenAI SDK adds `/chat/completions` to a base that already names the version. A base without any version gets
 * `/v1`, as all compatible servers have it.
 */
export function openAiBase(baseUrl: string): string {
  const base = trimmed(baseUrl).replace(/\/chat\/completions$/, "");
  return /\/v\d[^/]*(?:\/|$)/.test(new URL(base).pathname) ? base : `${base}/v1`;
}

function trimmed(baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, "");
}
