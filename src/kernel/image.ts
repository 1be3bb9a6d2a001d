/** Images that every provider takes. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** What an image is by its first bytes, one character each, whatever it is called; null: none of these. */
export function imageTypeOf(start: string): ImageType | null {
  return signatures.find(([pattern]) => pattern.test(start))?.[1] ?? null;
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: file signatures are made of them
const signatures = [
  [/^\x89PNG\r\n\x1a\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[\s\S]{4}WEBP/, "image/webp"],
] as const;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above

export type ImageSize = { readonly width: number; readonly height: number };

/** What the header of an image says of its size; null where it does not say, as in a file that was cut off. */
export function imageSize(bytes: Uint8Array, mediaType: ImageType): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = sizes[mediaType](view);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

const sizes: { readonly [K in ImageType]: (view: DataView) => ImageSize | null } = {
  "image/png": (view) => (view.byteLength < 24 ? null : { width: view.getUint32(16), height: view.getUint32(20) }),
  "image/gif": (view) =>
    view.byteLength < 10 ? null : { width: view.getUint16(6, true), height: view.getUint16(8, true) },
  "image/jpeg": jpegSize,
  "image/webp": webpSize,
};

/** From marker to marker, up to the one that begins a frame (SOF0 to SOF15 without DHT, JPG and DAC). */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    // A marker may be preceded by any number of fill bytes.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

/** Three kinds of first chunk: extended, lossless, lossy. */
function webpSize(view: DataView): ImageSize | null {
  if (view.byteLength < 30) return null;
  switch (view.getUint32(12)) {
    case 0x56503858:
      return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return null;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
