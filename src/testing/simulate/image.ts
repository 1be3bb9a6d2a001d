/** The media type that a base64 image's first bytes have; null where they are no image we know, or no base64. */
export function imageTypeOf(base64: string): string | null {
  if (base64 === "" || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  const head = atob(base64.slice(0, 32));
  const found = starts.find(
    ({ bytes, at, more }) => head.startsWith(bytes, at) && (more === undefined || head.startsWith(more.bytes, more.at)),
  );
  return found?.type ?? null;
}

const starts: readonly {
  readonly type: string;
  readonly bytes: string;
  readonly at: number;
  readonly more?: { readonly bytes: string; readonly at: number };
}[] = [
  { type: "image/png", bytes: "\x89PNG\r\n\x1a\n", at: 0 },
  { type: "image/jpeg", bytes: "\xff\xd8\xff", at: 0 },
  { type: "image/gif", bytes: "GIF8", at: 0 },
  { type: "image/webp", bytes: "RIFF", at: 0, more: { bytes: "WEBP", at: 8 } },
];
