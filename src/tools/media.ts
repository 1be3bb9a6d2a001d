import { latin1Text } from "./encoding.ts";

/** What a file is by its first bytes; its name is not asked (CASES C-067, C-069). */
export type Media =
  | { readonly type: "image"; readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" }
  | { readonly type: "other-image"; readonly name: string }
  | { readonly type: "pdf" }
  | { readonly type: "html" }
  | { readonly type: "unknown" };

export function mediaOf(bytes: Uint8Array): Media {
  const start = latin1Text(bytes.subarray(0, 1_024));
  const image = images.find(([pattern]) => pattern.test(start));
  if (image !== undefined) return { type: "image", mediaType: image[1] };
  const other = otherImages.find(([pattern]) => pattern.test(start));
  if (other !== undefined) return { type: "other-image", name: other[1] };
  if (pdfStart.test(start)) return { type: "pdf" };
  return htmlStart.test(start) ? { type: "html" } : { type: "unknown" };
}

/** Whether the file's name promises an image that providers take. */
export function isNamedImage(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: file signatures are made of them
const images = [
  [/^\x89PNG\r\n\x1a\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF[\s\S]{4}WEBP/, "image/webp"],
] as const;

const otherImages = [
  [/^BM[\s\S]{4}\0\0\0\0/, "BMP"],
  [/^(?:II\*\0|MM\0\*)/, "TIFF"],
  [/^\0\0\x01\0/, "ICO"],
  [/^[\s\S]{4}ftyp(?:avif|avis)/, "AVIF"],
  [/^[\s\S]{4}ftyp(?:hei|mif1|msf1)/, "HEIC"],
] as const;

/** At the very beginning, or behind junk that is not text: sources that speak of PDF are no PDF. */
const pdfStart = /^(?:\xef\xbb\xbf)?\s*%PDF-|^[\s\S]*?\0[\s\S]*?%PDF-/;

const htmlStart = /^(?:\xef\xbb\xbf)?\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b/i;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
