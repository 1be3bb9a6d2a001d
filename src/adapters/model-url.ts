/** The Messages SDK adds `/v1/messages` itself, so a base that ends in any part of it is cut back. */
export function anthropicBase(baseUrl: string): string {
  return trimmed(baseUrl).replace(/\/v1(?:\/messages)?$/, "");
}

/**
 * The OpenAI SDK adds `/chat/completions` or `/responses` to a base that already names the version. A base without any version gets
 * `/v1`, as all compatible servers have it.
 */
export function openAiBase(baseUrl: string): string {
  const base = trimmed(baseUrl).replace(/\/(?:chat\/completions|responses)$/, "");
  return /\/v\d[^/]*(?:\/|$)/.test(new URL(base).pathname) ? base : `${base}/v1`;
}

/** Version and method are added to the address; a base that names the version already keeps it. */
export function geminiBase(baseUrl: string): { readonly url: string; readonly version: string } {
  const base = trimmed(baseUrl).replace(/\/models(?:\/.*)?$/, "");
  const version = /\/(v\d[^/]*)$/.exec(base)?.[1];
  return version === undefined
    ? { url: base, version: "v1beta" }
    : { url: base.slice(0, -version.length - 1), version };
}

function trimmed(baseUrl: string): string {
  return baseUrl.trim().replace(/\/+$/, "");
}
