/** Bytes that base64 stands for, give or take its line ends. */
export function bytesOf(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

export function sizeText(bytes: number): string {
  return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
}

/** The bytes; null where it is no base64. A beginning is decoded alone where no more is wanted. */
export function decoded(base64: string, charsMax = base64.length): Uint8Array | null {
  try {
    const chars = atob(base64.slice(0, charsMax - (charsMax % 4)));
    const bytes = new Uint8Array(chars.length);
    // `Uint8Array.from` takes half a second for a large image, in which nothing else goes on.
    for (let at = 0; at < chars.length; at += 1) bytes[at] = chars.charCodeAt(at);
    return bytes;
  } catch {
    // The only thing `atob` throws for.
    return null;
  }
}

/** Servers send texts as blobs, too: JSON, XML, SVG, sources. null: by its type it is no text, or it is not UTF-8. */
export function blobText(base64: string, mimeType: string | null): string | null {
  if (mimeType === null || !textType.test(mimeType)) return null;
  const bytes = decoded(base64);
  if (bytes === null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // Text in another encoding: what it says is not known.
    return null;
  }
}

const textType =
  /^(?:text\/|[\w.+-]+\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql|csv|x-sh|graphql|x-ndjson)\b)/i;
